package io.oncegate.spring.mvc;

import io.oncegate.spring.http.HttpProblem;

/** A body that the gate does not take. */
final class RefusedBody extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient HttpProblem problem;

    RefusedBody(HttpProblem problem) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    HttpProblem problem() {
        return problem;
    }
}
