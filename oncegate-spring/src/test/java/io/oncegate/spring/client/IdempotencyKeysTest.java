package io.oncegate.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.spring.http.IdempotencyKeyHeader;
import io.oncegate.spring.http.KeyReading;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

class IdempotencyKeysTest {
    @Test
    void keysGoToTheNamedHostsAlone() {
        IdempotencyKeys keys = IdempotencyKeys.toHosts("API.example.com", "other.example.com:8443");

        assertThat(keys.isFor("POST", URI.create("https://api.example.com/orders")))
                .isTrue();
        assertThat(keys.isFor("POST", URI.create("http://api.EXAMPLE.com:81/"))).isTrue();
        assertThat(keys.isFor("POST", URI.create("https://other.example.com:8443/")))
                .isTrue();
        assertThat(keys.isFor("POST", URI.create("https://other.example.com/"))).isFalse();
        assertThat(keys.isFor("POST", URI.create("https://api.example.com.evil.test/")))
                .isFalse();
        assertThat(keys.isFor("POST", URI.create("https://evil.test/api.example.com")))
                .isFalse();
        assertThat(keys.isFor("POST", URI.create("https://api.example.com@evil.test/")))
                .isFalse();
        assertThat(keys.isFor("POST", URI.create("/orders"))).isFalse();
    }

    @Test
    void thePortOfTheSchemeCounts() {
        assertThat(IdempotencyKeys.toHosts("a:443").isFor("POST", URI.create("https://a/")))
                .isTrue();
        assertThat(IdempotencyKeys.toHosts("a:443").isFor("POST", URI.create("http://a/")))
                .isFalse();
    }

    @Test
    void hostsMayBeAddressesAndNamesWithAnUnderscore() {
        IdempotencyKeys keys =
                IdempotencyKeys.toHosts("::1", "[2001:DB8::2]:8443", "Order_service", "stock_service:81");

        for (String uri : List.of(
                "http://[::1]:8080/",
                "https://[2001:db8::2]:8443/",
                "http://order_service/",
                "http://order_service:8080/",
                "http://me@order_service/",
                "http://stock_service:81/")) {
            assertThat(keys.isFor("POST", URI.create(uri))).as(uri).isTrue();
        }
        for (String uri : List.of(
                "http://[::2]/",
                "https://[2001:db8::2]/",
                "http://stock_service/",
                "http://order_service@evil_host/",
                "http://order_service:80@evil_host/",
                "http://order_service.evil_host/",
                "mailto:order_service")) {
            assertThat(keys.isFor("POST", URI.create(uri))).as(uri).isFalse();
        }
    }

    @Test
    void whatIsNoHostIsRefused() {
        for (String host : List.of(
                "", " ", "a b", " a", "a/", "a?b", "a#b", "me@a", "a:", "a:b", "a:-1", "a:99999", "[::1", "[::1]:x",
                "[]")) {
            assertThatThrownBy(() -> IdempotencyKeys.toHosts(host))
                    .as(host)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("host:port");
        }
    }

    @Test
    void onlyMethodsWithEffectsGetAKey() {
        IdempotencyKeys keys = IdempotencyKeys.toAnyHost();
        URI uri = URI.create("http://a/");

        assertThat(List.of("POST", "PATCH")).allMatch(method -> keys.isFor(method, uri));
        assertThat(List.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE")).noneMatch(method -> keys.isFor(method, uri));
        assertThat(keys.methods("PUT").isFor("PUT", uri)).isTrue();
        assertThat(keys.methods("PUT").isFor("POST", uri)).isFalse();
        assertThatThrownBy(() -> keys.methods("GET")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void targetsAreNamed() {
        assertThatThrownBy(IdempotencyKeys::toHosts).hasMessageContaining("toAnyHost");
        assertThatThrownBy(() -> IdempotencyKeys.toHosts("https://a")).hasMessageContaining("host:port");
        assertThat(IdempotencyKeys.to(uri -> uri.getPath().startsWith("/pay"))
                        .isFor("POST", URI.create("http://a/pay/1")))
                .isTrue();
    }

    @Test
    void aKeyIsAStringOfAStructuredField() {
        String key = IdempotencyKeys.newKey();

        assertThat(IdempotencyKeyHeader.strict().read(List.of(key))).isInstanceOf(KeyReading.Found.class);
        assertThat(IdempotencyKeys.newKey()).isGreaterThan(key);
    }
}
