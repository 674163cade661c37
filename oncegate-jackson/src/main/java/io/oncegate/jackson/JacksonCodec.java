package io.oncegate.jackson;

import io.oncegate.core.codec.ResultCodec;
import io.oncegate.core.codec.ResultCodecException;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.json.JsonMapper;

/**
 * Stores results as JSON, written and read by Jackson 3 as the type that the operation declares. Thread-safe.
 *
 * <p>No class is ever named by stored bytes: there is no default typing, types annotated to carry class names are not
 * supported, and neither are values of {@code Class}. Polymorphic types carry names ({@code @JsonTypeInfo(use = NAME)}). A
 * value of a subclass that carries no name comes back as the declared type.
 *
 * <p>Entries of an older version of the code: a property that the type no longer has is ignored; a property that they do
 * not have yet is null, and for a primitive the entry is unreadable. An unknown enum constant or type name, or a value of
 * another form, is unreadable too. Unreadable entries are answered as <em>done, no result</em>; nothing is run again.
 *
 * <p>Numbers keep their digits and scale (1.10), instants their nanoseconds, dates with an offset or zone their own; enums
 * are stored by the name of their constant; NaN and the infinities come back as they are.
 */
public final class JacksonCodec implements ResultCodec {
    private final JsonMapper mapper;
    private final Map<Type, Boolean> supported = new ConcurrentHashMap<>();

    /** Creates the codec, without any module. */
    public JacksonCodec() {
        this(JsonMapper.builder(unbounded()).build());
    }

    /**
     * Creates the codec with the modules, mix-ins and visibility rules of this mapper. Whatever bears on the promises
     * above is set as they need it, default typing is taken off, and the given mapper stays as it is. Its limits on the
     * length of numbers, texts and names count: a result beyond them can be written but not read again.
     */
    public JacksonCodec(JsonMapper mapper) {
        this.mapper = mapper.rebuild()
                .deactivateDefaultTyping()
                .polymorphicTypeValidator(new NamesOnly())
                .addModule(new NoClasses())
                .disable(
                        DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                        DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                        DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .enable(
                        DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
                        DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
                        DeserializationFeature.FAIL_ON_INVALID_SUBTYPE)
                .enable(SerializationFeature.FAIL_ON_EMPTY_BEANS, SerializationFeature.FAIL_ON_SELF_REFERENCES)
                .disable(SerializationFeature.INDENT_OUTPUT, SerializationFeature.WRAP_ROOT_VALUE)
                .disable(DeserializationFeature.UNWRAP_ROOT_VALUE)
                .disable(
                        DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS,
                        DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS,
                        DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
                        DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID,
                        DateTimeFeature.TRUNCATE_TO_MSECS_ON_READ,
                        DateTimeFeature.TRUNCATE_TO_MSECS_ON_WRITE)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .disable(
                        EnumFeature.WRITE_ENUMS_USING_TO_STRING,
                        EnumFeature.READ_ENUMS_USING_TO_STRING,
                        EnumFeature.WRITE_ENUMS_USING_INDEX,
                        EnumFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL,
                        EnumFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
                .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .enable(JsonNodeFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();
    }

    /** Reads back whatever it can write, however long a number or a name is. */
    private static JsonFactory unbounded() {
        return JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNumberLength(Integer.MAX_VALUE)
                        .maxStringLength(Integer.MAX_VALUE)
                        .maxNameLength(Integer.MAX_VALUE)
                        .build())
                .build();
    }

    @Override
    public String id() {
        return "json1";
    }

    @Override
    public boolean supports(Type type) {
        return supported.computeIfAbsent(type, this::readable);
    }

    private boolean readable(Type type) {
        try {
            return type != Void.class && type != void.class && concrete(type) && readable(mapper.constructType(type));
        } catch (JacksonException | IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean concrete(Type type) {
        return !(type instanceof TypeVariable<?>) && !(type instanceof WildcardType);
    }

    private boolean readable(JavaType type) {
        if (type.isJavaLangObject()) {
            return false;
        }
        for (int i = 0; i < type.containedTypeCount(); i++) {
            if (!readable(type.containedType(i))) {
                return false;
            }
        }
        ValueDeserializer<?> reader = mapper._deserializationContext().findRootValueDeserializer(type);
        return !(reader instanceof AbstractDeserializer);
    }

    @Override
    public byte[] encode(Object value, Type type) {
        try {
            return mapper.writerFor(mapper.constructType(type)).writeValueAsBytes(value);
        } catch (RuntimeException | StackOverflowError e) {
            throw new ResultCodecException("a value of " + type.getTypeName() + " has no JSON form: " + what(e), null);
        }
    }

    @Override
    public Object decode(byte[] bytes, Type type) {
        Object value;
        try {
            value = mapper.readerFor(mapper.constructType(type)).readValue(bytes);
        } catch (RuntimeException | StackOverflowError e) {
            throw new ResultCodecException(
                    "the stored JSON cannot be read as " + type.getTypeName() + ": " + what(e), null);
        }
        if (value == null) {
            throw new ResultCodecException("the stored JSON is null, not a " + type.getTypeName(), null);
        }
        return value;
    }

    /** Names the failure and its place. Messages of Jackson and of constructors may quote the value, so they stay out. */
    private static String what(Throwable failure) {
        StringBuilder text = new StringBuilder(failure.getClass().getSimpleName());
        if (failure instanceof JacksonException e && e.getLocation() != null) {
            text.append(" at byte ").append(e.getLocation().getByteOffset());
        }
        Throwable cause = failure.getCause();
        if (cause != null && cause != failure) {
            text.append(", caused by ").append(cause.getClass().getName());
        }
        return text.toString();
    }
}
