package io.oncegate.shop;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the shop answered, and how long that took. */
record Answer(int status, String body, HttpResponse<String> response, Duration took) {
    private static final JsonMapper JSON = new JsonMapper();

    String header(String name) {
        return response.headers().firstValue(name).orElse("");
    }

    boolean replayed() {
        List<String> values = response.headers().allValues("Idempotent-Replayed");
        return values.equals(List.of("true"));
    }

    boolean isProblem() {
        return header("Content-Type").equals("application/problem+json")
                && json().path("status").asInt() == status
                && !json().path("title").asString("").isEmpty();
    }

    JsonNode json() {
        return JSON.readTree(body);
    }

    String orderNo() {
        return json().get("orderNo").asString();
    }
}
