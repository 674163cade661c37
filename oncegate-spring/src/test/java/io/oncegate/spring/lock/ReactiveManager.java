package io.oncegate.spring.lock;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

/** Begins and ends reactive transactions of nothing. */
final class ReactiveManager extends AbstractReactiveTransactionManager {
    private static final long serialVersionUID = 1L;

    @Override
    protected Object doGetTransaction(TransactionSynchronizationManager synchronizations) {
        return new Object();
    }

    @Override
    protected Mono<Void> doBegin(
            TransactionSynchronizationManager synchronizations, Object transaction, TransactionDefinition definition) {
        return Mono.empty();
    }

    @Override
    protected Mono<Void> doCommit(
            TransactionSynchronizationManager synchronizations, GenericReactiveTransaction status) {
        return Mono.empty();
    }

    @Override
    protected Mono<Void> doRollback(
            TransactionSynchronizationManager synchronizations, GenericReactiveTransaction status) {
        return Mono.empty();
    }
}
