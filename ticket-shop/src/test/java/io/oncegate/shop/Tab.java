package io.oncegate.shop;

import io.oncegate.testsupport.Await;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import tools.jackson.databind.JsonNode;

/** A tab of a {@link Chromium}: opens pages, moves the mouse, and counts the forms that it sends. */
final class Tab {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Chromium browser;
    private final String session;
    private final Set<String> posts = ConcurrentHashMap.newKeySet();

    Tab(Chromium browser, String session) {
        this.browser = browser;
        this.session = session;
    }

    void prepare(boolean javaScript) {
        command("Page.enable", Map.of());
        command("Network.enable", Map.of());
        command("Emulation.setScriptExecutionDisabled", Map.of("value", !javaScript));
    }

    void event(JsonNode event) {
        JsonNode request = event.path("params").path("request");
        if (event.path("method").asString("").equals("Network.requestWillBeSent")
                && request.path("method").asString("").equals("POST")) {
            posts.add(event.path("params").path("requestId").asString());
        }
    }

    private JsonNode command(String method, Map<String, ?> parameters) {
        return browser.command(session, method, parameters);
    }

    /** How many forms it has sent. */
    int posts() {
        return posts.size();
    }

    void awaitPosts(int number) {
        Await.until(number + " forms are sent", PATIENCE, () -> posts() >= number);
    }

    void open(String address) {
        command("Page.navigate", Map.of("url", address));
        awaitPath(URI.create(address).getPath());
    }

    void reload() {
        evaluate("document.documentElement.title = 'old'");
        command("Page.reload", Map.of());
        Await.until(
                "the page is loaded anew",
                PATIENCE,
                () -> evaluate("document.readyState + document.documentElement.title")
                        .equals("complete"));
    }

    /** As the back button does. */
    void back() {
        JsonNode history = command("Page.getNavigationHistory", Map.of());
        JsonNode entry = history.get("entries").get(history.get("currentIndex").asInt() - 1);
        command("Page.navigateToHistoryEntry", Map.of("entryId", entry.get("id").asInt()));
        awaitPath(URI.create(entry.get("url").asString()).getPath());
    }

    void awaitPath(String regex) {
        // asked for at once: between two questions one page may give way to another
        Await.until(
                "the page is at " + regex,
                PATIENCE,
                () -> evaluate("document.readyState + location.pathname").matches("complete" + regex));
    }

    String path() {
        return evaluate("location.pathname");
    }

    String text(String selector) {
        return evaluate("document.querySelector('" + selector + "').innerText");
    }

    /** The value of an expression as text. This is the tester's, not the page's, and runs without JavaScript too. */
    String evaluate(String expression) {
        AtomicReference<String> value = new AtomicReference<>("");
        Await.until("the page answers", PATIENCE, () -> {
            try {
                JsonNode reply = command("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true));
                value.set(reply.path("result").path("value").asString(""));
                return true;
            } catch (CompletionException e) {
                return false; // one page is just giving way to another
            }
        });
        return value.get();
    }

    /** A place on the page. */
    record Place(double x, double y) {}

    Place middleOf(String selector) {
        String[] at = evaluate("(e => { e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
                        + " return (r.x + r.width / 2) + ' ' + (r.y + r.height / 2); })(document.querySelector('"
                        + selector + "'))")
                .split(" ");
        return new Place(Double.parseDouble(at[0]), Double.parseDouble(at[1]));
    }

    /** Clicks as a mouse does, so many times in a row; does not wait for what comes of it. */
    void click(Place at, int times) {
        for (int count = 1; count <= times; count++) {
            for (String type : new String[] {"mousePressed", "mouseReleased"}) {
                browser.tell(
                        session,
                        "Input.dispatchMouseEvent",
                        Map.of("type", type, "x", at.x(), "y", at.y(), "button", "left", "clickCount", count));
            }
        }
    }

    void click(String selector) {
        click(middleOf(selector), 1);
    }

    /** Shows in this tab the page of another one, as a duplicated tab does. */
    void duplicate(Tab other) {
        open(other.evaluate("location.href"));
        show(other.evaluate("document.documentElement.outerHTML"));
    }

    /** Puts another page in the place of the one that is shown; its address stays. */
    void show(String html) {
        String frame = command("Page.getFrameTree", Map.of())
                .get("frameTree")
                .get("frame")
                .get("id")
                .asString();
        command("Page.setDocumentContent", Map.of("frameId", frame, "html", html));
    }
}
