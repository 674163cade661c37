package io.oncegate.boot;

/** No store for records is configured, or the one that is asked for cannot be had. Found at start-up. */
final class MissingStoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    MissingStoreException(String message, String remedy) {
        super(message + ". " + remedy);
        this.remedy = remedy;
    }

    String remedy() {
        return remedy;
    }
}
