package io.oncegate.spring.http.internal;

import io.oncegate.core.key.Scope;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.UriUtils;

/** The path within the application, in one spelling per resource. */
public final class ResourcePath {
    private ResourcePath() {}

    /** The path with the fewest escapes, so that {@code /%31} and {@code /1} are one resource. */
    public static String canonical(PathContainer path) {
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

    /** The resource within the caller's scope. A long path stands there as its digest, which no path looks like. */
    static Scope within(Scope caller, String path) {
        if (path.length() <= Scope.MAX_PART_LENGTH) {
            return caller.and(path);
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(path.getBytes(StandardCharsets.UTF_8));
            return caller.and("sha-256:" + HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
