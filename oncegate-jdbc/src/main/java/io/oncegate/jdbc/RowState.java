package io.oncegate.jdbc;

/**
 * What a row's state was when it was read.
 *
 * @param state the state
 * @param version the row's version
 * @param <S> the states
 */
public record RowState<S extends Enum<S>>(S state, long version) {}
