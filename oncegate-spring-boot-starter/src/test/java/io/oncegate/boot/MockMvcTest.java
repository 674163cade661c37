package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import io.oncegate.spring.annotation.Idempotent;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** What an application's own tests see: the gate stands in MockMvc's chain, and annotated beans may be mocked. */
@SpringBootTest(
        classes = MockMvcTest.Application.class,
        properties = {"oncegate.store=memory", "spring.main.lazy-initialization=true"})
@AutoConfigureMockMvc
class MockMvcTest {
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = {DataSourceAutoConfiguration.class, ServletWebSecurityAutoConfiguration.class})
    @Import({Parcels.class, Stamps.class})
    static class Application {}

    static class Stamps {
        @Idempotent(operation = "stamp.take", key = "#id")
        public String take(String id) {
            return "stamp of " + id;
        }
    }

    @RestController
    static class Parcels {
        private final AtomicInteger runs = new AtomicInteger();
        private final Stamps stamps;

        Parcels(Stamps stamps) {
            this.stamps = stamps;
        }

        @Idempotent("parcel.send")
        @PostMapping("/parcels/{id}")
        String send(@PathVariable String id) {
            if (id.equals("lost")) {
                throw new ResponseStatusException(HttpStatus.CONFLICT, "lost");
            }
            return "run " + runs.incrementAndGet() + " with " + stamps.take(id);
        }
    }

    @MockitoBean
    private Stamps stamps;

    @Autowired
    private MockMvc mvc;

    @Test
    void theGateStandsBeforeTheHandlers() throws Exception {
        given(stamps.take("1")).willReturn("a mock");
        MockHttpServletResponse first = send("1", "k");
        MockHttpServletResponse again = send("1", "k");
        assertThat(first.getStatus()).as(first.getContentAsString()).isEqualTo(200);
        assertThat(first.getContentAsString()).endsWith("with a mock");
        assertThat(again.getContentAsString()).isEqualTo(first.getContentAsString());
        assertThat(again.getHeader("Idempotent-Replayed")).isEqualTo("true");
        assertThat(send("1", null).getStatus()).isEqualTo(400);
    }

    @Test
    void aKeptErrorHasItsStatus() throws Exception {
        assertThat(send("lost", "l").getStatus()).isEqualTo(409);
        assertThat(send("lost", "l").getStatus()).isEqualTo(409);
    }

    private MockHttpServletResponse send(String id, String key) throws Exception {
        var request = post("/parcels/" + id).principal(() -> "ann");
        if (key != null) {
            request.header("Idempotency-Key", '"' + key + '"');
        }
        return mvc.perform(request).andReturn().getResponse();
    }
}
