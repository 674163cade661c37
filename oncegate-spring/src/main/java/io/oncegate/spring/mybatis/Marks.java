package io.oncegate.spring.mybatis;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ibatis.io.Resources;
import org.apache.ibatis.mapping.MappedStatement;
import org.jspecify.annotations.Nullable;

/** Which statements are marked. Thread-safe. */
final class Marks {
    private final Map<String, Optional<VersionedStatement>> known = new ConcurrentHashMap<>();

    @Nullable
    VersionedStatement of(MappedStatement statement) {
        return known.computeIfAbsent(statement.getId(), Marks::find).orElse(null);
    }

    /** A statement's id is its mapper's name and its method's. */
    private static Optional<VersionedStatement> find(String id) {
        int dot = id.lastIndexOf('.');
        if (dot < 0) {
            return Optional.empty();
        }
        try {
            for (Method method : Resources.classForName(id.substring(0, dot)).getMethods()) {
                VersionedStatement mark = method.getAnnotation(VersionedStatement.class);
                if (mark != null && method.getName().equals(id.substring(dot + 1))) {
                    return Optional.of(mark);
                }
            }
        } catch (ClassNotFoundException e) {
            return Optional.empty(); // a statement of a namespace without a mapper
        }
        return Optional.empty();
    }

    /** Mapper and method, for messages. */
    static String name(MappedStatement statement) {
        String id = statement.getId();
        return id.substring(id.lastIndexOf('.', id.lastIndexOf('.') - 1) + 1);
    }
}
