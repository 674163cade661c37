package io.oncegate.shop.web;

import io.oncegate.shop.catalog.Catalog;
import io.oncegate.shop.catalog.ConcertSession;
import io.oncegate.shop.order.Order;
import io.oncegate.shop.order.Orders;
import io.oncegate.shop.order.UnknownOrderException;
import java.security.Principal;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

    private final Orders orders;
    private final Catalog catalog;

    OrderPage(Orders orders, Catalog catalog) {
        this.orders = orders;
        this.catalog = catalog;
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
    String one(@PathVariable String orderNo, @Nullable Principal visitor, Model model) {
        if (visitor == null) {
            throw new UnknownOrderException();
        }
        Order order = orders.find(visitor.getName(), orderNo).orElseThrow(UnknownOrderException::new);
        model.addAttribute("title", "Your order");
        model.addAttribute("order", row(order, catalog.find(order.sessionId()).orElse(null)));
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
