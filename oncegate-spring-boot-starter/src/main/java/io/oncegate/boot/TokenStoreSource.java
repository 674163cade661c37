package io.oncegate.boot;

import io.oncegate.core.token.TokenStore;
import java.util.function.Supplier;

/** A store that could be used for strict tokens, made only if it is chosen. */
record TokenStoreSource(TokenStoreKind kind, Supplier<TokenStore> store) {}
