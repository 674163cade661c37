package io.oncegate.shop.web;

import io.oncegate.spring.http.HttpProblem;

/** The judge does not know whether the order has been placed. */
final class UnknownOutcomeException extends GateAnswerException {
    private static final long serialVersionUID = 1L;

    UnknownOutcomeException(HttpProblem problem) {
        super(problem);
    }
}
