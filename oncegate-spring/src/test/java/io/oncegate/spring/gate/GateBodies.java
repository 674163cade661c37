package io.oncegate.spring.gate;

import static io.oncegate.spring.gate.GateRules.assertProblem;
import static io.oncegate.spring.gate.GateServer.key;
import static io.oncegate.spring.gate.GateServer.replayed;
import static io.oncegate.spring.gate.GateServer.text;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Oncegate;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.spring.http.GateBuilder;
import io.oncegate.spring.http.IdempotentRoute;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.util.Random;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Large and unusual bodies reach the controller as they were sent. One suite for both web frameworks. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class GateBodies {
    private static final int LARGE = 50 * 1024 * 1024;

    private Oncegate oncegate;
    private GateServer server;

    /** Starts a server whose callers are named by the header X-User. */
    protected abstract GateServer start(Oncegate oncegate, Consumer<GateBuilder<?>> more);

    @BeforeAll
    void start() {
        oncegate = Oncegate.claimed(new MemoryRecordStore()).build();
        server = start(oncegate, gate -> {
            gate.maxBodyBytes(LARGE);
            for (String path : new String[] {"raw", "form", "upload", "text"}) {
                gate.route(IdempotentRoute.post("/" + path, path).build());
            }
        });
    }

    @AfterAll
    void stop() {
        server.close();
        oncegate.close();
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    @Test
    @DisplayName("C83: 50 MiB are intact, with a length and chunked, and one byte more is refused")
    void aLargeBodyIsIntact() {
        byte[] body = random(LARGE);
        String key = key();
        String expected = LARGE + " " + GateServer.sha(body);
        HttpResponse<byte[]> first = server.send(server.post("/raw", key, "application/octet-stream", body));
        assertThat(text(first)).isEqualTo(expected);
        HttpResponse<byte[]> chunked = server.send(server.post("/raw", key, "application/octet-stream", body)
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))));
        assertThat(text(chunked)).isEqualTo(expected);
        assertThat(replayed(chunked)).isTrue();
        byte[] more = new byte[LARGE + 1];
        HttpResponse<byte[]> tooLarge = server.send(server.post("/raw", key(), "application/octet-stream", more)
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(more))));
        assertProblem(tooLarge, 413, "body-too-large");
    }

    @Test
    @DisplayName("C83: compressed bodies reach the controller as they are")
    void aCompressedBodyIsIntact() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write("{\"item\":\"A\"}".repeat(1000).getBytes(UTF_8));
        }
        byte[] body = packed.toByteArray();
        String key = key();
        for (String type : new String[] {"application/json", "application/x-www-form-urlencoded"}) {
            HttpResponse<byte[]> answer = server.send(
                    server.post("/raw", key() + ";" + "a", type, body).header("Content-Encoding", "gzip"));
            assertThat(text(answer)).isEqualTo(body.length + " " + GateServer.sha(body));
        }
        server.send(server.post("/raw", key, "application/json", body).header("Content-Encoding", "gzip"));
        assertThat(replayed(server.send(
                        server.post("/raw", key, "application/json", body).header("Content-Encoding", "gzip"))))
                .isTrue();
    }

    @Test
    @DisplayName("C83: forms, parts and texts in GBK are intact")
    void anotherCharsetIsIntact() throws IOException {
        Charset gbk = Charset.forName("GBK");
        HttpResponse<byte[]> first =
                server.send(server.post("/text", key(), "text/plain;charset=GBK", "演唱会".getBytes(gbk)));
        String type = first.headers().firstValue("Content-Type").orElse("");
        Charset answered = type.contains("charset=") ? Charset.forName(type.split("charset=", 2)[1]) : UTF_8;
        assertThat(new String(first.body(), answered)).startsWith("演唱会");

        String form = "name=" + URLEncoder.encode("票", gbk) + "&city=B&q=2";
        String key = key();
        String formType = "application/x-www-form-urlencoded;charset=GBK";
        HttpResponse<byte[]> filled = server.send(server.post("/form?q=1", key, formType, form.getBytes(ISO_8859_1)));
        assertThat(filled.statusCode()).isEqualTo(200);
        HttpResponse<byte[]> again = server.send(server.post("/form?q=1", key, formType, form.getBytes(ISO_8859_1)));
        assertThat(again.body()).isEqualTo(filled.body());
        assertThat(replayed(again)).isTrue();
        String filledType = filled.headers().firstValue("Content-Type").orElse("");
        Charset filledIn =
                filledType.contains("charset=") ? Charset.forName(filledType.split("charset=", 2)[1]) : UTF_8;
        assertThat(new String(filled.body(), filledIn)).startsWith("票|B|1,2|");
    }

    @Test
    @DisplayName("C83: large parts are intact, and the retry has another boundary")
    void largePartsAreIntact() throws IOException {
        byte[] file = random(3_000_000);
        String key = key();
        HttpResponse<byte[]> first =
                server.send(server.post("/upload", key, "multipart/form-data; boundary=one", multipart("one", file)));
        assertThat(text(first)).startsWith("a.bin:application/octet-stream:" + GateServer.sha(file) + "|b.txt:0|n|");
        HttpResponse<byte[]> second = server.send(
                server.post("/upload", key, "multipart/form-data; boundary=another", multipart("another", file)));
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(replayed(second)).isTrue();
    }

    private static byte[] multipart(String boundary, byte[] file) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String next = "\r\n--" + boundary + "\r\nContent-Disposition: form-data; name=";
        out.write((next.substring(2) + "\"one\"; filename=\"a.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n")
                .getBytes(UTF_8));
        out.write(file);
        out.write(
                (next + "\"note\"\r\n\r\nn" + next + "\"two\"; filename=\"b.txt\"\r\n\r\n\r\n--" + boundary + "--\r\n")
                        .getBytes(UTF_8));
        return out.toByteArray();
    }
}
