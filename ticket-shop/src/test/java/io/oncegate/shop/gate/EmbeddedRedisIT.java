package io.oncegate.shop.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.oncegate.testsupport.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class EmbeddedRedisIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void leavesNothingBehind() throws IOException {
        EmbeddedRedis redis = EmbeddedRedis.start();
        int port = redis.uri().getPort();
        Path directory = directory(redis);
        assertThat(directory).isDirectoryContaining(Files::isExecutable);
        assertThat(directory.getFileName().toString()).startsWith("ticket-shop-redis-");
        assertThat(listens(port)).isTrue();

        redis.close();

        Await.until("its directory is gone", PATIENCE, () -> Files.notExists(directory));
        Await.until("it has ended", PATIENCE, () -> !listens(port));
    }

    private static Path directory(EmbeddedRedis redis) {
        try (RedisClient client = RedisClient.create(redis.uri())) {
            return Path.of(client.connect().sync().configGet("dir").get("dir"));
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }
}
