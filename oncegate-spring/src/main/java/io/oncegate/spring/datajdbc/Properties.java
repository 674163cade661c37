package io.oncegate.spring.datajdbc;

import io.oncegate.spring.tx.internal.Field;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.data.mapping.PersistentPropertyPath;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;
import org.springframework.data.relational.core.sql.IdentifierProcessing;

/** The mapped properties of an aggregate's root, with dots into what it embeds. Thread-safe. */
final class Properties<T> {
    private final Class<T> aggregate;
    private final JdbcAggregateOperations template;

    Properties(Class<T> aggregate, JdbcAggregateOperations template) {
        this.aggregate = aggregate;
        this.template = template;
    }

    /** Checks the names. */
    List<String> all(String... names) {
        if (names.length == 0) {
            throw new IllegalArgumentException("name one property of " + aggregate.getSimpleName() + " or more");
        }
        for (String name : names) {
            path(name);
        }
        return List.of(names);
    }

    List<Field<T>> fields(List<String> names) {
        return names.stream()
                .map(name -> new Field<T>(name, row -> value(row, name)))
                .toList();
    }

    private PersistentPropertyPath<RelationalPersistentProperty> path(String name) {
        return template.getConverter().getMappingContext().getPersistentPropertyPath(name, aggregate);
    }

    /** The column of a property. */
    String column(String name) {
        return template.getConverter()
                .getMappingContext()
                .getAggregatePath(path(name))
                .getColumnInfo()
                .name()
                .getReference();
    }

    /** The root's table, with its schema's name and a dot before it if it has one. */
    String table() {
        return entity().getQualifiedTableName().toSql(IdentifierProcessing.NONE);
    }

    @Nullable
    Object value(T row, String name) {
        return entity().getPropertyPathAccessor(row).getProperty(path(name));
    }

    RelationalPersistentEntity<?> entity() {
        return template.getConverter().getMappingContext().getRequiredPersistentEntity(aggregate);
    }
}
