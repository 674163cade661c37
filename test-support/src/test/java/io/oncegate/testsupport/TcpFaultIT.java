package io.oncegate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpFaultIT {

    private final RedisServer server = RedisServers.own();
    private final TcpFault line = TcpFault.to(server);
    private RedisClient client;

    @BeforeEach
    void connect() {
        client = RedisClient.create(RedisURI.builder()
                .withHost(line.host())
                .withPort(line.port())
                .withTimeout(Duration.ofMillis(500))
                .build());
    }

    @AfterEach
    void close() {
        client.close();
        line.close();
        server.close();
    }

    @Test
    void passesWhileNothingIsBroken() {
        try (var connection = client.connect()) {
            assertThat(connection.sync().incr("k")).isEqualTo(1);
        }
    }

    @Test
    void freezesAndThaws() {
        try (var connection = client.connect()) {
            connection.sync().ping();
            line.freeze();
            assertThatThrownBy(() -> connection.sync().incr("k")).isInstanceOf(RedisCommandTimeoutException.class);
            line.unfreeze();
            Await.until(
                    "thawed",
                    Duration.ofSeconds(10),
                    () -> connection.sync().ping().equals("PONG"));
        }
    }

    @Test
    void losesTheReplyOfACommandThatWasApplied() {
        try (var connection = client.connect()) {
            connection.sync().ping();
            line.loseReplies();
            assertThatThrownBy(() -> connection.sync().incr("k")).isInstanceOf(RedisCommandTimeoutException.class);
            Await.until(
                    "applied", Duration.ofSeconds(5), () -> server.send("GET k").equals("1"));
            line.passReplies();
            line.reset();
            Await.until(
                    "reconnected",
                    Duration.ofSeconds(10),
                    () -> connection.sync().incr("k") == 2);
        }
    }

    @Test
    void refusesConnectionsWhileDown() throws IOException {
        assertThat(Resp.send(line.host(), line.port(), "PING")).isEqualTo("PONG");
        line.down();
        assertThatThrownBy(client::connect).isInstanceOf(RedisException.class);
        line.up();
        try (var connection = client.connect()) {
            assertThat(connection.sync().ping()).isEqualTo("PONG");
        }
    }
}
