package io.oncegate.shop.web;

import io.oncegate.shop.catalog.Catalog;
import io.oncegate.shop.catalog.ConcertSession;
import io.oncegate.shop.order.Order;
import io.oncegate.shop.order.OrderEvent;
import io.oncegate.shop.order.OrderLife;
import io.oncegate.shop.order.OrderStatus;
import io.oncegate.shop.order.Orders;
import io.oncegate.shop.order.UnknownOrderException;
import io.oncegate.shop.payment.Payment;
import io.oncegate.shop.payment.Payments;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.security.Principal;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

/** The pages of orders, each visitor's own. */
@Controller
class OrderPage {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "d MMMM yyyy, HH:mm:ss 'UTC'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private static final Map<OrderStatus, String> HEADINGS = Map.of(
            OrderStatus.PENDING_PAYMENT, "Your order is placed",
            OrderStatus.PAID, "Your order is paid",
            OrderStatus.SHIPPED, "Your tickets are on their way",
            OrderStatus.COMPLETED, "Your tickets have arrived",
            OrderStatus.CANCELLED, "Your order is cancelled");

    private static final Map<OrderEvent, StepRow> STEPS = Map.of(
            OrderEvent.PAY, new StepRow("pay", "Pay", "Takes the money, once.", false),
            OrderEvent.CANCEL, new StepRow("cancel", "Cancel", "Gives the seats back.", true),
            OrderEvent.SHIP,
                    new StepRow("ship", "Send the tickets", "The shop's part; anybody may play it here.", false),
            OrderEvent.COMPLETE, new StepRow("complete", "They have arrived", "Ends the order.", false));

    private final Orders orders;
    private final OrderLife life;
    private final Payments payments;
    private final Catalog catalog;

    OrderPage(Orders orders, OrderLife life, Payments payments, Catalog catalog) {
        this.orders = orders;
        this.life = life;
        this.payments = payments;
        this.catalog = catalog;
    }

    /** A button of the page. */
    record StepRow(String event, String label, String what, boolean quiet) {}

    /** A payment as the page shows it. */
    record PaymentRow(int attempt, String amount, String outcome, String receipt) {
        static PaymentRow of(Payment payment) {
            String outcome = switch (payment.state()) {
                case STARTED -> "not known yet; the shop is finding out";
                case TAKEN -> "the money was taken";
                case DECLINED -> "the card was declined, nothing was taken";
                case GIVEN_UP -> "it did not come to it, nothing was taken";
            };
            return new PaymentRow(
                    payment.attempt(),
                    payment.amount().toPlainString(),
                    outcome,
                    Objects.toString(payment.reference(), ""));
        }
    }

    /** An order as the page shows it. */
    record Row(
            String orderNo, long sessionId, String session, int quantity, String amount, String status, String time) {}

    @GetMapping(path = "/orders", produces = MediaType.TEXT_HTML_VALUE)
    String list(@Nullable Principal visitor, Model model) {
        List<Order> mine = visitor == null ? List.of() : orders.of(visitor.getName());
        Map<Long, ConcertSession> sessions =
                catalog.all().stream().collect(Collectors.toMap(ConcertSession::id, Function.identity()));
        model.addAttribute("title", "Your orders");
        model.addAttribute("none", mine.isEmpty());
        model.addAttribute(
                "orders",
                mine.stream()
                        .map(order -> row(order, sessions.get(order.sessionId())))
                        .toList());
        return "orders";
    }

    @GetMapping(path = "/orders/{orderNo}", produces = MediaType.TEXT_HTML_VALUE)
    String one(
            @PathVariable String orderNo,
            @Nullable Principal visitor,
            HttpServletRequest request,
            HttpServletResponse response,
            Model model) {
        if (visitor == null) {
            throw new UnknownOrderException();
        }
        Order order = orders.find(visitor.getName(), orderNo).orElseThrow(UnknownOrderException::new);
        OrderStatus status = order.status();
        List<PaymentRow> paid = payments.of(visitor.getName(), orderNo).stream()
                .map(PaymentRow::of)
                .toList();
        model.addAttribute("title", "Your order");
        model.addAttribute("heading", HEADINGS.get(status));
        model.addAttribute("again", RepeatNotice.take(request, response, orderNo));
        model.addAttribute("order", row(order, catalog.find(order.sessionId()).orElse(null)));
        model.addAttribute(
                "steps", life.allowed(orderNo, status).stream().map(STEPS::get).toList());
        model.addAttribute("paid", !paid.isEmpty());
        model.addAttribute("payments", paid);
        return "order";
    }

    private static Row row(Order order, @Nullable ConcertSession session) {
        return new Row(
                order.orderNo(),
                order.sessionId(),
                session == null ? "Session " + order.sessionId() : session.name(),
                order.quantity(),
                order.amount().toPlainString(),
                order.status().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                TIME.format(order.createdAt()));
    }
}
