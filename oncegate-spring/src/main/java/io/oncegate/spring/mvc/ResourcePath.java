package io.oncegate.spring.mvc;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.UriUtils;

/** The path within the application, matched as Spring MVC matches it, in one spelling per resource. */
final class ResourcePath {
    private ResourcePath() {}

    /** The path, or null if it has none that could be matched. */
    static @Nullable PathContainer of(HttpServletRequest request) {
        try {
            return ServletRequestPathUtils.parse(request).pathWithinApplication();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** The path with the fewest escapes, so that {@code /%31} and {@code /1} are one resource. */
    static String canonical(PathContainer path) {
        StringBuilder text = new StringBuilder();
        for (PathContainer.Element element : path.elements()) {
            if (element instanceof PathContainer.PathSegment segment) {
                text.append(UriUtils.encode(segment.valueToMatch(), StandardCharsets.UTF_8));
                new TreeMap<String, List<String>>(segment.parameters())
                        .forEach((name, values) -> text.append(';')
                                .append(UriUtils.encode(name, StandardCharsets.UTF_8))
                                .append('=')
                                .append(UriUtils.encode(String.join(",", values), StandardCharsets.UTF_8)));
            } else {
                text.append(element.value());
            }
        }
        return text.toString();
    }
}
