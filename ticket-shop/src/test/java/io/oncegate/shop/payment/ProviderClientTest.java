package io.oncegate.shop.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A provider that answers rubbish, over a real connection: only what it says plainly is believed. */
class ProviderClientTest {
    private static final Payment PAYMENT = new Payment(
            "20261130-000000000000-1",
            "alice",
            "20261130-000000000000",
            1,
            BigDecimal.TEN,
            PaymentState.STARTED,
            null,
            Instant.EPOCH,
            Instant.EPOCH);

    private static String answer(String status, String body) {
        return "HTTP/1.1 " + status + "\r\nContent-Length: " + body.length() + "\r\nConnection: close\r\n\r\n" + body;
    }

    static Stream<String> rubbish() {
        return Stream.of(
                "",
                "rubbish",
                "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 999999 OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"status\":\"captured\"}",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "HTTP/1.1 204 No Content\r\n\r\n",
                "HTTP/1.1 302 Found\r\nLocation: /payments\r\nContent-Length: 0\r\n\r\n",
                answer("200 OK", ""),
                answer("200 OK", "<html>captured</html>"),
                answer("200 OK", "null"),
                answer("200 OK", "\"captured\""),
                answer("200 OK", "[{\"status\":\"captured\"}]"),
                answer("200 OK", "{\"status\":[\"captured\"]}"),
                answer("200 OK", "{\"status\":true}"),
                answer("200 OK", "{\"status\":\"CAPTURED\"}"),
                answer("200 OK", "{\"status\":\"captured\""),
                answer("200 OK", "{\"status\":\"processing\"}"),
                answer("200 OK", "[".repeat(10_000)),
                answer("200 OK", "{\"status\":\"captured\"}" + " ".repeat(ShortBody.MAX_BYTES)),
                answer("202 Accepted", "{\"status\":\"accepted\"}"),
                answer("400 Bad Request", "{\"status\":\"declined\"}"),
                answer("402 Payment Required", "<html>declined</html>"),
                answer("404 Not Found", "<html>unknown</html>"),
                answer("409 Conflict", "{\"status\":\"processing\"}"),
                answer("500 Failed", "{\"status\":\"captured\"}"),
                answer("503 Unavailable", "{\"status\":\"try again\"}"));
    }

    @ParameterizedTest
    @MethodSource("rubbish")
    void whatIsNotSaidPlainlyLeavesThePaymentOpen(String rubbish) throws IOException {
        try (Provider provider = new Provider(rubbish, false);
                ProviderClient client = new ProviderClient(provider.url(), Duration.ofSeconds(30))) {
            assertThat(client.pay(PAYMENT)).isInstanceOf(ProviderAnswer.Unclear.class);
            assertThat(client.find(PAYMENT)).isInstanceOf(ProviderAnswer.Unclear.class);
        }
    }

    @Test
    void anAnswerWithoutAnEndIsGivenUpEarly() throws IOException {
        String endless = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"status\":\"captured\"}";
        try (Provider provider = new Provider(endless, true);
                ProviderClient client = new ProviderClient(provider.url(), Duration.ofSeconds(60))) {
            assertThat(client.pay(PAYMENT))
                    .isInstanceOfSatisfying(
                            ProviderAnswer.Unclear.class,
                            unclear -> assertThat(unclear.why()).contains("longer than"));
        }
    }

    @Test
    void whatIsSaidPlainlyIsBelieved() throws IOException {
        believed(
                answer("201 Created", "{\"status\":\"captured\",\"reference\":\"R-1\"}"),
                new ProviderAnswer.Taken("R-1"));
        believed(
                answer("200 OK", "{\"status\":\"captured\",\"reference\":\"" + "r".repeat(65) + "\"}"),
                new ProviderAnswer.Taken("none"));
        believed(answer("402 Payment Required", "{\"status\":\"declined\"}"), new ProviderAnswer.Declined());
        believed(answer("404 Not Found", "{\"status\":\"unknown\"}"), new ProviderAnswer.NoneKnown());
    }

    private static void believed(String answer, ProviderAnswer meaning) throws IOException {
        try (Provider provider = new Provider(answer, false);
                ProviderClient client = new ProviderClient(provider.url(), Duration.ofSeconds(30))) {
            assertThat(client.find(PAYMENT)).isEqualTo(meaning);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "provider:9000",
                "127.0.0.1:9000",
                "/payments",
                "ftp://provider",
                "http://",
                "http:x",
                "http://a b"
            })
    void anAddressThatIsNoneIsRefusedAtTheStart(String url) {
        assertThatThrownBy(() -> new ProviderClient(url, Duration.ofSeconds(1)))
                .hasMessageContaining("shop.payment.url")
                .hasMessageContaining("http://host:port");
    }

    /** Answers each request with the same bytes, and then ends the connection, or goes on without end. */
    private static final class Provider implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());

        Provider(String answer, boolean endless) throws IOException {
            Thread thread = new Thread(() -> serve(answer.getBytes(StandardCharsets.UTF_8), endless));
            thread.setDaemon(true);
            thread.start();
        }

        String url() {
            return "http://127.0.0.1:" + server.getLocalPort() + "/";
        }

        private void serve(byte[] answer, boolean endless) {
            while (!server.isClosed()) {
                try (Socket socket = server.accept()) {
                    socket.setSoTimeout(30_000);
                    readHead(socket);
                    OutputStream out = socket.getOutputStream();
                    out.write(answer);
                    byte[] more = new byte[64 * 1024];
                    Arrays.fill(more, (byte) ' ');
                    while (endless) {
                        out.write(more);
                    }
                } catch (IOException e) {
                    // the client has heard enough, or the test is over
                }
            }
        }

        /** Enough of the request that closing the connection does not break it: the whole body is in its last packet. */
        private static void readHead(Socket socket) throws IOException {
            byte[] buffer = new byte[8192];
            StringBuilder request = new StringBuilder();
            boolean whole = false;
            while (!whole) {
                int length = socket.getInputStream().read(buffer);
                if (length < 0) {
                    return;
                }
                request.append(new String(buffer, 0, length, StandardCharsets.ISO_8859_1));
                whole = request.indexOf("GET ") == 0 ? request.indexOf("\r\n\r\n") >= 0 : request.indexOf("}") >= 0;
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}
