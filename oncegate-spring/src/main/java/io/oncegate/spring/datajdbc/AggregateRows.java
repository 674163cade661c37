package io.oncegate.spring.datajdbc;

import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.spring.tx.internal.BoundConnection;
import io.oncegate.spring.tx.internal.BoundRows;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.data.relational.core.query.Criteria;
import org.springframework.data.relational.core.query.Query;

/** Aggregates of one class, written and read by the application's own template. */
final class AggregateRows<T> extends BoundRows<T> {
    private final Class<T> aggregate;
    private final JdbcAggregateOperations template;
    private final Properties<T> properties;
    private final List<String> key;

    AggregateRows(
            Class<T> aggregate,
            JdbcAggregateOperations template,
            BoundConnection bound,
            Properties<T> properties,
            List<String> key) {
        super(bound);
        this.aggregate = aggregate;
        this.template = template;
        this.properties = properties;
        this.key = key;
    }

    void check(UniqueConstraint guard) {
        guard.check(
                bound.dataSource(),
                properties.table(),
                key.stream().map(properties::column).toArray(String[]::new));
    }

    @Override
    public void flush() {
        // Spring Data JDBC holds nothing back
    }

    @Override
    public T insert(T row) {
        return template.insert(row);
    }

    @Override
    public void undone(T row) {
        // ids are set when all has succeeded, and versions by each insert
    }

    @Override
    protected @Nullable T find(T row) {
        Criteria criteria = Criteria.empty();
        for (String name : key) {
            Object value = properties.value(row, name);
            if (value == null) {
                throw new IllegalArgumentException(name + " is null");
            }
            criteria = criteria.and(name).is(value);
        }
        List<T> found = template.findAll(Query.query(criteria).limit(2), aggregate);
        if (found.size() > 1) {
            throw new IllegalStateException("more than one " + aggregate.getSimpleName()
                    + " has these values; name all properties of the guarding constraint, and no others");
        }
        return found.isEmpty() ? null : found.get(0);
    }
}
