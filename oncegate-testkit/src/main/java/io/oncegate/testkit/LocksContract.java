package io.oncegate.testkit;

/**
 * What all {@link io.oncegate.core.lock.Locks} have to do for their users, as tests: extend it, supply the locks, a second
 * process's locks on the same backend, a process that dies, an outage, a look at the backend, and what the locks can be
 * asked for. Every test makes keys of its own, so that tests of one backend may share its data. The tests use real time.
 */
public abstract class LocksContract extends LocksFuzzChecks {}
