package io.oncegate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProcessGuardIT {

    @Test
    void serversEndWithTheirJvmEvenWhenItIsKilled() throws Exception {
        Process jvm = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Starter.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int redis;
        int postgres;
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8))) {
            redis = Integer.parseInt(out.readLine());
            postgres = Integer.parseInt(out.readLine());
            assertThat(listens(redis)).isTrue();
            assertThat(listens(postgres)).isTrue();
            jvm.destroyForcibly().waitFor();
        }
        Await.until("Redis has ended", Duration.ofSeconds(15), () -> !listens(redis));
        Await.until("PostgreSQL has ended", Duration.ofSeconds(15), () -> !listens(postgres));
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    static final class Starter {

        public static void main(String[] args) throws InterruptedException {
            System.out.println(RedisServers.standalone().port());
            System.out.println(PostgresServer.shared().port());
            Thread.sleep(60_000);
        }
    }
}
