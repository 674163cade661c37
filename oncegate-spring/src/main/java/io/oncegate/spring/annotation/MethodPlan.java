package io.oncegate.spring.annotation;

import io.oncegate.core.Call;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that the calls of one annotated method have in common. Immutable.
 *
 * @param label names the method for messages
 * @param joinsCaller whether the effect belongs to the caller's transaction, if there is one
 */
record MethodPlan(
        String label,
        Operation<Object> operation,
        Oncegate gate,
        boolean sameTransaction,
        boolean joinsCaller,
        ReturnShape shape,
        Formula key,
        boolean keyRequired,
        @Nullable Formula scope,
        CallerScope callers,
        @Nullable Formula fingerprint,
        List<Integer> compared) {

    /**
     * The call that these arguments make, or null if it has no key and needs none.
     *
     * @throws InvalidKeyException if key or fingerprint cannot be made
     * @throws CallerUnknownException if nobody is named
     */
    @Nullable
    Call<Object> call(@Nullable Object[] arguments) {
        Object value = evaluate(key, arguments);
        if (!keyRequired && KeyText.isMissing(value)) {
            return null;
        }
        String text;
        try {
            text = KeyText.of(value);
        } catch (UnusableException e) {
            throw refused(key, e);
        }
        return operation.call(scope(arguments), text, fingerprint(arguments));
    }

    private @Nullable Object evaluate(Formula formula, @Nullable Object[] arguments) {
        try {
            return formula.value(arguments);
        } catch (UnusableException e) {
            throw refused(formula, e);
        }
    }

    private InvalidKeyException refused(Formula formula, UnusableException why) {
        return new InvalidKeyException(label + ": " + formula.describe() + " " + why.getMessage()
                + "; nothing was run and nothing was stored");
    }

    private Scope scope(@Nullable Object[] arguments) {
        if (scope == null) {
            Scope current = currentCaller();
            if (current == null) {
                throw new CallerUnknownException(
                        label + ": the CallerScope bean names no caller; authenticate first, or set scope");
            }
            return current;
        }
        Object value = evaluate(scope, arguments);
        if (value instanceof Scope whole) {
            return whole;
        }
        if (KeyText.isMissing(value)) {
            throw new CallerUnknownException(label + ": " + scope.describe() + " names no caller");
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
            return callers.current();
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

    private Fingerprint fingerprint(@Nullable Object[] arguments) {
        Fingerprint.Builder builder = Fingerprint.builder();
        if (fingerprint != null) {
            Object value = evaluate(fingerprint, arguments);
            try {
                if (value instanceof Map<?, ?> map && map.size() <= Fingerprint.MAX_PARTS) {
                    map.forEach((name, part) -> builder.text(String.valueOf(name), CanonicalText.of(part)));
                } else {
                    builder.text("fingerprint", CanonicalText.of(value));
                }
            } catch (UnusableException e) {
                throw refused(fingerprint, e);
            }
            return builder.build();
        }
        for (int i : compared) {
            try {
                builder.text("argument" + i, CanonicalText.of(arguments[i]));
            } catch (UnusableException e) {
                throw new InvalidKeyException(label + ": argument " + i + " " + e.getMessage()
                        + "; say what is to be compared by a fingerprint expression");
            }
        }
        return builder.build();
    }
}
