package io.oncegate.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is offered is taken or given back, once, in whichever order offering, taking and cancelling come. */
class TicketTest {
    private final Ticket ticket = new Ticket();
    private final Entrance offered = new Entrance.Answer("result");

    @Test
    void whatIsOfferedIsTakenOnce() {
        assertThat(ticket.offer(offered)).isTrue();
        assertThat(ticket.take()).isSameAs(offered);
        assertThat(ticket.take()).isNull();
        assertThat(ticket.abandon()).as("it is the chain's that took it").isNull();
        assertThat(ticket.isAbandoned()).isFalse();
    }

    @Test
    void whatIsOfferedAfterACancellationIsRefused() {
        assertThat(ticket.abandon()).as("nothing was there").isNull();
        assertThat(ticket.isAbandoned()).isTrue();
        assertThat(ticket.offer(offered)).isFalse();
        assertThat(ticket.take()).isNull();
    }

    @Test
    void whatWasOfferedAndNotTakenIsGivenBackByWhoCancels() {
        assertThat(ticket.offer(offered)).isTrue();
        assertThat(ticket.abandon()).isSameAs(offered);
        assertThat(ticket.take()).isNull();
        assertThat(ticket.abandon()).as("once").isNull();
    }
}
