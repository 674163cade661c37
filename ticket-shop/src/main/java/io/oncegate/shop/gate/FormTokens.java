package io.oncegate.shop.gate;

import io.oncegate.core.key.Scope;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenIssue;
import io.oncegate.core.token.TokenMode;

/** Issues the tokens that the page's forms carry. They are replay tokens: nothing is stored until one is used. Thread-safe. */
public final class FormTokens {
    private final OnceTokens tokens;
    private final String purpose;

    FormTokens(OnceTokens tokens, String purpose) {
        this.tokens = tokens;
        this.purpose = purpose;
    }

    /** A token for one form of this visitor, whom the gate has to know by the same name. */
    public String issue(String visitor) {
        if (tokens.issue(Scope.of(visitor), purpose, TokenMode.REPLAY) instanceof TokenIssue.Issued issued) {
            return issued.token();
        }
        throw new IllegalStateException("replay tokens have no cap");
    }
}
