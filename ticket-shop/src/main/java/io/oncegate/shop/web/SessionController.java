package io.oncegate.shop.web;

import io.oncegate.shop.catalog.Catalog;
import io.oncegate.shop.catalog.ConcertSession;
import java.util.List;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What is on. Open to everybody. */
@RestController
class SessionController {
    private final Catalog catalog;

    SessionController(Catalog catalog) {
        this.catalog = catalog;
    }

    @GetMapping(path = "/api/sessions", produces = MediaType.APPLICATION_JSON_VALUE)
    List<ConcertSession> sessions() {
        return catalog.all();
    }
}
