package io.oncegate.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import feign.Request;
import feign.RequestTemplate;
import io.oncegate.spring.client.ScriptedServer.Answer;
import io.oncegate.spring.client.ScriptedServer.Sent;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.client.RestClient;

/** A multipart body has a new boundary in every attempt, and is the same body all the same. */
class MultipartAttemptsTest {
    private final RestClient client = RestClient.builder()
            .requestInterceptor(new IdempotentRequestInterceptor(IdempotencyKeys.toAnyHost()))
            .build();

    private int upload(ScriptedServer server, String text) {
        MultiValueMap<String, Object> parts = new LinkedMultiValueMap<>();
        parts.add("item", text);
        parts.add("file", new ByteArrayResource(new byte[] {0, -1, 13, 10, 45, 45}));
        return client.post()
                .uri(server.uri())
                .body(parts)
                .exchange((request, response) -> response.getStatusCode().value());
    }

    @Test
    void theSamePartsHaveTheSameKey() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(503), Answer.of(201))) {
            LogicalCall call = LogicalCall.begin();
            call.attempt(() -> upload(server, "A"));
            call.attempt(() -> upload(server, "A"));

            assertThat(server.keys()).hasSize(2).containsOnly(server.keys().get(0));
            assertThat(server.sent).extracting(Sent::type).doesNotHaveDuplicates();
        }
    }

    private static RequestTemplate feign(String boundary, String text) {
        RequestTemplate template = new RequestTemplate()
                .method(Request.HttpMethod.POST)
                .uri("/orders")
                .header("Content-Type", "multipart/form-data; charset=UTF-8; boundary=" + boundary)
                .body("--" + boundary + "\r\n\r\n" + text + "\r\n--" + boundary + "--\r\n");
        new IdempotentFeignInterceptor(IdempotencyKeys.toAnyHost()).apply(template);
        return template;
    }

    @Test
    void theSamePartsOfFeignHaveTheSameKey() {
        LogicalCall call = LogicalCall.begin();
        RequestTemplate first = call.attempt(() -> feign("one", "A"));
        RequestTemplate second = call.attempt(() -> feign("two", "A"));

        assertThat(second.headers().get("Idempotency-Key"))
                .isEqualTo(first.headers().get("Idempotency-Key"))
                .hasSize(1);
        assertThatThrownBy(() -> call.attempt(() -> feign("three", "B"))).isInstanceOf(AmbiguousCallException.class);
    }

    @Test
    void otherPartsAreRefused() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(503))) {
            LogicalCall call = LogicalCall.begin();
            call.attempt(() -> upload(server, "A"));

            assertThatThrownBy(() -> call.attempt(() -> upload(server, "B")))
                    .isInstanceOf(AmbiguousCallException.class);
            assertThat(server.sent).hasSize(1);
        }
    }
}
