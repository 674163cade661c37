package io.oncegate.spring.mvc;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;

/**
 * Forwards within the gate. After a forward Tomcat looks through all wrappers for its own response and finishes it, and
 * then nothing could be sent through it any more: so for that time it is not to be found.
 */
final class GatedDispatcher implements RequestDispatcher {
    private final RequestDispatcher dispatcher;
    private final GatedResponse held;

    private GatedDispatcher(RequestDispatcher dispatcher, GatedResponse held) {
        this.dispatcher = dispatcher;
        this.held = held;
    }

    /** Those of spring-test run nothing, and look for their own response: they stay as they are. */
    static RequestDispatcher of(RequestDispatcher dispatcher, GatedResponse held) {
        boolean mock = dispatcher.getClass().getName().startsWith("org.springframework.mock.web.");
        return mock ? dispatcher : new GatedDispatcher(dispatcher, held);
    }

    @Override
    public void forward(ServletRequest request, ServletResponse response) throws ServletException, IOException {
        held.hideReal(true);
        try {
            dispatcher.forward(request, response);
        } finally {
            held.hideReal(false);
        }
    }

    @Override
    public void include(ServletRequest request, ServletResponse response) throws ServletException, IOException {
        dispatcher.include(request, response);
    }
}
