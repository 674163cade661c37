package io.oncegate.spring.lock;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.LockListener;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.Locks;
import io.oncegate.spring.internal.CallKey;
import io.oncegate.spring.internal.ReturnShape;
import io.oncegate.spring.internal.ReturnShape.ReleasedAnswer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * All that the calls of one annotated method have in common. Immutable, but for what was warned of.
 *
 * @param joinsCaller whether the effect belongs to the caller's transaction, if there is one
 * @param results of methods whose result others are given, else null
 * @param warned whether it has been warned of old snapshots
 */
record LockPlan(
        String operation,
        Locks locks,
        LockOptions options,
        Duration waitUpTo,
        WhenHeld whenHeld,
        boolean runUnprotected,
        boolean failOnLost,
        List<Class<? extends Throwable>> keepOn,
        boolean joinsCaller,
        ReturnShape shape,
        CallKey callKey,
        @Nullable LockResults results,
        List<LockListener> listeners,
        AtomicBoolean warned) {

    String label() {
        return callKey.label();
    }

    OperationKey key(@Nullable Object[] arguments) {
        String text = callKey.value(arguments, true);
        if (text == null) {
            throw new IllegalStateException("a key that is required is never null");
        }
        return OperationKey.of(operation, callKey.scope(arguments), text);
    }

    /** How the hold of a call ends that returned this. */
    Ending returned(OperationKey key, @Nullable Object result) {
        Object stored;
        try {
            stored = shape.toStored(result);
        } catch (ReleasedAnswer released) {
            return new Ending(false, null, result); // an answer, such as 500, that says that nothing has happened
        }
        return new Ending(true, results == null ? null : results.encode(key, stored), result);
    }

    /** How the hold of a call ends that threw this. */
    Ending threw(Throwable failure) {
        return keepOn.stream().anyMatch(type -> type.isInstance(failure)) ? Ending.UNKNOWN : Ending.NOTHING;
    }
}
