package io.oncegate.spring.mybatis;

import java.lang.reflect.Proxy;
import org.apache.ibatis.executor.CachingExecutor;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.executor.ReuseExecutor;
import org.apache.ibatis.executor.SimpleExecutor;
import org.apache.ibatis.plugin.Plugin;
import org.apache.ibatis.reflection.SystemMetaObject;

/** Which executors keep statements back. */
final class Batches {
    private Batches() {}

    /**
     * Whether statements of this executor may not have been sent yet. One that reuses its statements has none, and would close
     * them all if it were asked to send them.
     */
    static boolean mayBePending(Executor executor) {
        Object inner = executor;
        while (true) {
            if (inner instanceof SimpleExecutor || inner instanceof ReuseExecutor) {
                return false;
            } else if (inner instanceof CachingExecutor) {
                inner = SystemMetaObject.forObject(inner).getValue("delegate");
            } else if (Proxy.isProxyClass(inner.getClass())
                    && Proxy.getInvocationHandler(inner) instanceof Plugin plugin) {
                inner = SystemMetaObject.forObject(plugin).getValue("target");
            } else {
                return true;
            }
        }
    }
}
