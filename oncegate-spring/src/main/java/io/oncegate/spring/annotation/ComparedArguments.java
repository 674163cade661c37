package io.oncegate.spring.annotation;

import io.oncegate.spring.internal.CanonicalText;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Says which arguments count where no fingerprint expression does: all but those that the web framework hands in. */
final class ComparedArguments {
    private static final Set<String> FRAMEWORK = Set.of(
            "jakarta.servlet.ServletRequest",
            "jakarta.servlet.ServletResponse",
            "jakarta.servlet.http.HttpSession",
            "java.security.Principal",
            "org.springframework.http.HttpHeaders",
            "org.springframework.http.server.reactive.ServerHttpRequest",
            "org.springframework.http.server.reactive.ServerHttpResponse",
            "org.springframework.ui.Model",
            "org.springframework.validation.Errors",
            "org.springframework.web.context.request.WebRequest",
            "org.springframework.web.server.ServerWebExchange",
            "org.springframework.web.server.WebSession",
            "org.springframework.web.bind.support.SessionStatus",
            "org.springframework.web.util.UriComponentsBuilder");

    private ComparedArguments() {}

    static List<Integer> of(Method method, Class<?> type, List<String> problems) {
        List<Integer> compared = new ArrayList<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            Class<?> parameter =
                    ResolvableType.forMethodParameter(method, i, type).resolve(Object.class);
            if (isFrameworks(parameter)) {
                continue;
            }
            if (CanonicalText.isHopeless(parameter)) {
                problems.add("has an argument of type " + parameter.getName()
                        + ", whose content cannot be compared; say what is to be compared by a fingerprint expression");
            }
            compared.add(i);
        }
        return compared;
    }

    private static boolean isFrameworks(Class<?> parameter) {
        for (Class<?> c = parameter; c != null; c = c.getSuperclass()) {
            if (FRAMEWORK.contains(c.getName())) {
                return true;
            }
        }
        return ClassUtils.getAllInterfacesForClassAsSet(parameter).stream()
                .anyMatch(each -> FRAMEWORK.contains(each.getName()));
    }
}
