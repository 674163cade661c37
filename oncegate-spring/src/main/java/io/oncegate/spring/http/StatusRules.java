package io.oncegate.spring.http;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Says what an answer's status means for the key. Immutable.
 *
 * <p>By default: 2xx and 3xx are kept; so is a 4xx that is the business's definitive answer (404, 409, 410, 412, 422 and
 * those not named here); a 4xx about the request's form, the caller's rights or the moment is not (400, 401, 403, 405 to
 * 408, 411, 413 to 415, 417, 421, 423 to 426, 428, 429, 431), so that a corrected or later request with the same key runs;
 * 5xx is not. What is not kept frees the key, which says that nothing has happened: an operation that cannot say so of, for
 * example, its 504 declares it as unknown.
 */
public final class StatusRules {
    /** What becomes of the key. */
    public enum Meaning {
        /** The answer is recorded and replayed. */
        KEEP,
        /** Nothing has happened: the key is free again, and the answer is passed on. */
        RELEASE,
        /** Nobody knows what has happened: the key is neither run again nor replayed until that has been found out. */
        UNKNOWN
    }

    private static final Set<Integer> NOT_DEFINITIVE =
            Set.of(400, 401, 403, 405, 406, 407, 408, 411, 413, 414, 415, 417, 421, 423, 424, 425, 426, 428, 429, 431);

    private static final StatusRules DEFAULTS = new StatusRules(Map.of());

    private final Map<Integer, Meaning> special;

    private StatusRules(Map<Integer, Meaning> special) {
        this.special = special;
    }

    /** The default rules. */
    public static StatusRules defaults() {
        return DEFAULTS;
    }

    /**
     * The same rules, but these answers are kept.
     *
     * @throws IllegalArgumentException for 429 and 5xx, which are never definitive
     */
    public StatusRules keep(int... statuses) {
        for (int status : statuses) {
            if (status == 429 || status >= 500) {
                throw new IllegalArgumentException(
                        "an answer " + status + " is never kept; release it, or declare it as unknown");
            }
        }
        return with(Meaning.KEEP, statuses);
    }

    /** The same rules, but these answers free the key. */
    public StatusRules release(int... statuses) {
        return with(Meaning.RELEASE, statuses);
    }

    /** The same rules, but after these answers nobody knows what has happened. */
    public StatusRules unknown(int... statuses) {
        return with(Meaning.UNKNOWN, statuses);
    }

    private StatusRules with(Meaning meaning, int... statuses) {
        Map<Integer, Meaning> all = new TreeMap<>(special);
        for (int status : statuses) {
            if (status < 200 || status > 599) {
                throw new IllegalArgumentException("a final status is 200 to 599, not " + status);
            }
            all.put(status, meaning);
        }
        return new StatusRules(all);
    }

    /** What this status means. */
    public Meaning of(int status) {
        Meaning meaning = special.get(status);
        if (meaning != null) {
            return meaning;
        }
        boolean definitive = status >= 200 && status < 500 && !NOT_DEFINITIVE.contains(status);
        return definitive ? Meaning.KEEP : Meaning.RELEASE;
    }
}
