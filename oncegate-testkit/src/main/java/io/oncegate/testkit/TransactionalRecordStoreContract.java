package io.oncegate.testkit;

/**
 * What every {@link io.oncegate.core.spi.TransactionalRecordStore} has to do, as tests: extend it and supply the store, a
 * second handle, the database, a caller's transaction and a table of the business. Every test makes keys and names of its
 * own.
 */
public abstract class TransactionalRecordStoreContract extends TransactionalRaceChecks {}
