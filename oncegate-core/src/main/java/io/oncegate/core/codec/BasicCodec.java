package io.oncegate.core.codec;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Stores the simple types of the platform without any library: text, bytes, numbers, booleans, enums, UUIDs, instants,
 * dates and durations, each as its standard text. Other types need a codec such as the one in oncegate-jackson.
 * Thread-safe.
 */
public final class BasicCodec implements ResultCodec {
    private static final Map<Type, Function<String, Object>> READERS = Map.ofEntries(
            Map.entry(String.class, text -> text),
            Map.entry(Boolean.class, BasicCodec::bool),
            Map.entry(Byte.class, Byte::valueOf),
            Map.entry(Short.class, Short::valueOf),
            Map.entry(Integer.class, Integer::valueOf),
            Map.entry(Long.class, Long::valueOf),
            Map.entry(Float.class, Float::valueOf),
            Map.entry(Double.class, Double::valueOf),
            Map.entry(BigInteger.class, BigInteger::new),
            Map.entry(BigDecimal.class, BigDecimal::new),
            Map.entry(UUID.class, UUID::fromString),
            Map.entry(Instant.class, Instant::parse),
            Map.entry(LocalDate.class, LocalDate::parse),
            Map.entry(LocalDateTime.class, LocalDateTime::parse),
            Map.entry(Duration.class, Duration::parse));

    /** Creates the codec. */
    public BasicCodec() {}

    @Override
    public String id() {
        return "basic1";
    }

    @Override
    public boolean supports(Type type) {
        return type == byte[].class || type == Void.class || READERS.containsKey(type) || enumClass(type) != null;
    }

    @Override
    public byte[] encode(Object value, Type type) {
        if (value instanceof byte[] bytes && type == byte[].class) {
            return bytes.clone();
        }
        Class<?> enumClass = enumClass(type);
        if (enumClass != null && enumClass.isInstance(value)) {
            return ((Enum<?>) value).name().getBytes(StandardCharsets.UTF_8);
        }
        if (READERS.containsKey(type) && value.getClass() == type) {
            byte[] bytes = value.toString().getBytes(StandardCharsets.UTF_8);
            if (value instanceof String text && !new String(bytes, StandardCharsets.UTF_8).equals(text)) {
                throw new ResultCodecException("a text with unpaired surrogates has no stored form", null);
            }
            return bytes;
        }
        throw new ResultCodecException(
                "a value of " + value.getClass().getName() + " is not the declared " + type.getTypeName()
                        + ", or needs another codec",
                null);
    }

    @Override
    public Object decode(byte[] bytes, Type type) {
        if (type == byte[].class) {
            return bytes.clone();
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        try {
            Class<?> enumClass = enumClass(type);
            if (enumClass != null) {
                return constant(enumClass, text);
            }
            Function<String, Object> reader = READERS.get(type);
            if (reader != null) {
                return reader.apply(text);
            }
        } catch (RuntimeException e) {
            throw new ResultCodecException("the stored text is no " + type.getTypeName(), e);
        }
        throw new ResultCodecException("this codec does not read " + type.getTypeName(), null);
    }

    private static @Nullable Class<?> enumClass(Type type) {
        return type instanceof Class<?> c && c.isEnum() ? c : null;
    }

    private static Object constant(Class<?> enumClass, String name) {
        for (Object constant : enumClass.getEnumConstants()) {
            if (((Enum<?>) constant).name().equals(name)) {
                return constant;
            }
        }
        throw new IllegalArgumentException("no constant of that name");
    }

    private static Boolean bool(String text) {
        return switch (text) {
            case "true" -> Boolean.TRUE;
            case "false" -> Boolean.FALSE;
            default -> throw new IllegalArgumentException("neither true nor false");
        };
    }
}
