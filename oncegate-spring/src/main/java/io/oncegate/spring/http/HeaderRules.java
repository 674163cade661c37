package io.oncegate.spring.http;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Says which headers of an answer are kept and replayed. By default those that describe the body and the created resource;
 * an application adds its own. Some never are, because they speak of one exchange, one session or one hop: cookies,
 * challenges, dates, ids of requests and traces, rate limits, CORS, and the connection's own. Immutable.
 */
public final class HeaderRules {
    /** The header that marks a replay. */
    public static final String REPLAYED = "Idempotent-Replayed";

    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}");

    private static final Set<String> NEVER = Set.of(
            "age",
            "alt-svc",
            "authentication-info",
            "authorization",
            "clear-site-data",
            "connection",
            "content-length",
            "date",
            "idempotent-replayed",
            "keep-alive",
            "nel",
            "proxy-authenticate",
            "proxy-authentication-info",
            "proxy-connection",
            "report-to",
            "retry-after",
            "server",
            "server-timing",
            "set-cookie",
            "set-cookie2",
            "strict-transport-security",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "via",
            "www-authenticate");

    private static final Pattern NEVER_LIKE = Pattern.compile(
            "access-control-.*|(x-)?rate-?limit.*|x-b3-.*|(x-)?(amzn-)?(request|correlation|trace|transaction|span)-?id"
                    + "|x-amzn-trace-id|x-cloud-trace-context|trace(parent|state|response)");

    private static final List<String> DEFAULT = List.of(
            "Cache-Control",
            "Content-Disposition",
            "Content-Encoding",
            "Content-Language",
            "Content-Location",
            "Content-Type",
            "ETag",
            "Last-Modified",
            "Link",
            "Location",
            "Vary");

    private static final HeaderRules DEFAULTS =
            new HeaderRules(new TreeSet<>(String.CASE_INSENSITIVE_ORDER)).and(DEFAULT.toArray(String[]::new));

    private final Set<String> kept;

    private HeaderRules(Set<String> kept) {
        this.kept = kept;
    }

    /** The default rules. */
    public static HeaderRules defaults() {
        return DEFAULTS;
    }

    /**
     * These rules and more headers to keep.
     *
     * @throws IllegalArgumentException for one that is never replayed
     */
    public HeaderRules and(String... names) {
        Set<String> all = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        all.addAll(kept);
        for (String name : names) {
            if (isNever(requireName(name))) {
                throw new IllegalArgumentException("the header " + name
                        + " belongs to one exchange and is never replayed; take it off the list of kept headers");
            }
            all.add(name);
        }
        return new HeaderRules(all);
    }

    /** Whether a header is kept. */
    public boolean keeps(String name) {
        return kept.contains(name);
    }

    private static boolean isNever(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return NEVER.contains(lower) || NEVER_LIKE.matcher(lower).matches();
    }

    static String requireName(String name) {
        if (name == null || !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not the name of an HTTP header: " + name);
        }
        return name;
    }
}
