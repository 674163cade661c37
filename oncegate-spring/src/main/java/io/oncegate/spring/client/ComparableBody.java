package io.oncegate.spring.client;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What of a body is the same in every attempt: all but the boundary of a multipart, which is drawn anew each time. */
final class ComparableBody {
    private static final Pattern BOUNDARY = Pattern.compile("(?i)multipart/.*;\\s*boundary=\"?([^\";]+).*");

    private ComparableBody() {}

    static byte[] of(@Nullable String contentType, byte[] body) {
        Matcher boundary = BOUNDARY.matcher(contentType == null ? "" : contentType);
        return boundary.matches()
                ? new String(body, StandardCharsets.ISO_8859_1)
                        .replace(boundary.group(1), "")
                        .getBytes(StandardCharsets.ISO_8859_1)
                : body;
    }
}
