package io.oncegate.shop.web;

import io.oncegate.shop.catalog.Catalog;
import io.oncegate.shop.catalog.ConcertSession;
import io.oncegate.shop.catalog.UnknownSessionException;
import io.oncegate.shop.gate.FormTokens;
import io.oncegate.shop.order.Order;
import io.oncegate.shop.order.OrderRequest;
import io.oncegate.spring.http.KeySource;
import io.oncegate.spring.token.TokenKeySource;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.security.Principal;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;

/**
 * The page of a session, with a form that places one order however often it is sent: its hidden token is the request's key.
 * The gate stands before {@link #place}.
 */
@Controller
class SessionPage {
    private static final String QUANTITY = "quantity";
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");
    private static final Pattern ID = Pattern.compile("[0-9]{1,18}");

    private final Catalog catalog;
    private final FormTokens tokens;
    private final OrderDesk desk;

    SessionPage(Catalog catalog, FormTokens tokens, OrderDesk desk) {
        this.catalog = catalog;
        this.tokens = tokens;
        this.desk = desk;
    }

    @GetMapping(path = "/sessions/{id}", produces = MediaType.TEXT_HTML_VALUE)
    String form(@PathVariable String id, Principal visitor, Model model) {
        ConcertSession session = catalog.find(number(id)).orElseThrow(UnknownSessionException::new);
        model.addAttribute("title", session.name());
        model.addAttribute("session", session);
        model.addAttribute("price", session.price().toPlainString());
        model.addAttribute("available", session.stock() > 0);
        model.addAttribute("field", TokenKeySource.FIELD);
        model.addAttribute("token", tokens.issue(visitor.getName()));
        return "session";
    }

    /** Another address than the form's shows the order, so that a reload asks for that and sends nothing again. */
    @PostMapping(
            path = "/sessions/{id}/orders",
            consumes = {MediaType.APPLICATION_FORM_URLENCODED_VALUE, MediaType.MULTIPART_FORM_DATA_VALUE})
    ResponseEntity<Void> place(
            @PathVariable String id,
            @RequestAttribute(KeySource.ATTRIBUTE) String key,
            Principal visitor,
            HttpServletRequest request,
            HttpServletResponse response) {
        int quantity = quantity(request.getParameterValues(QUANTITY));
        Order order = desk.place(new OrderRequest(visitor.getName(), key, number(id), quantity), response);
        return ResponseEntity.status(HttpStatus.SEE_OTHER)
                .location(URI.create("/orders/" + order.orderNo()))
                .build();
    }

    static long number(String id) {
        if (!ID.matcher(id).matches()) {
            throw new UnknownSessionException();
        }
        return Long.parseLong(id);
    }

    private static int quantity(String @Nullable [] values) {
        String text = values == null || values.length != 1 ? "" : values[0].strip();
        int quantity = NUMBER.matcher(text).matches() ? Integer.parseInt(text) : 0;
        if (quantity < 1) {
            throw new BadOrderException("Say how many seats you want: a whole number, 1 or more.");
        }
        return quantity;
    }
}
