package io.oncegate.testkit;

/**
 * What every {@link io.oncegate.core.token.TokenStore} has to do, as tests: extend it, supply the store, a second handle on
 * the same backend, the backend itself, and what the store can be asked for. Every test makes subjects of its own, so that
 * tests of one backend may share its data.
 *
 * <p>System properties as for {@link RecordStoreContract}.
 */
public abstract class TokenStoreContract extends TokenHistoryChecks {}
