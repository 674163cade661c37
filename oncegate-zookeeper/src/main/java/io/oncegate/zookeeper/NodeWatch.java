package io.oncegate.zookeeper;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;

/** Watches one node, first for who waits in line with it, then for who holds by it. Thread-safe. */
final class NodeWatch implements Watcher {
    private volatile Runnable told;
    private volatile boolean fired;

    NodeWatch(Runnable first) {
        this.told = first;
    }

    @Override
    public void process(WatchedEvent event) {
        // what happens to the connection, the session tells
        if (event.getType() != Event.EventType.None) {
            fired = true;
            told.run();
        }
    }

    /** Whether something has happened. */
    boolean hasFired() {
        return fired;
    }

    /** Has another one told from now on, and at once if something has happened already. */
    void handTo(Runnable next) {
        told = next;
        if (fired) {
            next.run();
        }
    }
}
