package io.oncegate.spring.lock;

import io.oncegate.core.Operation;
import io.oncegate.core.WhenStoreDown;
import io.oncegate.core.codec.BasicCodec;
import io.oncegate.core.codec.ResultCodec;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.LockListener;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.Locks;
import io.oncegate.spring.annotation.CallerScope;
import io.oncegate.spring.annotation.CallerUnknownException;
import io.oncegate.spring.internal.Arguments;
import io.oncegate.spring.internal.Attributes;
import io.oncegate.spring.internal.CallKey;
import io.oncegate.spring.internal.Formula;
import io.oncegate.spring.internal.ReturnShape;
import io.oncegate.spring.internal.TransactionRules;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Makes the plan of an annotated method and finds what is wrong with it. */
final class LockPlanFactory {
    private final ConfigurableListableBeanFactory beans;
    private final Attributes attributes;

    LockPlanFactory(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
        this.attributes = new Attributes(beans);
    }

    /** The plan; not to be used if there are problems. */
    @Nullable
    LockPlan plan(Method method, Class<?> type, List<String> problems) {
        LockSettings settings = LockSettings.of(method);
        if (settings == null) {
            problems.add("is not annotated");
            return null;
        }
        if (LockSettings.areBothOn(method)) {
            problems.add("is @Locked and @OncePerWindow; take one: a window excludes others also while its call runs");
        }
        String operation = operation(settings, problems);
        LockOptions options = options(settings, problems);
        Duration wait = wait(settings, problems);
        Locks locks = locks(settings, problems);
        ReturnShape shape = ReturnShape.of(method, type, Attributes.isAsync(method, type), problems);
        LockResults results = results(settings, shape, problems);
        CallKey key = key(settings, method, type, problems);
        if (locks == null || key == null) {
            return null;
        }
        return new LockPlan(
                operation,
                locks,
                options,
                wait,
                settings.whenHeld(),
                settings.whenStoreDown() == WhenStoreDown.RUN_UNPROTECTED,
                settings.failOnLost(),
                settings.keepOn(),
                !LockDoor.TRANSACTIONS || TransactionRules.joinsCaller(method, type),
                shape,
                key,
                results,
                beans.getBeanProvider(LockListener.class).orderedStream().toList(),
                new AtomicBoolean());
    }

    private String operation(LockSettings settings, List<String> problems) {
        String name = attributes.resolved("operation", settings.operation(), problems);
        if (name.isBlank()) {
            problems.add("has no operation name; give one that outlives refactoring, like account.change");
        } else {
            Attributes.gather(problems, () -> OperationKey.requireOperationName(name));
        }
        return name;
    }

    private LockOptions options(LockSettings settings, List<String> problems) {
        Duration lease = attributes.duration("lease", settings.lease(), problems);
        Duration maxHold = attributes.duration("maxHold", settings.maxHold(), problems);
        Duration window = null;
        if (settings.window() != null) {
            window = attributes.duration("window", settings.window(), problems);
            if (settings.window().isBlank()) {
                problems.add("has no window; say how long others are refused, like 5s");
            }
        }
        try {
            return new LockOptions(
                    lease == null ? LockOptions.DEFAULT_LEASE : lease,
                    settings.renewed(),
                    maxHold == null ? LockOptions.DEFAULT_MAX_HOLD : maxHold,
                    window,
                    settings.whenHeld() == WhenHeld.RESULT);
        } catch (IllegalArgumentException e) {
            problems.add(String.valueOf(e.getMessage()));
            return LockOptions.untilDone();
        }
    }

    private Duration wait(LockSettings settings, List<String> problems) {
        Duration wait = attributes.duration("waitUpTo", settings.waitUpTo(), problems);
        boolean waits = settings.whenHeld() == WhenHeld.WAIT
                || (settings.whenHeld() == WhenHeld.RESULT && settings.window() == null);
        if (wait == null) {
            if (waits && settings.waitUpTo().isBlank()) {
                problems.add(
                        "has whenHeld = " + settings.whenHeld() + " but no waitUpTo; say how long a call may wait");
            }
            return Duration.ZERO;
        }
        if (settings.whenHeld() == WhenHeld.REFUSE) {
            problems.add("has a waitUpTo but refuses at once; set whenHeld = WAIT or RESULT, or take waitUpTo away");
        }
        if (wait.compareTo(Locks.MAX_WAIT) > 0 || wait.isNegative() || (wait.isZero() && waits)) {
            problems.add("waitUpTo [" + settings.waitUpTo() + "] is not between 0 and " + Locks.MAX_WAIT);
        }
        return wait;
    }

    private @Nullable Locks locks(LockSettings settings, List<String> problems) {
        String name = attributes.resolved("locks", settings.locks(), problems);
        if (name.isBlank()) {
            return attributes.only(
                    Locks.class,
                    "has no locks: there is no Locks bean; add one",
                    "has no locks: there are several Locks beans; name one by locks, or mark one as primary",
                    problems);
        }
        try {
            return beans.getBean(name, Locks.class);
        } catch (BeansException e) {
            problems.add("locks [" + name + "] is no bean of the type Locks; name one that is");
            return null;
        }
    }

    private @Nullable LockResults results(LockSettings settings, ReturnShape shape, List<String> problems) {
        if (settings.whenHeld() != WhenHeld.RESULT) {
            return null;
        }
        if (settings.maxResultBytes() < 1 || settings.maxResultBytes() > Operation.DEFAULT_MAX_RESULT_BYTES) {
            problems.add("maxResultBytes is " + settings.maxResultBytes() + "; allow 1 to "
                    + Operation.DEFAULT_MAX_RESULT_BYTES);
        }
        ResultCodec codec = beans.getBeanProvider(ResultCodec.class).getIfUnique();
        if (codec == null) {
            codec = new BasicCodec();
        }
        if (shape.stored() != Void.class && !codec.supports(shape.stored())) {
            problems.add("whenHeld = RESULT: codec " + codec.id() + " cannot store "
                    + shape.stored().getTypeName()
                    + "; add one ResultCodec bean that can, such as the one in oncegate-jackson");
        }
        return new LockResults(codec, shape.stored(), settings.maxResultBytes());
    }

    private @Nullable CallKey key(LockSettings settings, Method method, Class<?> type, List<String> problems) {
        Arguments arguments = attributes.arguments(method, type);
        if (settings.key().isBlank()) {
            problems.add(
                    "has no key expression; set key. A quoted text ('all') makes one lock for all calls of a scope");
            return null;
        }
        Formula scope = settings.scope().isBlank() ? null : new Formula("scope", settings.scope(), arguments, problems);
        CallerScope callers = scope == null
                ? attributes.only(
                        CallerScope.class,
                        "has no scope, and there is no CallerScope bean; add one that names the caller, set scope, or say"
                                + " scope = Locked.GLOBAL if the calls of all callers exclude each other",
                        "has no scope, and there are several CallerScope beans; mark one as primary, or set scope",
                        problems)
                : null;
        return new CallKey(
                Attributes.label(method, type),
                new Formula("key", settings.key(), arguments, problems),
                scope,
                callers == null ? () -> null : callers::current,
                CallerUnknownException::new);
    }
}
