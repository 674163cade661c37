package io.oncegate.testkit;

/**
 * What every {@link io.oncegate.core.spi.RecordStore} has to do, as tests: extend it, supply the store, a second handle on
 * the same backend, the backend itself and the store's abilities. Every test makes keys of its own, so that tests of one
 * backend may share its data.
 *
 * <p>System properties: {@code oncegate.testkit.histories} is the number of random histories, {@code
 * oncegate.testkit.seed} the first one's seed, as a failed run prints it.
 */
public abstract class RecordStoreContract extends RecordUpkeepChecks {}
