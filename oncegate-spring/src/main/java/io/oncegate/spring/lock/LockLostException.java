package io.oncegate.spring.lock;

import io.oncegate.core.error.OncegateException;
import io.oncegate.core.key.OperationKey;

/**
 * The lock was lost while the work under it ran: its lease ran out, or the store forgot it. Others may have worked at the
 * same time. The work has been done, unless a transaction around it is rolled back because of this exception.
 */
public final class LockLostException extends OncegateException {
    private static final long serialVersionUID = 1L;

    private final long fence;

    LockLostException(OperationKey key, long fence) {
        super(
                "the lock of operation " + key.operation()
                        + " was lost while its work ran, so others may have run at the"
                        + " same time; let the lease be renewed or longer, and carry the fence into the write",
                key.digest(),
                null);
        this.fence = fence;
    }

    /** The number of the acquisition that was lost. */
    public long fence() {
        return fence;
    }
}
