package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an editor offers while one writes {@code oncegate.} into the properties: the generated file. */
class MetadataTest {
    private static final Map<String, JsonNode> PROPERTIES = new LinkedHashMap<>();

    @BeforeAll
    static void read() throws IOException {
        try (InputStream in = MetadataTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(in).as("the generated metadata").isNotNull();
            JsonMapper.builder()
                    .build()
                    .readTree(in)
                    .get("properties")
                    .forEach(property -> PROPERTIES.put(property.get("name").asString(), property));
        }
    }

    @Test
    void offersEveryProperty() {
        assertThat(PROPERTIES.keySet())
                .contains(
                        "oncegate.store",
                        "oncegate.redis.uri",
                        "oncegate.redis.prefix",
                        "oncegate.jdbc.create-schema",
                        "oncegate.same-transaction.enabled",
                        "oncegate.purge.interval",
                        "oncegate.http.routes",
                        "oncegate.http.strict-keys",
                        "oncegate.tokens.enabled",
                        "oncegate.tokens.secret",
                        "oncegate.tokens.secret-number",
                        "oncegate.tokens.former-secrets",
                        "oncegate.tokens.ttl",
                        "oncegate.tokens.cap",
                        "oncegate.tokens.when-full",
                        "oncegate.tokens.give-back",
                        "oncegate.tokens.store",
                        "oncegate.tokens.path",
                        "oncegate.tokens.purposes",
                        "oncegate.locks.store",
                        "oncegate.locks.zookeeper-path",
                        "oncegate.locks.second-connection",
                        "oncegate.locks.registry.enabled",
                        "oncegate.locks.registry.operation",
                        "oncegate.locks.fence-retention",
                        "oncegate.states.history-retention",
                        "oncegate.annotations.strict",
                        "oncegate.client.hosts",
                        "oncegate.client.retry.enabled");
    }

    @Test
    void describesEveryProperty() {
        assertThat(PROPERTIES).isNotEmpty().allSatisfy((name, property) -> {
            assertThat(name).matches("oncegate(\\.[a-z][a-z-]*)+");
            assertThat(property.has("description"))
                    .as(name + " has a description")
                    .isTrue();
        });
    }

    @Test
    void typesDurationsAndSizesAsSuch() {
        assertThat(PROPERTIES.get("oncegate.settle-for").get("type").asString()).isEqualTo("java.time.Duration");
        assertThat(PROPERTIES.get("oncegate.http.max-body-size").get("type").asString())
                .isEqualTo("org.springframework.util.unit.DataSize");
        assertThat(PROPERTIES.get("oncegate.store").get("defaultValue").asString())
                .isEqualTo("auto");
    }
}
