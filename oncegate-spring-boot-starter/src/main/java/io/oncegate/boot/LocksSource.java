package io.oncegate.boot;

import io.oncegate.core.lock.LockListener;
import io.oncegate.core.lock.Locks;
import java.util.List;
import java.util.function.Function;

/** Locks that could be used, made only if they are chosen, for those who want to be told of them. */
record LocksSource(LockStoreKind kind, Function<List<LockListener>, Locks> locks) {}
