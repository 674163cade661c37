package io.oncegate.shop.web;

import io.oncegate.shop.catalog.Catalog;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/** The first page: tells what this is, what is on, and how to try it. */
@Controller
class IndexController {
    private final Catalog catalog;

    IndexController(Catalog catalog) {
        this.catalog = catalog;
    }

    /** A session as the page shows it. */
    record Row(long id, String name, String price, int stock) {}

    @GetMapping(path = "/", produces = MediaType.TEXT_HTML_VALUE)
    String index(Model model) {
        model.addAttribute("title", "Ticket Shop");
        model.addAttribute(
                "sessions",
                catalog.all().stream()
                        .map(session -> new Row(
                                session.id(), session.name(), session.price().toPlainString(), session.stock()))
                        .toList());
        model.addAttribute(
                "address", ServletUriComponentsBuilder.fromCurrentContextPath().toUriString());
        // not "index", which Spring Boot would also show by itself, without a model
        return "home";
    }
}
