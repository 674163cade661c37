package io.oncegate.spring.internal;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.OncegateException;
import io.oncegate.core.key.Scope;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes key and scope of the calls of one annotated method from its expressions. Immutable.
 *
 * @param label names the method for messages
 * @param scope says who asks, or null where the bean does
 * @param callers asks the bean that names the caller
 * @param unknown makes the exception for a call of nobody
 */
public record CallKey(
        String label,
        Formula key,
        @Nullable Formula scope,
        Supplier<@Nullable Scope> callers,
        Function<String, ? extends OncegateException> unknown) {

    /**
     * The key's text, or null if there is none and none is needed.
     *
     * @throws InvalidKeyException if it cannot be made
     */
    public @Nullable String value(@Nullable Object[] arguments, boolean required) {
        Object value = evaluate(key, arguments);
        if (!required && KeyText.isMissing(value)) {
            return null;
        }
        try {
            return KeyText.of(value);
        } catch (UnusableException e) {
            throw refused(key, e);
        }
    }

    /** The scope; throws if nobody is named. */
    public Scope scope(@Nullable Object[] arguments) {
        if (scope == null) {
            Scope current = currentCaller();
            if (current == null) {
                throw unknown.apply(label + ": the CallerScope bean names no caller; authenticate first, or set scope");
            }
            return current;
        }
        Object value = evaluate(scope, arguments);
        if (value instanceof Scope whole) {
            return whole;
        }
        if (KeyText.isMissing(value)) {
            throw unknown.apply(label + ": " + scope.describe() + " names no caller");
        }
        try {
            return Scope.of(parts(value).toArray(String[]::new));
        } catch (UnusableException e) {
            throw refused(scope, e);
        }
    }

    /** A scope that cannot be made, of a blank name for example, names nobody either. */
    private @Nullable Scope currentCaller() {
        try {
            return callers.get();
        } catch (InvalidKeyException e) {
            return null;
        }
    }

    private static List<String> parts(@Nullable Object value) {
        List<String> parts = new ArrayList<>();
        if (value instanceof Collection<?> several) {
            several.forEach(part -> parts.add(KeyText.of(part)));
        } else if (value instanceof Object[] several) {
            for (Object part : several) {
                parts.add(KeyText.of(part));
            }
        } else if (value instanceof Principal principal) {
            parts.add(KeyText.of(principal.getName()));
        } else {
            parts.add(KeyText.of(value));
        }
        return parts;
    }

    /**
     * The value of an expression of this method.
     *
     * @throws InvalidKeyException if it has none
     */
    public @Nullable Object evaluate(Formula formula, @Nullable Object[] arguments) {
        try {
            return formula.value(arguments);
        } catch (UnusableException e) {
            throw refused(formula, e);
        }
    }

    /** The exception that says what an expression gave. */
    public InvalidKeyException refused(Formula formula, UnusableException why) {
        return new InvalidKeyException(label + ": " + formula.describe() + " " + why.getMessage()
                + "; nothing was run and nothing was stored");
    }
}
