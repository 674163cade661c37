package io.oncegate.spring.http;

/** What a request's key header says. */
public sealed interface KeyReading {
    /** A usable key. Its text form does not show it. */
    record Found(String value) implements KeyReading {
        @Override
        public String toString() {
            return "Found[" + value.length() + " characters]";
        }
    }

    /** There is no such header. */
    record Missing() implements KeyReading {}

    /**
     * The header is there and cannot be used.
     *
     * @param detail what is wrong and what to send instead; never quotes the header
     */
    record Invalid(String detail) implements KeyReading {}
}
