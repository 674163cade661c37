package io.oncegate.core.spi;

import io.oncegate.core.key.RecordId;

/**
 * Names one claim of one record. Stores match fence and attempt on every renew, settle and release.
 *
 * @param id the record
 * @param fence the number that the store gave to the claim
 * @param attempt the name that the claimant gave to it
 */
public record ClaimRef(RecordId id, long fence, AttemptId attempt) {}
