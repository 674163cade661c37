package io.oncegate.spring.mybatis;

import io.oncegate.core.error.StaleVersionException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.apache.ibatis.executor.BatchResult;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.reflection.MetaObject;

/** What the counts of versioned statements mean. */
final class Counts {
    private Counts() {}

    static void require(String what, int count, long expected) {
        if (count == 0) {
            throw StaleVersionException.staleOrGone(what, expected, null);
        } else if (count < 0) {
            throw unknown(what);
        } else if (count > 1) {
            throw new IllegalStateException(what + " has changed " + count
                    + " rows; let its WHERE name the primary key and the version, and roll back");
        }
    }

    /** Those of all marked statements of a batch that has been sent. */
    static void require(List<?> results, Marks marks) {
        for (Object each : results) {
            BatchResult result = (BatchResult) each;
            MappedStatement statement = result.getMappedStatement();
            VersionedStatement mark = marks.of(statement);
            if (mark != null) {
                requireAll(statement, mark, result);
            }
        }
    }

    private static void requireAll(MappedStatement statement, VersionedStatement mark, BatchResult result) {
        String what = Marks.name(statement);
        int[] counts = result.getUpdateCounts();
        if (counts.length != result.getParameterObjects().size()) {
            throw unknown(what);
        }
        List<StaleVersionException.Row> stale = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            MetaObject parameter = statement
                    .getConfiguration()
                    .newMetaObject(result.getParameterObjects().get(i));
            long raised = ((Number) parameter.getValue(mark.version())).longValue();
            long expected = parameter.hasSetter(mark.version()) ? raised - 1 : raised;
            if (counts[i] == 0) {
                stale.add(new StaleVersionException.Row(i, expected, null, false));
            } else {
                require(what, counts[i], expected);
            }
        }
        if (!stale.isEmpty()) {
            throw StaleVersionException.ofBatch(what, stale);
        }
    }

    /** {@link Statement#SUCCESS_NO_INFO}: it has been applied, perhaps to no row. */
    private static IllegalStateException unknown(String what) {
        return new IllegalStateException(
                what + ": the driver does not say how many rows a batch has changed, so that a stale"
                        + " one would not be noticed; switch its rewriting off (MariaDB: useBulkStmts, rewriteBatchedStatements),"
                        + " or use the SIMPLE executor, and roll back");
    }
}
