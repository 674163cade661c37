package io.oncegate.spring.annotation;

import io.oncegate.core.Operation;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes declared refusals again from their message. */
final class RefusalForms {
    private RefusalForms() {}

    /** Declares an exception as a refusal of the operation, kept under its simple name. */
    static <X extends RuntimeException> void declare(
            Operation.Builder<Object> builder, Class<X> type, List<String> problems) {
        Function<String, X> again = again(type);
        if (again == null || Modifier.isAbstract(type.getModifiers())) {
            problems.add(
                    "the refusal " + type.getName() + " cannot be made again: it needs a constructor that takes the"
                            + " message, or none; else declare it by an OperationCustomizer");
            return;
        }
        try {
            builder.refusal(type.getSimpleName(), type, again);
        } catch (RuntimeException e) {
            problems.add("the refusal " + type.getName() + ": " + e.getMessage());
        }
    }

    private static <X> @Nullable Function<String, X> again(Class<X> type) {
        Constructor<X> withMessage = constructor(type, String.class);
        if (withMessage != null) {
            return message -> create(withMessage, message);
        }
        Constructor<X> plain = constructor(type);
        return plain == null ? null : message -> create(plain);
    }

    private static <X> @Nullable Constructor<X> constructor(Class<X> type, Class<?>... parameters) {
        try {
            Constructor<X> constructor = type.getDeclaredConstructor(parameters);
            constructor.setAccessible(true);
            return constructor;
        } catch (NoSuchMethodException | RuntimeException e) {
            return null;
        }
    }

    private static <X> X create(Constructor<X> constructor, Object... arguments) {
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("the refusal's constructor failed", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the refusal cannot be made again", e);
        }
    }
}
