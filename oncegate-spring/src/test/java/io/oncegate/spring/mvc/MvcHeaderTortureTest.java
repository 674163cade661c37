package io.oncegate.spring.mvc;

import io.oncegate.core.key.Scope;
import io.oncegate.spring.gate.HeaderTorture;
import java.util.List;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class MvcHeaderTortureTest extends HeaderTorture {
    private final IdempotencyFilter filter = IdempotencyFilter.builder(oncegate, request -> Scope.of("alice"))
            .route(ROUTE)
            .build();

    @Override
    protected Answer send(List<String> keys) throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/orders");
        keys.forEach(key -> request.addHeader("Idempotency-Key", key));
        MockHttpServletResponse response = new MockHttpServletResponse();
        filter.doFilter(request, response, (handled, answer) -> runs.incrementAndGet());
        String replayed = response.getHeader("Idempotent-Replayed");
        return new Answer(response.getStatus(), replayed == null ? "" : replayed);
    }
}
