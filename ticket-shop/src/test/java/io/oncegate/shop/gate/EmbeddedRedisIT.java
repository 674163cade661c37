package io.oncegate.shop.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EmbeddedRedisIT {
    @Test
    void leavesNothingBehind() throws IOException {
        Set<Path> before = directories();
        EmbeddedRedis redis = EmbeddedRedis.start();
        int port = redis.uri().getPort();
        Set<Path> meanwhile = directories();
        connect(port);

        redis.close();

        assertThat(meanwhile).hasSize(before.size() + 1);
        assertThat(directories()).isEqualTo(before);
        assertThatThrownBy(() -> connect(port)).isInstanceOf(IOException.class);
    }

    private static void connect(int port) throws IOException {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
    }

    private static Set<Path> directories() throws IOException {
        try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return all.filter(path -> path.getFileName().toString().startsWith("ticket-shop-redis-"))
                    .collect(Collectors.toSet());
        }
    }
}
