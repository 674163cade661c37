package io.oncegate.core.codec;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;

/**
 * Names a type with its type arguments, which a class literal cannot: {@code new TypeRef<List<Order>>() {}}. Immutable.
 *
 * @param <T> the type
 */
public abstract class TypeRef<T> {
    private final Type type;

    /** Reads the type argument of the subclass that this constructor creates. */
    protected TypeRef() {
        if (!(getClass().getGenericSuperclass() instanceof ParameterizedType parameterized)) {
            throw new IllegalStateException("write new TypeRef<List<Order>>() {} with its type argument");
        }
        this.type = parameterized.getActualTypeArguments()[0];
    }

    private TypeRef(Type type) {
        this.type = type;
    }

    /** The reference to a class without type arguments. */
    public static <T> TypeRef<T> of(Class<T> type) {
        return new Simple<>(type);
    }

    /** The reference to a type that reflection gave, such as a method's generic return type. */
    public static TypeRef<Object> ofType(Type type) {
        return new Simple<>(type);
    }

    /** The type. */
    public final Type type() {
        return type;
    }

    @Override
    public final String toString() {
        return type.getTypeName();
    }

    private static final class Simple<T> extends TypeRef<T> {
        Simple(Type type) {
            super(type);
        }
    }
}
