package io.oncegate.spring.annotation;

import java.lang.reflect.Method;

/**
 * Tells which handler methods an HTTP gate guards. Where a method is annotated without a key expression and no bean of
 * this type guards it, it is reported as unprotected.
 */
@FunctionalInterface
public interface HandlerGate {
    /**
     * Whether the gate takes the key of this handler from the request.
     *
     * @param handler the method
     * @param controller the class of the bean
     */
    boolean guards(Method handler, Class<?> controller);
}
