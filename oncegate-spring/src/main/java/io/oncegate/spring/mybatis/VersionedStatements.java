package io.oncegate.spring.mybatis;

import io.oncegate.core.error.StaleVersionException;
import io.oncegate.jdbc.VersionedUpdate;
import io.oncegate.spring.tx.internal.VersionMemory;
import java.lang.reflect.InvocationTargetException;
import javax.sql.DataSource;
import org.apache.ibatis.cache.CacheKey;
import org.apache.ibatis.executor.BatchExecutor;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.mapping.BoundSql;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Intercepts;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.plugin.Signature;
import org.apache.ibatis.reflection.MetaObject;
import org.apache.ibatis.session.ResultHandler;
import org.apache.ibatis.session.RowBounds;
import org.jspecify.annotations.Nullable;
import org.mybatis.spring.MyBatisExceptionTranslator;
import org.springframework.dao.support.PersistenceExceptionTranslator;

/**
 * A plug-in of MyBatis that lets no statement marked with {@link VersionedStatement} fail silently. Thread-safe; goes into the
 * configuration.
 *
 * <ul>
 *   <li>A null or negative version is an {@link IllegalArgumentException} before the database is asked.
 *   <li>A statement that matches no row is a {@link StaleVersionException}; one that matches several is refused too.
 *   <li>The parameter's version rises by one with each success, and goes back when Spring's transaction is rolled back, or goes
 *       back to a savepoint of Spring's.
 *   <li>With the BATCH executor the counts are looked at whenever the batch is sent: on a flush, before a query, before the commit.
 *       A driver that does not tell counts is refused.
 * </ul>
 *
 * <p>MyBatis wraps exceptions of plug-ins; with {@link #translator} the application sees them as they are.
 */
@Intercepts({
    @Signature(
            type = Executor.class,
            method = "update",
            args = {MappedStatement.class, Object.class}),
    @Signature(
            type = Executor.class,
            method = "query",
            args = {MappedStatement.class, Object.class, RowBounds.class, ResultHandler.class}),
    @Signature(
            type = Executor.class,
            method = "query",
            args = {
                MappedStatement.class,
                Object.class,
                RowBounds.class,
                ResultHandler.class,
                CacheKey.class,
                BoundSql.class
            }),
    @Signature(
            type = Executor.class,
            method = "queryCursor",
            args = {MappedStatement.class, Object.class, RowBounds.class}),
    @Signature(
            type = Executor.class,
            method = "commit",
            args = {boolean.class}),
    @Signature(
            type = Executor.class,
            method = "flushStatements",
            args = {})
})
public final class VersionedStatements implements Interceptor {
    private final Marks marks = new Marks();

    /** Creates the plug-in. */
    public VersionedStatements() {}

    /**
     * Spring's translation of MyBatis's exceptions, which lets those of this plug-in through as they are: for the
     * {@code SqlSessionTemplate}.
     */
    public static PersistenceExceptionTranslator translator(DataSource dataSource) {
        return new Translator(new MyBatisExceptionTranslator(dataSource, true));
    }

    @Override
    public @Nullable Object intercept(Invocation invocation) throws Throwable {
        try {
            return switch (invocation.getMethod().getName()) {
                case "update" -> update(invocation);
                case "flushStatements" -> {
                    Object results = invocation.proceed();
                    Counts.require((java.util.List<?>) results, marks);
                    yield results;
                }
                default -> {
                    // An executor would send its batch by itself here, and forget the counts.
                    Counts.require(((Executor) invocation.getTarget()).flushStatements(), marks);
                    yield invocation.proceed();
                }
            };
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private @Nullable Object update(Invocation invocation) throws Throwable {
        MappedStatement statement = (MappedStatement) invocation.getArgs()[0];
        VersionedStatement mark = marks.of(statement);
        if (mark == null) {
            return invocation.proceed();
        }
        String what = Marks.name(statement);
        MetaObject parameter =
                statement.getConfiguration().newMetaObject(invocation.getArgs()[1]);
        if (!parameter.hasGetter(mark.version())) {
            throw new IllegalArgumentException(what + ": its parameter has no property " + mark.version()
                    + "; name the version's in @VersionedStatement");
        }
        Object before = parameter.getValue(mark.version());
        long expected = VersionedUpdate.requireVersion(what, before);
        int count = (int) invocation.proceed();
        if (count != BatchExecutor.BATCH_UPDATE_RETURN_VALUE) {
            Counts.require(what, count, expected);
        }
        raise(parameter, mark.version(), before);
        return count;
    }

    private static void raise(MetaObject parameter, String property, Object before) {
        if (!parameter.hasSetter(property)) {
            return;
        }
        Class<?> type = parameter.getSetterType(property);
        long next = ((Number) before).longValue() + 1;
        parameter.setValue(property, type == Integer.class || type == int.class ? (Object) (int) next : (Object) next);
        VersionMemory.remember(() -> parameter.setValue(property, before));
    }
}
