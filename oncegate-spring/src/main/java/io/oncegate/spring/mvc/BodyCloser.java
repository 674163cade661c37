package io.oncegate.spring.mvc;

import io.oncegate.spring.http.BufferedBody;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import java.io.IOException;

/** Closes a body when an asynchronous request that went through without a key is complete. */
final class BodyCloser implements AsyncListener {
    private final BufferedBody body;

    BodyCloser(BufferedBody body) {
        this.body = body;
    }

    @Override
    public void onComplete(AsyncEvent event) throws IOException {
        body.close();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        // it completes afterwards
    }

    @Override
    public void onError(AsyncEvent event) {
        // it completes afterwards
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this);
    }
}
