package io.oncegate.spring.mybatis;

import javax.sql.DataSource;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.executor.SimpleExecutor;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.defaults.DefaultSqlSession;
import org.mybatis.spring.transaction.SpringManagedTransaction;

/** Sessions in Spring's current transaction that have no cache filled before, of the first level or of the second. */
final class FreshSession {
    private FreshSession() {}

    /** A new one; the configuration's plug-ins are in it. */
    static SqlSession open(Configuration configuration, DataSource dataSource) {
        Executor executor = new SimpleExecutor(configuration, new SpringManagedTransaction(dataSource));
        for (Interceptor interceptor : configuration.getInterceptors()) {
            executor = (Executor) interceptor.plugin(executor);
        }
        return new DefaultSqlSession(configuration, executor, false);
    }
}
