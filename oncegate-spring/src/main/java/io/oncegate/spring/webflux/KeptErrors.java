package io.oncegate.spring.webflux;

import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.StatusRules;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Renders the errors that leave the handlers and are to be kept. In WebFlux that is done outside of all filters, and so too
 * late for an answer to be recorded; here the same handlers do it within.
 */
final class KeptErrors {
    private final IdempotentRoute route;
    private final GatedExchange exchange;
    private final HeldResponse response;

    KeptErrors(IdempotentRoute route, GatedExchange exchange, HeldResponse response) {
        this.route = route;
        this.exchange = exchange;
        this.response = response;
    }

    /** Renders it, or fails with it if it is not one that is kept. */
    Mono<Void> render(Throwable failure) {
        Integer status = statusOf(failure);
        if (status == null || response.isCommitted() || route.statuses().of(status) != StatusRules.Meaning.KEEP) {
            return Mono.error(failure);
        }
        Mono<Void> rendered = Mono.error(failure);
        for (WebExceptionHandler handler : handlers()) {
            rendered = rendered.onErrorResume(error -> handler.handle(exchange, error));
        }
        return rendered.onErrorResume(error -> response.isCommitted() ? Mono.error(error) : plain(status, failure))
                .then(Mono.defer(response::setComplete));
    }

    private static @Nullable Integer statusOf(Throwable failure) {
        if (failure instanceof ErrorResponse error) {
            return error.getStatusCode().value();
        }
        ResponseStatus named = AnnotatedElementUtils.findMergedAnnotation(failure.getClass(), ResponseStatus.class);
        return named == null ? null : named.code().value();
    }

    private List<WebExceptionHandler> handlers() {
        ApplicationContext context = exchange.getApplicationContext();
        return context == null
                ? List.of()
                : context.getBeanProvider(WebExceptionHandler.class)
                        .orderedStream()
                        .toList();
    }

    private Mono<Void> plain(int status, Throwable failure) {
        HttpStatus known = HttpStatus.resolve(status);
        String detail = failure instanceof ResponseStatusException error ? error.getReason() : null;
        byte[] json = HttpProblem.plainJson(status, known == null ? "Error" : known.getReasonPhrase(), detail);
        response.setStatusCode(HttpStatusCode.valueOf(status));
        response.getHeaders().set("Content-Type", HttpProblem.CONTENT_TYPE);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(json)));
    }
}
