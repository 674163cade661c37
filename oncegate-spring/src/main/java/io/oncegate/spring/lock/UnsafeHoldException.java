package io.oncegate.spring.lock;

import io.oncegate.core.error.OncegateException;
import io.oncegate.spring.internal.Misuse;
import org.jspecify.annotations.Nullable;

/**
 * The lock could not be held until the work's changes are committed, so that the next holder would not see them. Nothing was
 * run.
 */
public final class UnsafeHoldException extends OncegateException implements Misuse {
    private static final long serialVersionUID = 1L;

    UnsafeHoldException(String message, @Nullable String keyDigest) {
        super(message, keyDigest, null);
    }
}
