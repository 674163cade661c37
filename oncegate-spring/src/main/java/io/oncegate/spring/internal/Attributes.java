package io.oncegate.spring.internal;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/** Reads the attributes of annotations: placeholders, durations, expressions over a method's arguments. Thread-safe. */
public final class Attributes {
    private final ConfigurableListableBeanFactory beans;

    /** Reads attributes in this bean factory. */
    public Attributes(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Whether the method is run on another thread as a whole. */
    public static boolean isAsync(Method method, Class<?> type) {
        return AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class);
    }

    /** Names a method for messages. */
    public static String label(Method method, Class<?> type) {
        List<String> parameters = new ArrayList<>();
        for (Class<?> parameter : method.getParameterTypes()) {
            parameters.add(parameter.getSimpleName());
        }
        return ClassUtils.getShortName(type) + "." + method.getName() + "(" + String.join(", ", parameters) + ")";
    }

    /** Runs it, and takes the message of what it throws for a problem. */
    public static void gather(List<String> problems, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
    }

    /** What expressions see of the method's calls. */
    public Arguments arguments(Method method, Class<?> type) {
        List<@Nullable String> names = new ArrayList<>();
        String[] found = names(method, type);
        for (int i = 0; i < method.getParameterCount(); i++) {
            names.add(found == null ? null : found[i]);
        }
        return new Arguments(names, beans);
    }

    /** The names, of the method or of one in an interface that it implements: proxies of interfaces have none. */
    private static String @Nullable [] names(Method method, Class<?> type) {
        DefaultParameterNameDiscoverer discoverer = new DefaultParameterNameDiscoverer();
        String[] names = discoverer.getParameterNames(method);
        if (names != null) {
            return names;
        }
        for (Class<?> each : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            Method declared = ClassUtils.getMethodIfAvailable(each, method.getName(), method.getParameterTypes());
            names = declared == null ? null : discoverer.getParameterNames(declared);
            if (names != null) {
                return names;
            }
        }
        return null;
    }

    /** Hands a duration on, if there is one. */
    public void duration(String what, String text, Consumer<Duration> setter, List<String> problems) {
        Duration duration = duration(what, text, problems);
        if (duration != null) {
            gather(problems, () -> setter.accept(duration));
        }
    }

    /** The duration, or null if the text is blank or wrong. */
    public @Nullable Duration duration(String what, String text, List<String> problems) {
        String resolved = resolved(what, text, problems);
        if (resolved.isBlank()) {
            return null;
        }
        try {
            return DurationFormatterUtils.detectAndParse(resolved.trim());
        } catch (RuntimeException e) {
            problems.add(what + " [" + text + "] is no duration; write 30s or PT30S");
            return null;
        }
    }

    /** The text with its placeholders resolved. */
    public String resolved(String what, String text, List<String> problems) {
        if (!text.contains("${")) {
            return text;
        }
        try {
            String resolved = beans.resolveEmbeddedValue(text);
            if (resolved != null && resolved.contains("${")) { // before the context has its resolvers
                resolved = beans.getBean(Environment.class).resolveRequiredPlaceholders(resolved);
            }
            return resolved == null ? "" : resolved;
        } catch (RuntimeException e) {
            problems.add(what + " [" + text + "] cannot be resolved; set the property");
            return "";
        }
    }

    /**
     * The only, or primary, bean of a type, or null.
     *
     * @param none the problem if there is none
     * @param several the problem if there are several
     */
    public <T> @Nullable T only(Class<T> type, String none, String several, List<String> problems) {
        try {
            T bean = beans.getBeanProvider(type).getIfAvailable();
            if (bean == null) {
                problems.add(none);
            }
            return bean;
        } catch (NoUniqueBeanDefinitionException e) {
            problems.add(several);
            return null;
        }
    }
}
