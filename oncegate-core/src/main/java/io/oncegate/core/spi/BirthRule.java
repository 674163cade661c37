package io.oncegate.core.spi;

import java.time.Duration;
import java.time.Instant;

/**
 * When a key that carries its birth time is too old, or too far in the future, to be run. It decides only where no record
 * answers.
 *
 * @param bornAt the birth time in the key
 * @param limit the age, by the store's clock, from which the key is refused
 * @param tolerance how far in the future the birth may lie
 */
public record BirthRule(Instant bornAt, Duration limit, Duration tolerance) {}
