package io.oncegate.spring.mvc;

import io.oncegate.spring.http.BufferedBody;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.internal.GateAnswer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.List;

/** Sends answers through the real response. Not thread-safe. */
final class Answers {
    private final HttpServletRequest request;
    private final HttpServletResponse response;

    Answers(HttpServletRequest request, HttpServletResponse response) {
        this.request = request;
        this.response = response;
    }

    HttpServletResponse response() {
        return response;
    }

    /** The values of the client's {@code Accept-Encoding}. */
    List<String> accepted() {
        return Collections.list(request.getHeaders("Accept-Encoding"));
    }

    void problem(HttpProblem problem) throws IOException {
        send(GateAnswer.of(problem));
    }

    void send(GateAnswer answer) throws IOException {
        begin(answer.status(), answer.headers());
        if (GateAnswer.mayHaveBody(answer.status())) {
            if (answer.length() >= 0) {
                response.setContentLengthLong(answer.length());
            }
            try (InputStream in = answer.open()) {
                in.transferTo(response.getOutputStream());
            }
        }
    }

    void begin(int status, List<HttpSnapshot.Header> headers) {
        response.setStatus(status);
        for (HttpSnapshot.Header header : headers) {
            // once per name, so that what a filter before the gate has set is replaced and not doubled
            boolean first = headers.stream()
                            .filter(other -> other.name().equalsIgnoreCase(header.name()))
                            .findFirst()
                            .orElse(header)
                    == header;
            if (first && !header.name().equalsIgnoreCase("Set-Cookie")) {
                response.setHeader(header.name(), header.value());
            } else {
                response.addHeader(header.name(), header.value());
            }
        }
    }

    void body(int status, BufferedBody bytes) throws IOException {
        if (GateAnswer.mayHaveBody(status)) {
            response.setContentLengthLong(bytes.size());
            bytes.copyTo(response.getOutputStream());
        }
    }
}
