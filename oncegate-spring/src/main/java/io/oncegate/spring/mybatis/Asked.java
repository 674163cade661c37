package io.oncegate.spring.mybatis;

import java.util.Locale;
import org.apache.ibatis.mapping.BoundSql;

/** Whether a statement asks for the version that it is given. */
final class Asked {
    private Asked() {}

    /**
     * Refuses a statement that names the version nowhere behind its first WHERE: it would overwrite whatever is there. One whose
     * parameters are made in the statement ({@code bind}, {@code foreach}) is believed.
     *
     * @throws IllegalArgumentException if it is one
     */
    static void require(String what, BoundSql statement, String version) {
        String sql = statement.getSql();
        int where = sql.toLowerCase(Locale.ROOT).indexOf("where");
        long before = where < 0
                ? Long.MAX_VALUE
                : sql.substring(0, where).chars().filter(c -> c == '?').count();
        boolean asked = statement.getParameterMappings().stream()
                .skip(before)
                .anyMatch(parameter -> parameter.getProperty().equals(version)
                        || statement.hasAdditionalParameter(parameter.getProperty()));
        if (!asked) {
            throw new IllegalArgumentException(
                    what + " does not ask for the version in its WHERE, so that it would overwrite"
                            + " what others have written; add: AND version = #{" + version + "}");
        }
    }
}
