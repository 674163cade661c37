package io.oncegate.spring.mybatis;

import io.oncegate.core.error.OncegateException;
import org.apache.ibatis.exceptions.PersistenceException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.support.PersistenceExceptionTranslator;

/** Lets the toolkit's own exceptions, and what it refuses as misuse, through MyBatis's wrapping. */
final class Translator implements PersistenceExceptionTranslator {
    private final PersistenceExceptionTranslator delegate;

    Translator(PersistenceExceptionTranslator delegate) {
        this.delegate = delegate;
    }

    @Override
    public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException failure) {
        Throwable cause = failure;
        while (cause instanceof PersistenceException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof OncegateException
                || cause instanceof IllegalArgumentException
                || cause instanceof IllegalStateException) {
            throw (RuntimeException) cause;
        }
        return delegate.translateExceptionIfPossible(failure);
    }
}
