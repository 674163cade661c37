package io.oncegate.testkit;

/** A backend that a contract may restart, as a crash and a supervisor would. */
public interface RestartableBackend extends StoreBackend {
    /** Ends the backend without warning and starts it again on the data that it had; returns once it answers. */
    void restart();
}
