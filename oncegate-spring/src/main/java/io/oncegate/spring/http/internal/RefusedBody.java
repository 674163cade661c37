package io.oncegate.spring.http.internal;

import io.oncegate.spring.http.HttpProblem;

/** A body that the gate does not take. */
public final class RefusedBody extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient HttpProblem problem;

    /** Creates the exception. */
    public RefusedBody(HttpProblem problem) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    /** What the request is answered with. */
    public HttpProblem problem() {
        return problem;
    }
}
