package io.oncegate.spring.mvc;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;

/** Records and sends the answer before the container is told that it is complete. */
final class GatedAsyncContext implements AsyncContext {
    private final AsyncContext context;
    private final Exchange exchange;

    GatedAsyncContext(AsyncContext context, Exchange exchange) {
        this.context = context;
        this.exchange = exchange;
    }

    @Override
    public void complete() {
        try {
            exchange.finishQuietly();
        } finally {
            context.complete();
        }
    }

    @Override
    public ServletRequest getRequest() {
        return context.getRequest();
    }

    @Override
    public ServletResponse getResponse() {
        return context.getResponse();
    }

    @Override
    public boolean hasOriginalRequestAndResponse() {
        return context.hasOriginalRequestAndResponse();
    }

    @Override
    public void dispatch() {
        context.dispatch();
    }

    @Override
    public void dispatch(String path) {
        context.dispatch(path);
    }

    @Override
    public void dispatch(ServletContext servletContext, String path) {
        context.dispatch(servletContext, path);
    }

    @Override
    public void start(Runnable run) {
        context.start(run);
    }

    @Override
    public void addListener(AsyncListener listener) {
        context.addListener(listener);
    }

    @Override
    public void addListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
        context.addListener(listener, request, response);
    }

    @Override
    public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
        return context.createListener(type);
    }

    @Override
    public void setTimeout(long timeout) {
        context.setTimeout(timeout);
    }

    @Override
    public long getTimeout() {
        return context.getTimeout();
    }
}
