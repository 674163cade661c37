package io.oncegate.spring.mybatis;

import io.oncegate.spring.tx.internal.BoundConnection;
import io.oncegate.spring.tx.internal.BoundRows;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.ToIntBiFunction;
import org.apache.ibatis.executor.BatchResult;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.jspecify.annotations.Nullable;
import org.mybatis.spring.SqlSessionTemplate;

/**
 * Rows of a mapper, inserted in the caller's own session, so that its caches learn of it, and found in a fresh one.
 *
 * @param <M> the mapper's interface
 * @param <T> what a row is mapped to
 */
final class MapperRows<M, T> extends BoundRows<T> {
    private final SqlSessionTemplate sessions;
    private final Class<M> mapper;
    private final ToIntBiFunction<M, T> insert;
    private final BiFunction<M, T, @Nullable T> find;

    MapperRows(
            SqlSessionTemplate sessions,
            Class<M> mapper,
            ToIntBiFunction<M, T> insert,
            BiFunction<M, T, @Nullable T> find) {
        super(new BoundConnection(sessions.getConfiguration().getEnvironment().getDataSource()));
        this.sessions = sessions;
        this.mapper = mapper;
        this.insert = insert;
        this.find = find;
    }

    @Override
    public void flush() {
        if (batches()) {
            sessions.flushStatements();
        }
    }

    @Override
    public @Nullable T insert(T row) {
        int count = insert.applyAsInt(sessions.getMapper(mapper), row);
        if (batches()) {
            List<BatchResult> results = sessions.flushStatements();
            count = results.isEmpty() ? 0 : last(results.get(results.size() - 1).getUpdateCounts());
        }
        return count == 0 ? null : row;
    }

    /** A driver may know no more of a batch than that it has succeeded, which is another number than 0. */
    private static int last(int[] counts) {
        return counts.length == 0 ? 0 : counts[counts.length - 1];
    }

    private boolean batches() {
        return sessions.getExecutorType() == ExecutorType.BATCH;
    }

    @Override
    public void undone(T row) {
        sessions.clearCache(); // what the caller has asked for before may be another by now
    }

    @Override
    protected @Nullable T find(T row) {
        try (SqlSession session = FreshSession.open(sessions.getConfiguration(), bound.dataSource())) {
            return find.apply(session.getMapper(mapper), row);
        }
    }
}
