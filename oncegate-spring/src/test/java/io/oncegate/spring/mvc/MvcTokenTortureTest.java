package io.oncegate.spring.mvc;

import io.oncegate.core.key.Scope;
import io.oncegate.spring.gate.TokenTorture;
import java.util.List;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class MvcTokenTortureTest extends TokenTorture {
    private final IdempotencyFilter filter = IdempotencyFilter.builder(oncegate, request -> Scope.of("alice"))
            .route(route)
            .build();

    @Override
    protected int send(List<String> tokens) throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/orders");
        tokens.forEach(token -> request.addHeader("Once-Token", token));
        MockHttpServletResponse response = new MockHttpServletResponse();
        filter.doFilter(request, response, (handled, answer) -> runs.incrementAndGet());
        return response.getStatus();
    }
}
