package io.oncegate.testkit;

import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore;

/** The contract over the token store that is being broken just now; {@link TokenContractMutationTest} runs it. */
class MutantTokenContract extends TokenStoreContract {
    private static volatile BrokenTokens broken = BrokenTokens.none();

    private final TestClock clock = new TestClock();
    private final TokenMutant store = new TokenMutant(broken.model().get(), broken.gap(), clock);

    static void breakWith(BrokenTokens how) {
        broken = how;
    }

    @Override
    protected TokenStore store() {
        return store;
    }

    @Override
    protected TokenStore twin() {
        return store;
    }

    @Override
    protected StoreBackend backend() {
        return clock;
    }

    @Override
    protected long kept(TokenRef token) {
        return store.kept(token);
    }

    @Override
    protected TokenStoreAbilities abilities() {
        return new TokenStoreAbilities(10, 400);
    }
}
