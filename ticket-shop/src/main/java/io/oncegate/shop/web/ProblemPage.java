package io.oncegate.shop.web;

import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.http.HttpStatus;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Shows a problem (RFC 9457) to people: what happened, and what they can do. Thread-safe. */
final class ProblemPage {
    private static final Pattern ORDER = Pattern.compile("(/orders/[0-9A-Z-]{1,40})/[a-z]{1,20}");
    private static final Pattern FORM = Pattern.compile("(/sessions/[0-9]{1,18})/(flash-)?orders");

    private static final Words OTHER_FORM = new Words(
            "This form cannot be used",
            "It was not opened by you, or it has not arrived whole. Nothing was ordered. Please open the form again.");

    private static final Words LATER = new Words(
            "Please try again in a moment",
            "The shop cannot answer just now. Reload this page, and let your browser send the form again: however often"
                    + " it is sent, one order is placed at most.");

    private static final Words FLASH_LATER = new Words(
            "Please try again in a moment",
            "The shop cannot answer just now, and nothing was ordered. Open the page again in a moment, and click again.");

    private static final Words STEP_LATER = new Words(
            "Please try again in a moment",
            "The shop cannot answer just now. Look at your order, and click again: however often you do, it happens once.");

    private static final Words NO_PAGE =
            new Words("There is no such page", "Please choose one of those below, or go back.");

    private static final Map<String, Words> WORDS = Map.ofEntries(
            Map.entry(
                    "payment-declined",
                    new Words(
                            "Your card was declined",
                            "Nothing was taken. Your order waits: pay it again with another card, or cancel it.")),
            Map.entry(
                    "payment-unavailable",
                    new Words(
                            "The payment provider does not work just now",
                            "Nothing was taken. Your order waits: pay it in a moment, or cancel it.")),
            Map.entry(
                    "payment-unknown",
                    new Words(
                            "We do not know yet whether your money was taken",
                            "The payment provider has not answered. The shop is finding out by itself, and takes the money"
                                    + " once at most, however often you click. Look at your order in a moment.")),
            Map.entry(
                    "step-illegal",
                    new Words(
                            "That does not go with your order now",
                            "Nothing was done. Look at where your order stands, and what you can do with it.")),
            Map.entry(
                    "sold-out",
                    new Words(
                            "Not enough seats left",
                            "Somebody was faster. Nothing was ordered. Please open the form again and ask for fewer seats,"
                                    + " or choose another session.")),
            Map.entry(
                    "session-unknown",
                    new Words("There is no such session", "Please choose one of those that the shop has.")),
            Map.entry(
                    "order-unknown",
                    new Words(
                            "There is no such order",
                            "You have no order of this number. Look at those that you have.")),
            Map.entry(
                    "order-invalid",
                    new Words(
                            "How many seats?",
                            "Please go back, and say how many seats you want: a whole number, 1 or more. Nothing was"
                                    + " ordered.")),
            Map.entry(
                    "payload-mismatch",
                    new Words(
                            "This form was sent before",
                            "It came first with another number of seats, and a form places one order. Look at your orders;"
                                    + " for one more order, open the form again.")),
            Map.entry(
                    "token-expired",
                    new Words(
                            "This form has expired",
                            "It was open for too long. Look at your orders first, then open the form again.")),
            Map.entry("address-malformed", NO_PAGE),
            Map.entry("token-malformed", OTHER_FORM),
            Map.entry("token-refused", OTHER_FORM),
            Map.entry("key-missing", OTHER_FORM),
            Map.entry(
                    "caller-unknown",
                    new Words(
                            "The shop does not know you",
                            "Your browser did not send the shop's cookie. Nothing was ordered. Please allow cookies, and"
                                    + " open the form again.")),
            Map.entry(
                    "ordered-just-now",
                    new Words(
                            "That was a double click",
                            "You clicked for this session a moment ago, so this click was not counted: nothing was ordered"
                                    + " by it. Look at your orders for what the first one has brought. If you want one more"
                                    + " seat, open the page again, and click in a few seconds.")),
            Map.entry("in-progress", LATER),
            Map.entry("unavailable", LATER),
            Map.entry("store-unavailable", LATER),
            Map.entry("outcome-not-recorded", LATER),
            Map.entry(
                    "result-unavailable",
                    new Words("This form was sent before", "Look at your orders; for one more, open the form again.")));

    private record Words(String title, String text) {}

    private final JsonMapper json;
    private final Template template;

    ProblemPage(JsonMapper json, Mustache.Compiler mustache) {
        this.json = json;
        this.template = mustache.loadTemplate("problem");
    }

    /**
     * The page.
     *
     * @param problem the problem's JSON text
     * @param path of the request
     */
    byte[] render(byte[] problem, int status, String path) {
        JsonNode node = read(problem);
        Matcher form = FORM.matcher(path);
        boolean hasForm = form.matches();
        Words words = words(node, status);
        Matcher order = ORDER.matcher(path);
        boolean hasOrder = order.matches();
        if (words == LATER && hasOrder) {
            words = STEP_LATER;
        }
        if (words == LATER && hasForm && form.group(2) != null) {
            words = FLASH_LATER;
        }
        Map<String, Object> model = new HashMap<>();
        model.put("title", words.title());
        model.put("text", words.text());
        model.put("status", status);
        model.put("hasOrder", hasOrder);
        model.put("order", hasOrder ? order.group(1) : "");
        model.put("hasForm", hasForm);
        model.put("form", hasForm ? form.group(1) : "");
        return template.execute(model).getBytes(StandardCharsets.UTF_8);
    }

    private static Words words(JsonNode problem, int status) {
        Words known = WORDS.get(problem.path("code").asString(""));
        if (known != null) {
            return known;
        }
        return status == HttpStatus.NOT_FOUND.value()
                ? NO_PAGE
                : new Words(
                        problem.path("title").asString("Something went wrong"),
                        problem.path("detail").asString("The shop cannot do this."));
    }

    private JsonNode read(byte[] problem) {
        try {
            return json.readTree(problem);
        } catch (JacksonException e) {
            return json.createObjectNode();
        }
    }
}
