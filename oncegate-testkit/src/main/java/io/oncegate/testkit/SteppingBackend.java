package io.oncegate.testkit;

import java.time.Duration;

/** A backend whose clock a contract may step back, as a correction of the time would. */
public interface SteppingBackend extends StoreBackend {
    /** Steps the clock back by this much. */
    void stepBack(Duration duration);
}
