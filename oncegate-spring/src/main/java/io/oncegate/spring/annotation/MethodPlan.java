package io.oncegate.spring.annotation;

import io.oncegate.core.Call;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.spring.internal.CallKey;
import io.oncegate.spring.internal.CanonicalText;
import io.oncegate.spring.internal.Formula;
import io.oncegate.spring.internal.ReturnShape;
import io.oncegate.spring.internal.UnusableException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that the calls of one annotated method have in common. Immutable.
 *
 * @param joinsCaller whether the effect belongs to the caller's transaction, if there is one
 */
record MethodPlan(
        Operation<Object> operation,
        Oncegate gate,
        boolean sameTransaction,
        boolean joinsCaller,
        ReturnShape shape,
        CallKey key,
        boolean keyRequired,
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
        String text = key.value(arguments, keyRequired);
        return text == null ? null : operation.call(key.scope(arguments), text, fingerprint(arguments));
    }

    private Fingerprint fingerprint(@Nullable Object[] arguments) {
        Fingerprint.Builder builder = Fingerprint.builder();
        if (fingerprint != null) {
            Object value = key.evaluate(fingerprint, arguments);
            try {
                if (value instanceof Map<?, ?> map && map.size() <= Fingerprint.MAX_PARTS) {
                    map.forEach((name, part) -> builder.text(String.valueOf(name), CanonicalText.of(part)));
                } else {
                    builder.text("fingerprint", CanonicalText.of(value));
                }
            } catch (UnusableException e) {
                throw key.refused(fingerprint, e);
            }
            return builder.build();
        }
        for (int i : compared) {
            try {
                builder.text("argument" + i, CanonicalText.of(arguments[i]));
            } catch (UnusableException e) {
                throw new InvalidKeyException(key.label() + ": argument " + i + " " + e.getMessage()
                        + "; say what is to be compared by a fingerprint expression");
            }
        }
        return builder.build();
    }
}
