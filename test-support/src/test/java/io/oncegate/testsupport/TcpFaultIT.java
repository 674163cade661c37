package io.oncegate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
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
    void freezesAConnectionThatIsOnlyJustBeingMade() throws Exception {
        boolean met = false;
        for (int round = 0; round < 20 && !met; round++) {
            met = freezesWhileConnecting();
        }
        assertThat(met).as("a line was frozen while it was dialling").isTrue();
    }

    /** Whether the line had begun to dial when it was frozen: its server takes no more connections until then. */
    private static boolean freezesWhileConnecting() throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                TcpFault late = TcpFault.to("127.0.0.1", full.getLocalPort())) {
            full.setSoTimeout(4_000);
            List<Socket> waiting = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                waiting.add(new Socket("127.0.0.1", full.getLocalPort()));
            }
            try (Socket through = new Socket(late.host(), late.port())) {
                through.getOutputStream().write('x');
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
                late.freeze();
                for (Socket one : waiting) {
                    full.accept().close();
                    one.close();
                }
                try (Socket accepted = full.accept()) {
                    accepted.setSoTimeout(500);
                    assertThatThrownBy(() -> accepted.getInputStream().read())
                            .isInstanceOf(SocketTimeoutException.class);
                    late.unfreeze();
                    accepted.setSoTimeout(10_000);
                    assertThat(accepted.getInputStream().read()).isEqualTo('x');
                    return true;
                }
            } catch (SocketTimeoutException notDialled) {
                return false;
            }
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
