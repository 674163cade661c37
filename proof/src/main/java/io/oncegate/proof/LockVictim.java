package io.oncegate.proof;

import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockOptions;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The main program of a process that holds a lock. It says on its output what it does, as {@link Victim} does, and waits for
 * a line on its input while it holds.
 */
public final class LockVictim {
    /** What it says, with its fence, when it holds the lock and has raised the fence. */
    public static final String HOLDING = "HOLDING ";

    private static final long LIMIT_SECONDS = 60;

    private LockVictim() {}

    /** What it does when it goes on. */
    public enum Work {
        /** It goes on to its writes whatever has happened to its lock, as a business does that looked at it before. */
        WRITES,
        /** It looks at its lock and ends it. */
        LOOKS
    }

    /** Holds one lock. Arguments: the place, the lease or session in ms, the work, the key. */
    public static void main(String[] arguments) throws SQLException, InterruptedException {
        List<String> list = List.of(arguments);
        Duration lease = Duration.ofMillis(Long.parseLong(list.get(LockPlace.ARGUMENTS)));
        Work work = Work.valueOf(list.get(LockPlace.ARGUMENTS + 1));
        String key = list.get(LockPlace.ARGUMENTS + 2);
        try (LockSide side = new LockSide(LockPlace.of(list), lease)) {
            warmUp(side, key + "-before");
            HeldLock held = side.locks()
                    .acquire(LockSide.key(key), LockOptions.untilDone().lease(lease), Duration.ofSeconds(LIMIT_SECONDS))
                    .orElseThrow();
            CountDownLatch lost = new CountDownLatch(1);
            held.onLost(lost::countDown);
            side.raise(held);
            waitHolding(held.fence());
            say("BELIEVES " + held.isHeld());
            if (work == Work.WRITES) {
                say("GUARDED " + side.writeGuarded(held, key + "-guarded", "first"));
                side.writeUnguarded(key + "-unguarded", "first");
                say("TOLD " + lost.await(LIMIT_SECONDS, TimeUnit.SECONDS));
            }
            say("RELEASED " + held.release());
        }
    }

    /** Has all that a holder needs loaded and connected, which may take longer than a lease in a young JVM. */
    private static void warmUp(LockSide side, String key) throws SQLException {
        try (HeldLock held = side.locks()
                .tryAcquire(LockSide.key(key), LockOptions.untilDone())
                .orElseThrow()) {
            side.raise(held);
            say("WARM " + held.renew() + side.writeGuarded(held, key, "warm"));
        }
    }

    private static void waitHolding(long fence) {
        say(HOLDING + fence);
        try {
            if (System.in.read() < 0) {
                // The parent is gone.
                Runtime.getRuntime().halt(3);
            }
        } catch (IOException e) {
            Runtime.getRuntime().halt(3);
        }
    }

    private static void say(String line) {
        System.out.println("@" + line);
        System.out.flush();
    }
}
