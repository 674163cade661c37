package io.oncegate.spring.webflux;

import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.internal.GateAnswer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Sends answers through the real response. */
final class Answers {
    private final ServerWebExchange exchange;
    private final ServerHttpResponse response;

    Answers(ServerWebExchange exchange) {
        this.exchange = exchange;
        this.response = exchange.getResponse();
    }

    /** The values of the client's {@code Accept-Encoding}. */
    List<String> accepted() {
        return exchange.getRequest().getHeaders().getOrEmpty("Accept-Encoding");
    }

    Mono<Void> problem(HttpProblem problem) {
        return send(GateAnswer.of(problem));
    }

    Mono<Void> send(GateAnswer answer) {
        begin(answer.status(), answer.headers());
        return body(
                answer.status(),
                answer.length(),
                DataBufferUtils.readInputStream(answer::open, response.bufferFactory(), 8192));
    }

    /** Sends what the handlers have answered. */
    Mono<Void> send(HeldResponse held) {
        begin(held.status(), held.headerLines());
        held.getCookies().values().forEach(cookies -> cookies.forEach(response::addCookie));
        return body(held.status(), held.body().size(), GatedExchange.content(held.body(), response.bufferFactory()));
    }

    private void begin(int status, List<HttpSnapshot.Header> lines) {
        response.setStatusCode(HttpStatusCode.valueOf(status));
        Set<String> replaced = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        for (HttpSnapshot.Header line : lines) {
            // once per name, so that what a filter before the gate has set is replaced and not doubled
            if (replaced.add(line.name()) && !line.name().equalsIgnoreCase("Set-Cookie")) {
                response.getHeaders().set(line.name(), line.value());
            } else {
                response.getHeaders().add(line.name(), line.value());
            }
        }
    }

    private Mono<Void> body(int status, long length, Flux<DataBuffer> content) {
        if (!GateAnswer.mayHaveBody(status)) {
            return response.setComplete();
        }
        if (length >= 0) {
            response.getHeaders().setContentLength(length);
        }
        return length == 0 ? response.setComplete() : response.writeWith(content);
    }
}
