package io.oncegate.core.error;

import java.util.List;

/** The key has been used for another request. Nothing was run and the record is untouched. */
public final class MismatchException extends OncegateException {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // always List.copyOf, which is serializable
    private final List<String> parts;

    /** Creates the exception. */
    public MismatchException(String operation, List<String> parts, String keyDigest) {
        super(
                "operation " + operation + ": this key was used with another request; different: "
                        + String.join(", ", parts) + "; use a new key for a new request",
                keyDigest,
                null);
        this.parts = List.copyOf(parts);
    }

    /** Names of the fingerprint's parts that differ. */
    public List<String> parts() {
        return parts;
    }
}
