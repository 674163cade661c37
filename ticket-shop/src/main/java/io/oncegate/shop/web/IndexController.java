package io.oncegate.shop.web;

import io.oncegate.shop.catalog.Catalog;
import io.oncegate.shop.catalog.ConcertSession;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;
import org.springframework.web.util.HtmlUtils;

/** One plain page that tells what this is and how to try it. */
@RestController
class IndexController {
    private static final String PAGE = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Ticket Shop</title>
            <style>
              body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; color: #222; }
              table { border-collapse: collapse; width: 100%; }
              th, td { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid #ddd; }
              .number { text-align: right; font-variant-numeric: tabular-nums; }
              pre { background: #f4f4f4; padding: 1rem; overflow-x: auto; }
            </style>
            </head>
            <body>
            <h1>Ticket Shop</h1>
            <p>Any request may come twice: a double click, a gateway's retry, a client's retry. This shop sells each order
            once, and gives every repetition the first answer.</p>
            <table>
            <thead><tr><th class="number">Id</th><th>Session</th><th class="number">Price</th><th class="number">Seats left</th></tr></thead>
            <tbody>
            ROWS</tbody>
            </table>
            <h2>Try it</h2>
            <p>Send this twice. The second answer is the first one again, byte for byte, with the header
            <code>Idempotent-Replayed: true</code>; two seats are gone, not four.</p>
            <pre>curl -i ADDRESS/api/orders \\
              -H 'X-User: alice' -H 'Idempotency-Key: my-first-order' \\
              -H 'Content-Type: application/json' -d '{"sessionId":1,"quantity":2}'</pre>
            <p>Then look at what was sold:</p>
            <pre>curl -i ADDRESS/api/orders -H 'X-User: alice'</pre>
            <p>Another body under the same key gets 422, no key 400, too many seats 409.</p>
            </body>
            </html>
            """;

    private final Catalog catalog;

    IndexController(Catalog catalog) {
        this.catalog = catalog;
    }

    @GetMapping(path = "/", produces = MediaType.TEXT_HTML_VALUE + ";charset=UTF-8")
    String index() {
        StringBuilder rows = new StringBuilder();
        for (ConcertSession session : catalog.all()) {
            rows.append("<tr><td class=\"number\">")
                    .append(session.id())
                    .append("</td><td>")
                    .append(HtmlUtils.htmlEscape(session.name()))
                    .append("</td><td class=\"number\">")
                    .append(session.price().toPlainString())
                    .append("</td><td class=\"number\">")
                    .append(session.stock())
                    .append("</td></tr>\n");
        }
        String address = ServletUriComponentsBuilder.fromCurrentContextPath().toUriString();
        return PAGE.replace("ROWS", rows).replace("ADDRESS", HtmlUtils.htmlEscape(address));
    }
}
