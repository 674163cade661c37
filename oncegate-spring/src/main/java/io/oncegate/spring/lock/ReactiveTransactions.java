package io.oncegate.spring.lock;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

/** Looks for a transaction in Reactor's context. */
final class ReactiveTransactions {
    private ReactiveTransactions() {}

    static Mono<Boolean> isActive() {
        return TransactionSynchronizationManager.forCurrentTransaction()
                .map(TransactionSynchronizationManager::isActualTransactionActive)
                .onErrorReturn(NoTransactionException.class, false);
    }
}
