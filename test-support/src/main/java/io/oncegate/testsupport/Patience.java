package io.oncegate.testsupport;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.BooleanSupplier;

/**
 * Waits long for what has to be answered, and not for long where no answer can come: so that a test of a broken line is
 * quick, and a machine that stands still does not fail it where the line is whole.
 */
public final class Patience {

    private Patience() {}

    /**
     * The same thing with two bounds: each call goes to the impatient one while this is true, else to the patient one.
     *
     * @param type an interface of both
     */
    public static <T> T unless(BooleanSupplier broken, Class<T> type, T patient, T impatient) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return method.invoke(broken.getAsBoolean() ? impatient : patient, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
