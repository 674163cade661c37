package io.oncegate.spring.internal;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** What the advices of annotated methods do alike with an invocation and with what comes of it. */
public final class Invocations {
    private Invocations() {}

    /** An invocation that may go on after, and more often than, the call. */
    public static MethodInvocation own(MethodInvocation invocation) {
        return invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
    }

    /** Waits for the end, also on a thread that is to stop: the work goes on elsewhere, so its key must not be freed. */
    public static @Nullable Object awaited(@Nullable Future<?> future) throws Throwable {
        boolean interrupted = false;
        try {
            while (future != null) {
                try {
                    return future.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return null;
        } catch (ExecutionException e) {
            throw e.getCause() == null ? e : e.getCause();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The failure itself, without what stages and futures wrap around it. */
    public static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
