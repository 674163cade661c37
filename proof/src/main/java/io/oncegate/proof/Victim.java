package io.oncegate.proof;

import io.oncegate.core.Outcome;
import io.oncegate.testkit.CrashPoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * The main program of a process that is to be killed. It says on its output where it is, one line each that begins with
 * {@code @}, and waits there for a line on its input.
 */
public final class Victim {
    static final String BATCH = "BATCH";
    private static final int PLACE = 5;

    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private final Side side;

    private Victim(Side side) {
        this.side = side;
    }

    /** Runs one operation, or operations without end. Arguments: the place, the lease in ms, the label, the key. */
    public static void main(String[] arguments) throws SQLException {
        List<String> list = List.of(arguments);
        Duration lease = Duration.ofMillis(Long.parseLong(list.get(PLACE)));
        Place place = Place.of(list);
        try (Side side = new Side(place, Side.Settings.lease(lease))) {
            Victim victim = new Victim(side);
            String label = list.get(PLACE + 1);
            String key = list.get(PLACE + 2);
            if (label.equals(BATCH)) {
                victim.runBatch(key);
            } else {
                victim.runOne(place.mode(), Label.valueOf(label), key);
            }
        }
    }

    private void runOne(Mode mode, Label label, String key) throws SQLException {
        Runnable halfway = () -> {};
        switch (label) {
            case AFTER_CLAIM -> side.points().at(CrashPoint.AFTER_CLAIM, () -> waitAt(label));
            case INSIDE_BUSINESS -> halfway = () -> waitAt(label);
            case COMMIT_UNSENT -> side.watch().beforeCommit(() -> waitAt(label));
            case COMMIT_UNANSWERED -> side.watch().afterCommit(() -> waitAt(label));
            case AFTER_EFFECT_BEFORE_SETTLE -> {
                // In the late way the record itself is the settling.
                boolean late = mode == Mode.SAME_TRANSACTION_LATE;
                side.points().at(late ? CrashPoint.BEFORE_CLAIM : CrashPoint.BEFORE_SETTLE, () -> waitAt(label));
            }
            case AFTER_SETTLE_BEFORE_ANSWER -> {}
        }
        Outcome<String> outcome = side.run(key, "victim", halfway);
        if (label == Label.AFTER_SETTLE_BEFORE_ANSWER) {
            waitAt(label);
        }
        say("ANSWER " + outcome.getClass().getSimpleName() + " " + outcome.orElseThrow());
    }

    private void runBatch(String key) throws SQLException {
        for (int i = 0; ; i++) {
            int number = i;
            side.watch().beforeCommit(() -> say("COMMITTING " + number));
            say("BEGIN " + number);
            Outcome<String> outcome = side.run(key + "-" + number, "victim");
            if (!(outcome instanceof Outcome.Executed)) {
                throw new IllegalStateException("a key of its own was answered " + outcome);
            }
            say("DONE " + number);
        }
    }

    private void waitAt(Label label) {
        say("AT " + label);
        try {
            if (in.readLine() == null) {
                // The parent is gone.
                Runtime.getRuntime().halt(3);
            }
        } catch (IOException e) {
            Runtime.getRuntime().halt(3);
        }
    }

    private static void say(String line) {
        System.out.println("@" + line);
        System.out.flush();
    }
}
