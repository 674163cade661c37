package io.oncegate.boot;

import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** When there are one-time tokens, and when they are issued over HTTP. */
final class TokenConditions {
    private TokenConditions() {}

    private static ConditionOutcome outcome(boolean match, String property) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("one-time tokens");
        return new ConditionOutcome(
                match, match ? message.because(property + " is set") : message.because(property + " is not set"));
    }

    /** A secret is set, or tokens are asked for by name: then the start is refused without a secret. */
    static final class Wanted extends SpringBootCondition {
        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            boolean asked = context.getEnvironment().getProperty("oncegate.tokens.enabled", Boolean.class, false);
            String secret = context.getEnvironment().getProperty("oncegate.tokens.secret", "");
            return outcome(asked || !secret.isEmpty(), "oncegate.tokens.secret");
        }
    }

    /** Purposes are named that tokens may be asked for. */
    static final class Issued extends SpringBootCondition {
        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            boolean named = !Binder.get(context.getEnvironment())
                    .bind("oncegate.tokens.purposes", Bindable.listOf(String.class))
                    .orElse(List.of())
                    .isEmpty();
            return outcome(named, "oncegate.tokens.purposes");
        }
    }
}
