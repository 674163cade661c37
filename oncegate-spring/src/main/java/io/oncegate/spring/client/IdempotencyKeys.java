package io.oncegate.spring.client;

import io.oncegate.core.key.UuidV7;
import io.oncegate.spring.http.IdempotencyKeyHeader;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Says which requests get a key, and makes it: a UUID of version 7, sent as a string of a structured field, {@code
 * Idempotency-Key: "0199…"}. A key that the caller has set is never replaced. Immutable and thread-safe.
 *
 * <p>To whom keys are sent is said aloud: named hosts, or any. A client that is used for one service names that service's
 * host, so that a link into a foreign system takes no key along.
 */
public final class IdempotencyKeys {
    /** The methods that get a key, unless said otherwise. */
    public static final Set<String> DEFAULT_METHODS = Set.of("POST", "PATCH");

    private static final Set<String> ALLOWED_METHODS = Set.of("POST", "PATCH", "PUT", "DELETE");
    private static final Set<String> REPEATABLE_METHODS = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

    /** Of an address, behind the user: a name, or an IPv6 address in brackets, and perhaps a port. */
    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-f:.%]+]|[^\\s\\[\\]:/?#@]+)(?::([0-9]{0,5}))?");

    private final Predicate<URI> targets;
    private final Set<String> methods;
    private final String header;

    private IdempotencyKeys(Predicate<URI> targets, Set<String> methods, String header) {
        this.targets = targets;
        this.methods = methods;
        this.header = header;
    }

    /**
     * Keys for POST and PATCH to these hosts, each a host name or address, alone or with a port ({@code
     * api.example.com:8443}). Without a port every port of the host is meant. An IPv6 address with a port stands in brackets.
     *
     * @throws IllegalArgumentException if none is named, or one is no host, as where it holds a scheme or a path
     */
    public static IdempotencyKeys toHosts(String... hosts) {
        Set<String> names = new TreeSet<>();
        for (String host : hosts) {
            String name = host.toLowerCase(Locale.ROOT);
            Matcher parts = HOST.matcher(name.matches("[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*") ? '[' + name + ']' : name);
            if (!parts.matches() || !isPort(parts.group(2))) {
                throw new IllegalArgumentException(
                        "\"" + host + "\" is no host; name the host alone, or host:port, without scheme and path");
            }
            names.add(parts.group());
        }
        if (names.isEmpty()) {
            throw new IllegalArgumentException("no host is named; name one, or say toAnyHost()");
        }
        return to(uri -> isNamed(uri, names));
    }

    /** Keys for POST and PATCH to every host that the client is used for. */
    public static IdempotencyKeys toAnyHost() {
        return to(uri -> true);
    }

    /** Keys for POST and PATCH to the URIs that this says, for example by host and path. */
    public static IdempotencyKeys to(Predicate<URI> targets) {
        return new IdempotencyKeys(targets, DEFAULT_METHODS, IdempotencyKeyHeader.DEFAULT_NAME);
    }

    /**
     * The same for these methods: of POST, PATCH, PUT and DELETE.
     *
     * @throws IllegalArgumentException for another method: it has no effect that could happen twice
     */
    public IdempotencyKeys methods(String... methods) {
        Set<String> all = Set.of(methods);
        if (all.isEmpty() || !ALLOWED_METHODS.containsAll(all)) {
            throw new IllegalArgumentException("keys are for POST, PATCH, PUT and DELETE, not for " + all);
        }
        return new IdempotencyKeys(targets, all, header);
    }

    /** The same under another header name. */
    public IdempotencyKeys header(String name) {
        return new IdempotencyKeys(
                targets, methods, IdempotencyKeyHeader.lenient().named(name).name());
    }

    /** The header's name. */
    public String header() {
        return header;
    }

    /** A new header value: a UUID of version 7 in double quotes. */
    public static String newKey() {
        return quoted(UuidV7.next());
    }

    boolean isFor(String method, URI uri) {
        return methods.contains(method) && targets.test(uri);
    }

    /** The key of this request: of the attempt that is under way, else a new one. */
    static CallKey open(@Nullable Attempt attempt, String method, URI uri, byte @Nullable [] body) {
        return attempt == null ? CallKey.of(newKey()) : attempt.open(method, uri, body);
    }

    /** Whether a method may be repeated without a key (RFC 9110, section 9.2.2). */
    static boolean isRepeatable(String method) {
        return REPEATABLE_METHODS.contains(method);
    }

    private static String quoted(UUID uuid) {
        return '"' + uuid.toString() + '"';
    }

    private static boolean isNamed(URI uri, Set<String> names) {
        // not getHost(), which knows no name with an underscore
        @Nullable String authority = uri.getRawAuthority();
        if (authority == null) {
            return false;
        }
        String address = authority.substring(authority.lastIndexOf('@') + 1).toLowerCase(Locale.ROOT);
        Matcher parts = HOST.matcher(address);
        return parts.matches()
                && (names.contains(parts.group(1)) || names.contains(parts.group(1) + ":" + port(uri, parts.group(2))));
    }

    private static String port(URI uri, @Nullable String port) {
        return port != null && !port.isEmpty() ? port : "https".equalsIgnoreCase(uri.getScheme()) ? "443" : "80";
    }

    private static boolean isPort(@Nullable String port) {
        return port == null || (!port.isEmpty() && Integer.parseInt(port) < 65_536);
    }
}
