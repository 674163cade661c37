package io.oncegate.spring.internal;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** What expressions see of a call: its arguments, by name and by position, and beans. Immutable. */
public final class Arguments {
    private final List<@Nullable String> names;
    private final BeanFactoryResolver beans;

    /**
     * Creates the view.
     *
     * @param names of the parameters, null where the class file does not tell
     */
    public Arguments(List<@Nullable String> names, BeanFactory beans) {
        this.names = names;
        this.beans = new BeanFactoryResolver(beans);
    }

    EvaluationContext context(@Nullable Object[] values) {
        StandardEvaluationContext context = new StandardEvaluationContext();
        context.setBeanResolver(beans);
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            context.setVariable("p" + i, value);
            context.setVariable("a" + i, value);
            String name = names.get(i);
            if (name != null) {
                context.setVariable(name, value);
            }
        }
        return context;
    }

    boolean namesAreKnown() {
        return !names.contains(null);
    }

    int count() {
        return names.size();
    }

    Set<String> variables() {
        Set<String> all = new LinkedHashSet<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            if (name != null) {
                all.add(name);
            }
        }
        for (int i = 0; i < names.size(); i++) {
            all.add("p" + i);
            all.add("a" + i);
        }
        return all;
    }
}
