package io.oncegate.core.ladder;

/**
 * One who calls, or forgets. Immutable.
 *
 * @param number who it is; also the value that its run returns
 * @param payload what it asks for
 * @param step what it does next
 * @param claim the fence of its claim in the fast store, or of its mark at the judge; 0 without one
 * @param value what the judge's record says that it has read or written
 * @param keep how long the fast store may keep that
 * @param renewal a renewal of its claim that has not been answered
 * @param mismatches how often it has met another payload in the fast store
 * @param bare whether its operation has no result, so that the judge's record is not written again when the business returns
 */
record Actor(
        int number,
        char payload,
        Step step,
        long claim,
        int value,
        long keep,
        Renewal renewal,
        int mismatches,
        boolean bare) {
    /** What became of a renewal that has not been answered. */
    enum Renewal {
        NONE,
        ON_ITS_WAY,
        ARRIVED
    }

    /** What an actor does next. */
    enum Step {
        CLAIM,
        CONFIRM,
        JUDGE,
        RUN,
        COMMIT,
        LOOK,
        SETTLE,
        RELEASE,
        MARK,
        FORGET_FAST,
        FORGET_JUDGE,
        END
    }

    static Actor caller(int number, char payload) {
        return new Actor(number, payload, Step.CLAIM, 0, -1, 0, Renewal.NONE, 0, false);
    }

    /** One whose operation has no result. */
    static Actor bare(int number) {
        return new Actor(number, 'a', Step.CLAIM, 0, -1, 0, Renewal.NONE, 0, true);
    }

    static Actor forgetter(int number, Order order) {
        Step first = switch (order) {
            case FORGET_FAST_FIRST -> Step.FORGET_FAST;
            case FORGET_WITHOUT_MARK -> Step.FORGET_JUDGE;
            default -> Step.MARK;
        };
        return new Actor(number, '-', first, 0, -1, 0, Renewal.NONE, 0, false);
    }

    Actor at(Step next) {
        if (next != Step.END) {
            return new Actor(number, payload, next, claim, value, keep, renewal, mismatches, bare);
        }
        // What it knew makes no difference any more, but for a message that is still on its way.
        boolean late = renewal == Renewal.ON_ITS_WAY;
        return new Actor(number, payload, next, late ? claim : 0, -1, 0, late ? renewal : Renewal.NONE, 0, bare);
    }

    Actor claimed(long fence) {
        return new Actor(number, payload, step, fence, value, keep, renewal, mismatches, bare);
    }

    Actor knows(int answer, long keptFor) {
        return new Actor(number, payload, step, claim, answer, keptFor, renewal, mismatches, bare);
    }

    Actor renewing(Renewal next) {
        return new Actor(number, payload, step, claim, value, keep, next, mismatches, bare);
    }

    /** It has met another payload in the fast store once more. */
    Actor mismatched() {
        return new Actor(number, payload, step, claim, value, keep, renewal, mismatches + 1, bare);
    }

    boolean ended() {
        return step == Step.END;
    }
}
