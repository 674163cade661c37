package io.oncegate.testkit;

/**
 * What a token store can be asked for in a test's time. A contract asks for it, so that the author of a new store has to
 * answer.
 *
 * @param races how many rounds of 64 threads that race for one token
 * @param manyIssues how many tokens one subject asks for without using any: 100,000, fewer on a slow store
 */
public record TokenStoreAbilities(int races, int manyIssues) {}
