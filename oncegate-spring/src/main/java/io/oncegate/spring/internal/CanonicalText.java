package io.oncegate.spring.internal;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneId;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Calendar;
import java.util.Collection;
import java.util.Currency;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.web.multipart.MultipartFile;

/**
 * Writes values by their content, so that equal contents give equal texts in every JVM: numbers by their value, sets and
 * maps whatever their order, records by their components, other objects of the application by their fields (static and
 * transient ones do not count), and in a fingerprint by their simple class name where they have relatives. Refuses what has no content of its own: streams, functions, objects of libraries.
 */
public final class CanonicalText {
    private static final int MAX_DEPTH = 100;

    private static final Set<Class<?>> BY_TEXT = Set.of(
            UUID.class,
            URI.class,
            URL.class,
            Locale.class,
            Currency.class,
            Duration.class,
            Period.class,
            File.class,
            Boolean.class,
            AtomicBoolean.class);

    private static final String[] LIBRARIES = {
        "java.",
        "javax.",
        "jdk.",
        "sun.",
        "com.sun.",
        "jakarta.",
        "kotlin.",
        "kotlinx.",
        "org.springframework.",
        "reactor."
    };

    private final StringBuilder out = new StringBuilder();
    private final boolean nulls;
    private int depth;

    private CanonicalText(boolean nulls) {
        this.nulls = nulls;
    }

    /** The text of a value. */
    public static String of(@Nullable Object value) {
        CanonicalText text = new CanonicalText(true);
        text.write(value);
        return text.out.toString();
    }

    /** The text of a value that has no null anywhere inside. */
    static String withoutNulls(Object value) {
        CanonicalText text = new CanonicalText(false);
        text.write(value);
        return text.out.toString();
    }

    /** The text of a simple value, or null if it is none. */
    static @Nullable String simple(Object value) {
        if (value instanceof CharSequence || value instanceof Character) {
            return value.toString();
        } else if (value instanceof Number number && isLibrary(value.getClass())) {
            return number(number);
        } else if (value instanceof Enum<?> constant) {
            return constant.name();
        } else if (value instanceof Date date) {
            return java.time.Instant.ofEpochMilli(date.getTime()).toString() + nanos(date);
        } else if (value instanceof Calendar calendar) {
            return calendar.toInstant() + "@" + calendar.getTimeZone().getID();
        } else if (value instanceof TimeZone zone) {
            return zone.getID();
        } else if (BY_TEXT.contains(value.getClass())
                || value instanceof Path
                || value instanceof ZoneId
                || (value instanceof TemporalAccessor && isLibrary(value.getClass()))) {
            return value.toString();
        }
        return null;
    }

    private static String nanos(Date date) {
        return date instanceof java.sql.Timestamp timestamp ? "+" + timestamp.getNanos() : "";
    }

    private static String number(Number number) {
        String text = number.toString();
        try {
            BigDecimal exact = new BigDecimal(text);
            return exact.signum() == 0 ? "0" : exact.stripTrailingZeros().toString();
        } catch (NumberFormatException e) {
            return text; // NaN and the infinities
        }
    }

    /** Whether values declared as this type can never be written. */
    public static boolean isHopeless(Class<?> type) {
        if (type.isPrimitive() || type.isArray() || type.isEnum() || type.isRecord()) {
            return false;
        }
        for (Class<?> known : List.of(
                CharSequence.class,
                Number.class,
                Character.class,
                Date.class,
                Calendar.class,
                TimeZone.class,
                Path.class,
                ZoneId.class,
                TemporalAccessor.class,
                Optional.class,
                OptionalInt.class,
                OptionalLong.class,
                OptionalDouble.class,
                Collection.class,
                Map.class,
                MultipartFile.class)) {
            if (known.isAssignableFrom(type)) {
                return false;
            }
        }
        // Object, Comparable, Iterable and the like may turn out as something that can be written
        boolean open = type == Object.class
                || type == Comparable.class
                || type == Iterable.class
                || type == java.io.Serializable.class;
        return !open && !BY_TEXT.contains(type) && isLibrary(type);
    }

    private static boolean isLibrary(Class<?> type) {
        for (String library : LIBRARIES) {
            if (type.getName().startsWith(library)) {
                return true;
            }
        }
        return false;
    }

    private void write(@Nullable Object value) {
        if (++depth > MAX_DEPTH) {
            throw new UnusableException("is nested too deeply or contains itself");
        }
        if (value == null) {
            if (!nulls) {
                throw new UnusableException("contains null");
            }
            out.append("null");
        } else {
            writeValue(value);
        }
        depth--;
    }

    private void writeValue(Object value) {
        String simple = simple(value);
        if (simple != null) {
            if (value instanceof Number || value instanceof Boolean) {
                out.append(simple);
            } else {
                quote(simple);
            }
        } else if (value instanceof byte[] bytes) {
            quote(Base64.getEncoder().encodeToString(bytes));
        } else if (value.getClass().isArray()) {
            List<@Nullable Object> elements = new ArrayList<>();
            for (int i = 0; i < Array.getLength(value); i++) {
                elements.add(Array.get(value, i));
            }
            writeAll(elements);
        } else if (value instanceof Optional<?> optional) {
            write(optional.orElse(null));
        } else if (value instanceof OptionalInt optional) {
            write(optional.isPresent() ? optional.getAsInt() : null);
        } else if (value instanceof OptionalLong optional) {
            write(optional.isPresent() ? optional.getAsLong() : null);
        } else if (value instanceof OptionalDouble optional) {
            write(optional.isPresent() ? optional.getAsDouble() : null);
        } else if (value instanceof Set<?> set) {
            writeSorted('[', texts(set), ']');
        } else if (value instanceof Collection<?> collection) {
            writeAll(collection);
        } else if (value instanceof Map<?, ?> map) {
            writeMap(map);
        } else if (value instanceof MultipartFile file) {
            writeFile(file);
        } else {
            writeObject(value);
        }
    }

    private void writeAll(Collection<?> elements) {
        out.append('[');
        String separator = "";
        for (Object element : elements) {
            out.append(separator);
            write(element);
            separator = ",";
        }
        out.append(']');
    }

    private List<String> texts(Collection<?> elements) {
        List<String> texts = new ArrayList<>();
        for (Object element : elements) {
            texts.add(part(element));
        }
        return texts;
    }

    private String part(@Nullable Object value) {
        CanonicalText text = new CanonicalText(nulls);
        text.depth = depth;
        text.write(value);
        return text.out.toString();
    }

    private void writeMap(Map<?, ?> map) {
        List<String> texts = new ArrayList<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            texts.add(part(entry.getKey()) + ":" + part(entry.getValue()));
        }
        writeSorted('{', texts, '}');
    }

    private void writeSorted(char open, List<String> texts, char close) {
        texts.sort(null);
        out.append(open).append(String.join(",", texts)).append(close);
    }

    private void writeFile(MultipartFile file) {
        try {
            Map<String, @Nullable Object> content = new HashMap<>();
            content.put("name", file.getOriginalFilename());
            content.put("bytes", file.getBytes());
            writeMap(content);
        } catch (IOException e) {
            throw new UnusableException("is an upload that cannot be read");
        }
    }

    private void writeObject(Object value) {
        Class<?> type = value.getClass();
        if (isLibrary(type) || type.isHidden() || type.isSynthetic() || java.lang.reflect.Proxy.isProxyClass(type)) {
            throw new UnusableException("holds a " + type.getName() + ", which has no content that could be compared");
        }
        SortedMap<String, @Nullable Object> content = type.isRecord() ? components(value) : fields(value);
        if (nulls && hasRelatives(type)) {
            quote(type.getSimpleName());
        }
        out.append('{');
        String separator = "";
        for (Map.Entry<String, @Nullable Object> entry : content.entrySet()) {
            out.append(separator);
            quote(entry.getKey());
            out.append(':');
            write(entry.getValue());
            separator = ",";
        }
        out.append('}');
    }

    /** Whether it stands where another class of the application could stand with the same content. */
    private static boolean hasRelatives(Class<?> type) {
        Class<?> parent = type.getSuperclass();
        return (parent != null && !isLibrary(parent))
                || Arrays.stream(type.getInterfaces()).anyMatch(each -> !isLibrary(each));
    }

    private static SortedMap<String, @Nullable Object> components(Object record) {
        SortedMap<String, @Nullable Object> content = new TreeMap<>();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            try {
                content.put(component.getName(), open(component.getAccessor()).invoke(record));
            } catch (ReflectiveOperationException e) {
                throw new UnusableException("holds a " + record.getClass().getName() + " that cannot be read");
            }
        }
        return content;
    }

    private static SortedMap<String, @Nullable Object> fields(Object value) {
        SortedMap<String, @Nullable Object> content = new TreeMap<>();
        for (Class<?> c = value.getClass(); c != null && c != Object.class; c = c.getSuperclass()) {
            if (isLibrary(c)) {
                throw new UnusableException(
                        "holds a " + value.getClass().getName() + ", which extends a library's class");
            }
            for (Field field : c.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())
                        || Modifier.isTransient(field.getModifiers())
                        || field.isSynthetic()) {
                    continue;
                }
                try {
                    String name = content.containsKey(field.getName())
                            ? c.getSimpleName() + "." + field.getName()
                            : field.getName();
                    content.put(name, open(field).get(value));
                } catch (IllegalAccessException e) {
                    throw new UnusableException("holds a " + value.getClass().getName() + " that cannot be read");
                }
            }
        }
        return content;
    }

    private static <A extends AccessibleObject> A open(A member) {
        try {
            member.setAccessible(true);
            return member;
        } catch (RuntimeException e) {
            throw new UnusableException("holds an object of a module that is not open to reflection");
        }
    }

    private void quote(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\');
            }
            out.append(c);
        }
        out.append('"');
    }
}
