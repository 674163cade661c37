package io.oncegate.core.state;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An event that happened to one row. Immutable; its text form shows neither id nor payload.
 *
 * <p>The id is the business's own, and the same for every delivery of the event: a payment's number, the id of a webhook's
 * event, a request's id. Never a broker's offset, and never made anew for each attempt. Ids are compared byte for byte, within
 * one row of one machine.
 *
 * @param <E> the events
 */
public final class StateEvent<E extends Enum<E>> {
    /** The most UTF-8 bytes of an id. */
    public static final int MAX_ID_BYTES = 255;

    private final E event;
    private final String id;
    private final @Nullable Object payload;
    private final Fingerprint content;

    private StateEvent(E event, String id, @Nullable Object payload, Fingerprint content) {
        this.event = event;
        this.id = id;
        this.payload = payload;
        this.content = content;
    }

    /**
     * An event that its id alone describes.
     *
     * @param id 1 to {@value #MAX_ID_BYTES} bytes in UTF-8, not blank
     * @throws InvalidKeyException if the id cannot be used
     */
    public static <E extends Enum<E>> StateEvent<E> of(E event, String id) {
        if (event == null) {
            throw new InvalidKeyException("the event is missing; name one of the machine's events");
        }
        OperationKey.of("state.event", Scope.global(), id);
        if (id.getBytes(StandardCharsets.UTF_8).length > MAX_ID_BYTES) {
            throw new InvalidKeyException(
                    "an event's id has more than " + MAX_ID_BYTES + " bytes; use a shorter one, such as a UUID");
        }
        return new StateEvent<>(event, id, null, Fingerprint.none());
    }

    /**
     * The same event with what guards and actions need to know.
     *
     * @param payload is handed to them as it is
     * @param content what of it has to be the same when the event comes again
     */
    public StateEvent<E> carrying(Object payload, Fingerprint content) {
        return new StateEvent<>(event, id, payload, content);
    }

    /** What happened. */
    public E event() {
        return event;
    }

    /** The id, in the clear: not for logs. */
    public String id() {
        return id;
    }

    /** What it carries, or null. */
    public @Nullable Object payload() {
        return payload;
    }

    /** What has to be the same when it comes again. */
    public Fingerprint content() {
        return content;
    }

    @Override
    public String toString() {
        return "StateEvent[" + event + "]";
    }
}
