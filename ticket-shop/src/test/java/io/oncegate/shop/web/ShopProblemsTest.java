package io.oncegate.shop.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.shop.LogWatch;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.context.request.ServletWebRequest;

/** Answers that cannot be written. */
class ShopProblemsTest {
    private final ShopProblems problems = new ShopProblems(new Tally());
    private final MockHttpServletResponse response = new MockHttpServletResponse();
    private final ServletWebRequest request = new ServletWebRequest(new MockHttpServletRequest(), response);

    @Test
    void aCallerWhoHasGoneAwayWritesNothingIntoTheLog() throws Exception {
        response.setCommitted(true);
        try (LogWatch log = new LogWatch()) {
            assertThat(problems.handleException(
                            new HttpMessageNotWritableException("cut", new IOException("Broken pipe")), request))
                    .isNull();
            assertThat(log.warnings()).isEmpty();
            assertThat(log.errors()).isEmpty();
        }
    }

    @Test
    void anAnswerThatIsNoJsonIsADefectOfTheShops() throws Exception {
        try (LogWatch log = new LogWatch()) {
            assertThat(problems.handleException(
                                    new HttpMessageNotWritableException("no way", new IllegalStateException()), request)
                            .getStatusCode()
                            .value())
                    .isEqualTo(500);
            assertThat(log.errors()).hasSize(1);
        }
    }
}
