package io.oncegate.testkit;

import io.oncegate.core.lock.Locks;

/** Another process on the same backend, which a contract ends while it holds locks. */
public interface DoomedProcess {
    /** Its locks; the same object on every call. */
    Locks locks();

    /** Ends it as a kill would: from now on it neither renews nor releases anything. May be called again. */
    void die();
}
