package io.oncegate.boot;

import java.util.List;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether hosts are named that keys may be sent to. */
final class OnClientHosts implements Condition {
    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        List<String> hosts = Binder.get(context.getEnvironment())
                .bind("oncegate.client.hosts", Bindable.listOf(String.class))
                .orElse(List.of());
        return !hosts.isEmpty();
    }
}
