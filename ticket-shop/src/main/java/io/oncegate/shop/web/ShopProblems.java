package io.oncegate.shop.web;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.shop.catalog.UnknownSessionException;
import io.oncegate.shop.order.SoldOutException;
import io.oncegate.shop.order.UnknownOrderException;
import io.oncegate.spring.http.HttpProblem;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpMediaTypeException;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamReadException;

/** Every other failure as problem details (RFC 9457) that say what to do. What the caller did wrong is not logged. */
@RestControllerAdvice
class ShopProblems extends ResponseEntityExceptionHandler {
    /** When to come back after a store or the database was not there. */
    static final long RETRY_SECONDS = 2;

    private static final Logger LOG = LoggerFactory.getLogger(ShopProblems.class);

    private final Tally tally;

    ShopProblems(Tally tally) {
        this.tally = tally;
    }

    @ExceptionHandler
    ResponseEntity<Object> badOrder(BadOrderException e, WebRequest request) {
        return answer(e, HttpStatus.BAD_REQUEST, "order-invalid", e.getMessage(), request);
    }

    @ExceptionHandler
    ResponseEntity<Object> unknownSession(UnknownSessionException e, WebRequest request) {
        return answer(e, HttpStatus.NOT_FOUND, "session-unknown", e.getMessage(), request);
    }

    @ExceptionHandler
    ResponseEntity<Object> unknownOrder(UnknownOrderException e, WebRequest request) {
        return answer(e, HttpStatus.NOT_FOUND, "order-unknown", e.getMessage(), request);
    }

    @ExceptionHandler
    ResponseEntity<Object> soldOut(SoldOutException e, WebRequest request) {
        return answer(e, HttpStatus.CONFLICT, "sold-out", e.getMessage(), request);
    }

    @ExceptionHandler
    ResponseEntity<Object> unknownCaller(UnknownCallerException e, WebRequest request) {
        return answer(e, HttpStatus.UNAUTHORIZED, "caller-unknown", e.getMessage(), request);
    }

    private static HttpHeaders retryAfter(long seconds) {
        HttpHeaders headers = new HttpHeaders();
        headers.set(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
        return headers;
    }

    /** The business gate: an order of the same user for the same session is under way, or has just been placed. */
    @ExceptionHandler
    ResponseEntity<Object> orderedJustNow(InProgressException e, WebRequest request) {
        tally.doubleClick();
        ProblemDetail problem = problem(
                HttpStatus.CONFLICT,
                "ordered-just-now",
                "You have ordered seats of this session a moment ago, or that order is just being placed, so this one was"
                        + " taken for a double click and nothing has been done. If you want more, send it again after the"
                        + " time given by Retry-After, or with ?wait=true to wait for your turn.");
        return send(e, problem, retryAfter(wholeSeconds(e.retryAfter())), request);
    }

    /** Rounded up, so that whoever comes back then is not too early. */
    static long wholeSeconds(Duration time) {
        return Math.max(1, time.plusMillis(999).toSeconds());
    }

    /** The judge's own words: the gate in front did not know of the key any more. */
    @ExceptionHandler
    ResponseEntity<byte[]> judged(GateAnswerException e) {
        return answer(e.problem());
    }

    /** The order may have been placed. The engine has logged it. */
    @ExceptionHandler
    ResponseEntity<byte[]> notRecorded(OutcomeNotRecordedException e) {
        return answer(HttpProblem.of(e));
    }

    /** A store or the database does not answer. One line tells the operator, whose business it is. */
    @ExceptionHandler({
        StoreUnavailableException.class,
        DataAccessResourceFailureException.class,
        TransientDataAccessException.class,
        RecoverableDataAccessException.class,
        CannotCreateTransactionException.class,
        TransactionSystemException.class
    })
    ResponseEntity<Object> unavailable(RuntimeException e, WebRequest request) {
        warn(e);
        ProblemDetail problem = problem(
                HttpStatus.SERVICE_UNAVAILABLE,
                "unavailable",
                "The shop cannot reach its database at the moment, and nothing has been done. Send the same request again,"
                        + " with the same key if it has one, after the time given by Retry-After.");
        return send(e, problem, retryAfter(RETRY_SECONDS), request);
    }

    /** A query, or a form that the gate has not read, that Tomcat cannot take apart. */
    @ExceptionHandler
    ResponseEntity<Object> badParameters(InvalidParameterException e, WebRequest request) {
        return answer(
                e,
                HttpStatus.BAD_REQUEST,
                "parameters-invalid",
                "The query is malformed, or has too many parameters; send the address as the page or GET / names it.",
                request);
    }

    /** A defect of the shop's. */
    @ExceptionHandler
    ResponseEntity<Object> defect(Exception e, WebRequest request) {
        LOG.error("Unexpected failure", e);
        return answer(
                e, HttpStatus.INTERNAL_SERVER_ERROR, "defect", "The shop has failed; this has been noted.", request);
    }

    private static void warn(RuntimeException e) {
        Throwable cause = NestedExceptionUtils.getMostSpecificCause(e);
        LOG.warn("A request was refused with 503: {}", cause == e ? e.getMessage() : e.getMessage() + ": " + cause);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleNoResourceFoundException(
            NoResourceFoundException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return advised(e, "There is nothing at this address; GET / tells what there is.", headers, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpRequestMethodNotSupported(
            HttpRequestMethodNotSupportedException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return advised(e, "This address does not know this method; use one that Allow names.", headers, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMediaTypeNotSupported(
            HttpMediaTypeNotSupportedException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return advised(e, "Send the body as " + oneOf(e) + ", and say so in Content-Type.", headers, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMediaTypeNotAcceptable(
            HttpMediaTypeNotAcceptableException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return advised(e, "The answer is " + oneOf(e) + "; accept that.", headers, request);
    }

    private static String oneOf(HttpMediaTypeException e) {
        return e.getSupportedMediaTypes().stream().map(MediaType::toString).collect(Collectors.joining(" or "));
    }

    private @Nullable ResponseEntity<Object> advised(
            ErrorResponse e, String detail, HttpHeaders headers, WebRequest request) {
        e.getBody().setDetail(detail);
        return handleExceptionInternal((Exception) e, e.getBody(), headers, e.getStatusCode(), request);
    }

    /** Whoever has gone away while he was answered is nobody's error. */
    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotWritable(
            HttpMessageNotWritableException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return NestedExceptionUtils.getMostSpecificCause(e) instanceof IOException ? null : defect(e, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(
            HttpMessageNotReadableException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return send(e, problem(status, "order-invalid", whatIsWrong(e.getCause())), headers, request);
    }

    /** Names the place and never quotes the body. */
    private static String whatIsWrong(@Nullable Throwable cause) {
        String example = "send a JSON object like {\"sessionId\":1,\"quantity\":2}.";
        if (cause instanceof JacksonException e) {
            List<JacksonException.Reference> path = e.getPath();
            String member = path.isEmpty() ? null : path.get(0).getPropertyName();
            if (member != null && (!(e instanceof StreamReadException) || e instanceof InputCoercionException)) {
                return "The member " + member + " has a wrong value; " + example;
            }
            if (e instanceof StreamReadException) {
                return "The body is not well-formed JSON, or names a member twice (line "
                        + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr() + "); " + example;
            }
            return "The body has the wrong form; " + example;
        }
        return "There is no body that can be read; " + example;
    }

    private ResponseEntity<Object> answer(
            Exception e, HttpStatus status, String code, @Nullable String detail, WebRequest request) {
        return send(e, problem(status, code, detail), new HttpHeaders(), request);
    }

    /** A problem of the shop's own; type and code are stable. */
    static ProblemDetail problem(HttpStatusCode status, String code, @Nullable String detail) {
        ProblemDetail problem = ProblemDetail.forStatus(status);
        problem.setType(URI.create("urn:ticket-shop:problem:" + code));
        problem.setDetail(detail);
        problem.setProperty("code", code);
        return problem;
    }

    private ResponseEntity<Object> send(Exception e, ProblemDetail problem, HttpHeaders headers, WebRequest request) {
        ResponseEntity<Object> answer =
                handleExceptionInternal(e, problem, headers, HttpStatusCode.valueOf(problem.getStatus()), request);
        return answer == null ? ResponseEntity.status(problem.getStatus()).body(problem) : answer;
    }

    @Override
    protected ResponseEntity<Object> createResponseEntity(
            @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        if (body instanceof ProblemDetail problem && request instanceof ServletWebRequest asked) {
            problem.setInstance(ProblemInstance.of(asked.getRequest().getRequestURI()));
        }
        return super.createResponseEntity(body, headers, status, request);
    }

    private static ResponseEntity<byte[]> answer(HttpProblem problem) {
        ResponseEntity.BodyBuilder answer =
                ResponseEntity.status(problem.status()).contentType(MediaType.APPLICATION_PROBLEM_JSON);
        Long seconds = problem.retryAfterSeconds();
        if (seconds != null) {
            answer.header(HttpHeaders.RETRY_AFTER, seconds.toString());
        }
        return answer.body(problem.toJson());
    }
}
