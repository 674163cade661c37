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
    private final Tally tally;

    IndexController(Catalog catalog, Tally tally) {
        this.catalog = catalog;
        this.tally = tally;
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
        model.addAttribute("repetitions", tally.repetitions());
        model.addAttribute("doubleClicks", tally.doubleClicks());
        model.addAttribute(
                "address", ServletUriComponentsBuilder.fromCurrentContextPath().toUriString());
        // not "index", which Spring Boot would also show by itself, without a model
        return "home";
    }
}
