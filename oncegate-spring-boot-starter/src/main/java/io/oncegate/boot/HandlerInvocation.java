package io.oncegate.boot;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;

/**
 * A call of a handler that goes no further than its checks: where the handler would run, it is noted that it was reached.
 * Its arguments are not known, so all of them are null.
 */
final class HandlerInvocation implements MethodInvocation {
    private final HandlerMethod handler;
    private final Supplier<@Nullable Object> instead;
    private volatile boolean reached;

    HandlerInvocation(HandlerMethod handler, Supplier<@Nullable Object> instead) {
        this.handler = handler.createWithResolvedBean();
        this.instead = instead;
    }

    boolean reached() {
        return reached;
    }

    @Override
    public Method getMethod() {
        return handler.getMethod();
    }

    @Override
    public @Nullable Object[] getArguments() {
        return new Object[handler.getMethod().getParameterCount()];
    }

    @Override
    public @Nullable Object proceed() {
        reached = true;
        return instead.get();
    }

    @Override
    public Object getThis() {
        return handler.getBean();
    }

    @Override
    public AccessibleObject getStaticPart() {
        return handler.getMethod();
    }
}
