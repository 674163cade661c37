package io.oncegate.core;

import io.oncegate.core.codec.TypeRef;
import java.util.function.Function;

/**
 * Tells how a definitive business refusal is kept, so that a repetition meets the same typed exception.
 *
 * @param code stable short name under which it is stored, never a class name
 * @param type the exception that the business throws
 * @param dataType the type of what is kept of it
 * @param toData takes from the exception what is kept
 * @param toException makes the exception again
 * @param <X> the exception
 * @param <D> what is kept
 */
record Refusal<X extends RuntimeException, D>(
        String code, Class<X> type, TypeRef<D> dataType, Function<X, D> toData, Function<D, X> toException) {}
