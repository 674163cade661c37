package io.oncegate.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says in Spring Boot's own form why the start was refused, and what to add. */
final class MissingStoreFailureAnalyzer extends AbstractFailureAnalyzer<MissingStoreException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MissingStoreException cause) {
        String message = String.valueOf(cause.getMessage());
        return new FailureAnalysis(
                "Oncegate "
                        + message.substring(0, message.length() - cause.remedy().length() - 2) + ".",
                cause.remedy(),
                cause);
    }
}
