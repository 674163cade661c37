package io.oncegate.spring.annotation;

import io.oncegate.core.Outcome;
import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.InvalidJsonException;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.KeyExpiredException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.OncegateException;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.OutcomeUnknownException;
import io.oncegate.core.error.ResultUnavailableException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.ProblemCode;
import io.oncegate.spring.internal.Misuse;
import java.time.Duration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers the errors of annotated methods below a controller, MVC or WebFlux, with the problems of the HTTP gate instead of
 * 500. To be registered as a bean. Thread-safe.
 */
@RestControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE + 100) // before an application's handler of all exceptions
public final class IdempotentExceptionAdvice {
    private static final Duration SOON = Duration.ofSeconds(1);

    /** The texts of problems do not depend on the key. */
    private static final OperationKey ANY = OperationKey.of("any", Scope.global(), "any");

    /** Creates the bean. */
    public IdempotentExceptionAdvice() {}

    /** The problem's answer. */
    @ExceptionHandler(OncegateException.class)
    public ResponseEntity<byte[]> problem(OncegateException failure) {
        if (failure instanceof Misuse) {
            throw failure; // goes on as it came: 500
        }
        HttpProblem problem = problemOf(failure);
        ResponseEntity.BodyBuilder answer =
                ResponseEntity.status(problem.status()).contentType(MediaType.parseMediaType(HttpProblem.CONTENT_TYPE));
        Long seconds = problem.retryAfterSeconds();
        if (seconds != null) {
            answer.header(HttpHeaders.RETRY_AFTER, String.valueOf(seconds));
        }
        return answer.body(problem.toJson());
    }

    /** The problem that an exception stands for. */
    static HttpProblem problemOf(OncegateException failure) {
        if (failure instanceof InProgressException e) {
            return HttpProblem.of(new Outcome.Held<>(ANY, e.retryAfter()));
        } else if (failure instanceof MismatchException e) {
            return HttpProblem.of(new Outcome.Mismatch<>(ANY, e.parts()));
        } else if (failure instanceof ResultUnavailableException e) {
            return HttpProblem.of(new Outcome.NoResult<>(ANY, e.state().equals("refused")));
        } else if (failure instanceof OutcomeUnknownException e) {
            return HttpProblem.of(new Outcome.Unknown<>(ANY, null, e.retryAfter()));
        } else if (failure instanceof KeyExpiredException e) {
            return HttpProblem.of(new Outcome.Expired<>(ANY, e.fromFuture()));
        } else if (failure instanceof StoreUnavailableException e) {
            return HttpProblem.of(e, SOON);
        } else if (failure instanceof OutcomeNotRecordedException e) {
            return HttpProblem.of(e);
        } else if (failure instanceof CallerUnknownException) {
            return HttpProblem.of(ProblemCode.CALLER_UNKNOWN, "Nobody is named for whom this request could be kept.");
        } else if (failure instanceof RecursiveCallException) {
            return HttpProblem.of(new Outcome.Held<>(ANY, SOON));
        } else if (failure instanceof InvalidKeyException) {
            return HttpProblem.of(
                    ProblemCode.KEY_INVALID,
                    "The request has no usable idempotency key: a value that it is made of is missing, blank, too long or"
                            + " without a stable form.");
        } else if (failure instanceof InvalidJsonException) {
            return HttpProblem.of(
                    ProblemCode.BODY_INVALID, "The request holds a text that is not the JSON it should be.");
        }
        return HttpProblem.of(new Outcome.Unknown<>(ANY, null, null));
    }
}
