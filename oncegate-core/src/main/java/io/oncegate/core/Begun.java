package io.oncegate.core;

/**
 * What {@link Oncegate#begin} answers: a claim to run the business under, or an outcome that needs no running.
 *
 * @param <T> the result's type
 */
public sealed interface Begun<T> {
    /** The caller holds the claim and has to end it. */
    record Started<T>(Claim<T> claim) implements Begun<T> {}

    /** There is nothing to run. */
    record Answered<T>(Outcome<T> outcome) implements Begun<T> {}
}
