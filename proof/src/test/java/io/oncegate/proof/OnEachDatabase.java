package io.oncegate.proof;

import io.oncegate.core.Call;
import io.oncegate.core.Outcome;
import io.oncegate.proof.Effects.Seen;
import io.oncegate.testsupport.Databases;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** Tests that run on a new database of each kind and driver in turn. */
abstract class OnEachDatabase {
    static final Seen NOTHING = new Seen(0, 0, 0);
    static final Seen ONCE = new Seen(1, 1, 1);
    static final Seen RECORD_ONLY = new Seen(0, 0, 1);

    static SameTransactionScene scene;

    final Databases kind;

    OnEachDatabase(Databases kind) {
        this.kind = kind;
    }

    /** A refusal of the business. */
    static final class SoldOut extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SoldOut(String message) {
            super(message);
        }
    }

    @BeforeParameterizedClassInvocation
    static void openScene(Databases kind) throws SQLException {
        scene = new SameTransactionScene(kind);
    }

    @AfterParameterizedClassInvocation
    static void closeScene() {
        scene.close();
    }

    @AfterEach
    void clearScene() {
        scene.points.clear();
        scene.runs.set(0);
    }

    static Outcome<String> run(Call<String> call, String value) throws SQLException {
        return scene.once.run(call, scene.effect(call.key().value(), value));
    }
}
