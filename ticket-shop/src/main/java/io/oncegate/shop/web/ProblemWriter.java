package io.oncegate.shop.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import tools.jackson.databind.json.JsonMapper;

/** Writes problem details (RFC 9457) where no controller can: in filters. Thread-safe. */
final class ProblemWriter {
    private final JsonMapper json;

    ProblemWriter(JsonMapper json) {
        this.json = json;
    }

    /** Answers with this problem. Headers that go with it are set before. */
    void write(
            HttpServletRequest request, HttpServletResponse response, HttpStatusCode status, String code, String detail)
            throws IOException {
        ProblemDetail problem = ShopProblems.problem(status, code, detail);
        problem.setInstance(ProblemInstance.of(request.getRequestURI()));
        response.setStatus(status.value());
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        byte[] body = json.writeValueAsBytes(problem);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
