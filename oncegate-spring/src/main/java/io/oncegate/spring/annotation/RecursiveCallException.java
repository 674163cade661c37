package io.oncegate.spring.annotation;

import io.oncegate.core.error.OncegateException;
import io.oncegate.core.key.OperationKey;

/**
 * A call asked for a key that it holds itself: the business called its own operation again with the same key, or called it
 * in a new transaction while the transaction around its first call was still open. Waiting would never end, so it is
 * refused at once.
 */
public final class RecursiveCallException extends OncegateException {
    private static final long serialVersionUID = 1L;

    RecursiveCallException(OperationKey key) {
        super(
                "operation " + key.operation() + " was called again with the key that this very call holds; call the"
                        + " business without the gate, or with a key of its own",
                key.digest(),
                null);
    }
}
