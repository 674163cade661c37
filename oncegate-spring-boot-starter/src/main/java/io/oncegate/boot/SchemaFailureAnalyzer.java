package io.oncegate.boot;

import io.oncegate.jdbc.SchemaException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what the database lacks, and the ways out. Spring Boot leaves it out where oncegate-jdbc is missing. */
final class SchemaFailureAnalyzer extends AbstractFailureAnalyzer<SchemaException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SchemaException cause) {
        return new FailureAnalysis(
                "Oncegate cannot use the application's database: " + cause.getMessage(),
                "Run that DDL with your migration tool. In tests and samples oncegate.jdbc.create-schema=true does it. If"
                        + " only Redis is to keep records, say oncegate.same-transaction.enabled=false; if there are no"
                        + " strict one-time tokens, oncegate.tokens.store=none; if locks are kept elsewhere, oncegate.locks.store."
                        + " State machines always need their history.",
                cause);
    }
}
