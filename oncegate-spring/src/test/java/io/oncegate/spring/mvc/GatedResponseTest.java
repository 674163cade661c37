package io.oncegate.spring.mvc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

class GatedResponseTest {
    @Test
    @DisplayName("C80: a writer takes the charset that a filter before the gate has set, as with force-response=true")
    void aWriterTakesTheCharsetOfTheFiltersBefore() throws Exception {
        MockHttpServletResponse real = new MockHttpServletResponse();
        real.setCharacterEncoding("UTF-8");
        GatedResponse gated = new GatedResponse(real, 1000);
        gated.setContentType("text/plain");
        gated.getWriter().write("演唱会");
        gated.flushWriter();
        assertThat(gated.body().bytes()).isEqualTo("演唱会".getBytes(UTF_8));
        assertThat(gated.getContentType()).isEqualToIgnoringCase("text/plain;charset=UTF-8");
    }
}
