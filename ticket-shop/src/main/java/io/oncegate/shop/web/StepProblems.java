package io.oncegate.shop.web;

import io.oncegate.shop.order.IllegalStepException;
import io.oncegate.shop.order.OrderEvent;
import io.oncegate.shop.payment.CardDeclinedException;
import io.oncegate.shop.payment.PaymentUnavailableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;

/** What does not happen to orders, and payments that fail, as problem details. Asked before {@link ShopProblems}. */
@RestControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE)
class StepProblems {
    private static final Logger LOG = LoggerFactory.getLogger(StepProblems.class);

    @ExceptionHandler
    ResponseEntity<ProblemDetail> illegal(IllegalStepException e, ServletWebRequest request) {
        ProblemDetail problem = ShopProblems.problem(HttpStatus.CONFLICT, "step-illegal", e.getMessage());
        problem.setProperty("state", e.state().name());
        problem.setProperty(
                "allowedEvents", e.allowed().stream().map(OrderEvent::word).toList());
        return answer(problem, 0, request);
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> declined(CardDeclinedException e, ServletWebRequest request) {
        return answer(
                ShopProblems.problem(HttpStatus.PAYMENT_REQUIRED, "payment-declined", e.getMessage()), 0, request);
    }

    /** The payment provider does not work. One line tells the operator. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> unavailable(PaymentUnavailableException e, ServletWebRequest request) {
        LOG.warn("A payment was refused with 503: {}", e.getMessage());
        ProblemDetail problem = ShopProblems.problem(
                HttpStatus.SERVICE_UNAVAILABLE,
                "payment-unavailable",
                "The payment provider does not work at the moment, and nothing was taken. Send the same request again after"
                        + " the time given by Retry-After, or cancel the order.");
        return answer(problem, ShopProblems.RETRY_SECONDS, request);
    }

    /** 503, which the gate in front does not keep: the same request finds out. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> unknown(PaymentUnknownException e, ServletWebRequest request) {
        ProblemDetail problem = ShopProblems.problem(HttpStatus.SERVICE_UNAVAILABLE, "payment-unknown", e.getMessage());
        return answer(problem, ShopProblems.wholeSeconds(e.retryAfter()), request);
    }

    private static ResponseEntity<ProblemDetail> answer(
            ProblemDetail problem, long retryAfterSeconds, ServletWebRequest request) {
        problem.setInstance(ProblemInstance.of(request.getRequest().getRequestURI()));
        ResponseEntity.BodyBuilder answer =
                ResponseEntity.status(problem.getStatus()).contentType(MediaType.APPLICATION_PROBLEM_JSON);
        if (retryAfterSeconds > 0) {
            answer.header(HttpHeaders.RETRY_AFTER, Long.toString(retryAfterSeconds));
        }
        return answer.body(problem);
    }
}
