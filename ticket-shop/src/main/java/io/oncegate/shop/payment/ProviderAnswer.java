package io.oncegate.shop.payment;

/** What the provider says of a payment, or what its silence means. */
sealed interface ProviderAnswer {
    /** The money has been taken. */
    record Taken(String reference) implements ProviderAnswer {}

    /** The card was declined; nothing was taken, and nothing will be. */
    record Declined() implements ProviderAnswer {}

    /** The provider was not reached, or has said that it did not begin: nothing was taken. */
    record NotBegun(String why) implements ProviderAnswer {}

    /** It has no such payment: none has arrived, or none yet, or it has been forgotten. */
    record NoneKnown() implements ProviderAnswer {}

    /** Nobody knows. */
    record Unclear(String why) implements ProviderAnswer {}
}
