package io.oncegate.spring.internal;

/** Marks exceptions that tell of a mistake in the program, which is no answer to a request. */
public interface Misuse {}
