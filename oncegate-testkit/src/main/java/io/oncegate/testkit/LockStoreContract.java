package io.oncegate.testkit;

/**
 * What every {@link io.oncegate.core.lock.LockStore} has to do, as tests: extend it, supply the store, a second handle on
 * the same backend, the backend itself, and what the store can be asked for. Every test makes keys of its own, so that
 * tests of one backend may share its data. What users see of the store, through {@link io.oncegate.core.lock.Locks}, is in
 * {@link LocksContract}.
 *
 * <p>System properties as for {@link RecordStoreContract}.
 */
public abstract class LockStoreContract extends LockHistoryChecks {}
