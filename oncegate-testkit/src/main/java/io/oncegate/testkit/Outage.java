package io.oncegate.testkit;

/**
 * Cuts locks off from their backend, as a broken network would, and lets them back. Nobody else is cut off. A call that is
 * cut off may have reached the backend.
 */
public interface Outage {
    /** Begins: no call is answered from now on. Those that wait for an answer need not get one. */
    void begin();

    /** Ends: calls are answered again, as soon as the client has found its way back. May be called again. */
    void end();
}
