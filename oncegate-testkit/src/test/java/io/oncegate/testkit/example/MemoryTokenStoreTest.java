package io.oncegate.testkit.example;

import io.oncegate.core.memory.MemoryTokenStore;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore;
import io.oncegate.testkit.StoreBackend;
import io.oncegate.testkit.TestClock;
import io.oncegate.testkit.TokenStoreAbilities;
import io.oncegate.testkit.TokenStoreContract;

/** The memory store of tokens passes the contract; also the shortest example of a subclass. */
class MemoryTokenStoreTest extends TokenStoreContract {
    private final TestClock clock = new TestClock();
    private final MemoryTokenStore store = new MemoryTokenStore(100_000, clock);

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

    /** Each test has a store of its own, and asks for this while one subject alone has tokens. */
    @Override
    protected long kept(TokenRef token) {
        return store.size();
    }

    @Override
    protected TokenStoreAbilities abilities() {
        return new TokenStoreAbilities(50, 100_000);
    }
}
