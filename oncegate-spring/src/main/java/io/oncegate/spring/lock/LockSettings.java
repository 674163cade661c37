package io.oncegate.spring.lock;

import io.oncegate.core.WhenStoreDown;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * What an annotation says, of both kinds.
 *
 * @param window null for a hold until done
 */
record LockSettings(
        String annotation,
        String operation,
        String key,
        String scope,
        @Nullable String window,
        List<Class<? extends Throwable>> keepOn,
        String lease,
        boolean renewed,
        String maxHold,
        WhenHeld whenHeld,
        String waitUpTo,
        WhenStoreDown whenStoreDown,
        int maxResultBytes,
        boolean failOnLost,
        String locks) {

    /** Whether the method, or one which it overrides or implements, is annotated. */
    static boolean isOn(Method method) {
        return locked(method) != null || window(method) != null;
    }

    static boolean areBothOn(Method method) {
        return locked(method) != null && window(method) != null;
    }

    static @Nullable LockSettings of(Method method) {
        Locked locked = locked(method);
        if (locked != null) {
            return new LockSettings(
                    "@Locked",
                    locked.operation(),
                    locked.key(),
                    locked.scope(),
                    null,
                    List.of(),
                    locked.lease(),
                    locked.renewed(),
                    locked.maxHold(),
                    locked.whenHeld(),
                    locked.waitUpTo(),
                    locked.whenStoreDown(),
                    locked.maxResultBytes(),
                    locked.failOnLost(),
                    locked.locks());
        }
        OncePerWindow window = window(method);
        return window == null
                ? null
                : new LockSettings(
                        "@OncePerWindow",
                        window.operation(),
                        window.key(),
                        window.scope(),
                        window.window(),
                        List.of(window.keepOn()),
                        window.lease(),
                        window.renewed(),
                        window.maxHold(),
                        window.whenHeld(),
                        window.waitUpTo(),
                        window.whenStoreDown(),
                        window.maxResultBytes(),
                        window.failOnLost(),
                        window.locks());
    }

    private static @Nullable Locked locked(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, Locked.class);
    }

    private static @Nullable OncePerWindow window(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, OncePerWindow.class);
    }
}
