package io.oncegate.spring.annotation;

import io.oncegate.core.Operation;

/**
 * Says what an annotation cannot: a reconciler, a refusal with data of its own, a codec, late records. Each bean of this
 * type is asked once for each annotated method, at start-up, after the annotation's attributes have been applied.
 */
@FunctionalInterface
public interface OperationCustomizer {
    /**
     * Changes the policies of one operation.
     *
     * @param operation its name
     * @param policies to be changed; {@code returning} is not to be called
     */
    void customize(String operation, Operation.Builder<Object> policies);
}
