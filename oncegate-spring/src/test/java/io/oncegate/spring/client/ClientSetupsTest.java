package io.oncegate.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;

class ClientSetupsTest {
    @Test
    void theSetupsOfTheDocumentationAreBuilt() {
        assertThat(ClientSetups.restClient()).isNotNull();
        assertThat(ClientSetups.restTemplate().getInterceptors()).hasSize(1);
        assertThat(ClientSetups.webClient()).isNotNull();
        assertThat(ClientSetups.feign()).isNotNull();
        assertThat(ClientSetups.httpClient()).isInstanceOf(IdempotentHttpClient.class);
        assertThat(ClientSetups.KEYS.isFor("POST", URI.create("https://shop.example.com/orders")))
                .isTrue();
    }
}
