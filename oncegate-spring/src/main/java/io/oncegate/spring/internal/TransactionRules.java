package io.oncegate.spring.internal;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;

/** What a method's {@code @Transactional} means for its mode. */
public final class TransactionRules {
    private static final AnnotationTransactionAttributeSource SOURCE = new AnnotationTransactionAttributeSource(false);

    private TransactionRules() {}

    /** Whether the effect belongs to the caller's transaction: not where the method leaves it. */
    public static boolean joinsCaller(Method method, Class<?> type) {
        TransactionAttribute attribute = attribute(method, type);
        return attribute == null || !leaves(attribute);
    }

    /** Adds what does not fit a record in the same transaction. */
    public static void checkSameTransaction(Method method, Class<?> type, List<String> problems) {
        TransactionAttribute attribute = attribute(method, type);
        if (attribute != null && leaves(attribute)) {
            problems.add("is @Transactional with a propagation that leaves the record's transaction (REQUIRES_NEW,"
                    + " NOT_SUPPORTED or NEVER), so record and effect would not commit together; use REQUIRED, or mode"
                    + " CLAIMED");
        }
    }

    private static @Nullable TransactionAttribute attribute(Method method, Class<?> type) {
        return SOURCE.getTransactionAttribute(method, type);
    }

    private static boolean leaves(TransactionAttribute attribute) {
        return switch (attribute.getPropagationBehavior()) {
            case TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                    TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
                    TransactionDefinition.PROPAGATION_NEVER -> true;
            default -> false;
        };
    }
}
