package io.oncegate.shop.web;

import io.oncegate.spring.http.HttpProblem;

/** The judge has no order to give: the request is answered with this problem. */
class GateAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient HttpProblem problem;

    GateAnswerException(HttpProblem problem) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    HttpProblem problem() {
        return problem;
    }
}
