package io.oncegate.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks for pages as a browser does, with a cookie and without following redirects; or as a program that accepts anything. */
final class Visitor {
    private static final Pattern TOKEN = Pattern.compile("name=\"_once_token\" value=\"([^\"]+)\"");

    private final Shop shop;
    private final String accept;
    private String cookie = "";

    private Visitor(Shop shop, String accept) {
        this.shop = shop;
        this.accept = accept;
    }

    static Visitor browser(Shop shop) {
        return new Visitor(shop, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
    }

    /** The same visitor, by a program. */
    Visitor program() {
        Visitor program = new Visitor(shop, "*/*");
        program.cookie = cookie;
        return program;
    }

    /** The cookie that it has got, as the header's value. */
    String cookie() {
        return cookie;
    }

    HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = shop.request(path).header("Accept", accept);
        return cookie.isEmpty() ? request : request.header("Cookie", cookie);
    }

    Answer get(String path) {
        Answer answer = shop.send(request(path).GET());
        if (!answer.header("Set-Cookie").isEmpty()) {
            cookie = answer.header("Set-Cookie").replaceFirst(";.*", "");
        }
        return answer;
    }

    /** Opens a session's page and takes the token out of its form. */
    String form(long session) {
        return tokenIn(get("/sessions/" + session));
    }

    static String tokenIn(Answer page) {
        Matcher token = TOKEN.matcher(page.body());
        assertThat(token.find()).as(page.body()).isTrue();
        return token.group(1);
    }

    HttpRequest.Builder sending(String session, String token, String quantity) {
        return sendingFields(session, "_once_token=" + encoded(token) + "&quantity=" + encoded(quantity));
    }

    HttpRequest.Builder sendingFields(String session, String fields) {
        return request("/sessions/" + session + "/orders")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(fields));
    }

    Answer send(long session, String token, String quantity) {
        return shop.send(sending(Long.toString(session), token, quantity));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
