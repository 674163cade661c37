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
 */
record Actor(int number, char payload, Step step, long claim, int value, long keep) {
    /** What an actor does next. */
    enum Step {
        CLAIM,
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
        return new Actor(number, payload, Step.CLAIM, 0, -1, 0);
    }

    static Actor forgetter(int number, Order order) {
        Step first = switch (order) {
            case FORGET_FAST_FIRST -> Step.FORGET_FAST;
            case FORGET_WITHOUT_MARK -> Step.FORGET_JUDGE;
            default -> Step.MARK;
        };
        return new Actor(number, '-', first, 0, -1, 0);
    }

    Actor at(Step next) {
        return next == Step.END
                ? new Actor(number, payload, next, 0, -1, 0) // what it knew makes no difference any more
                : new Actor(number, payload, next, claim, value, keep);
    }

    Actor claimed(long fence) {
        return new Actor(number, payload, step, fence, value, keep);
    }

    Actor knows(int answer, long keptFor) {
        return new Actor(number, payload, step, claim, answer, keptFor);
    }

    boolean ended() {
        return step == Step.END;
    }
}
