package io.oncegate.shop;

import static io.oncegate.shop.Shop.TWO_SEATS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that are hardly HTTP, or unusual HTTP: none fails inside the shop, and none writes a line into its log. */
class OddRequestsIT {
    private static final String FORM = "Content-Type: application/x-www-form-urlencoded\r\n";

    private static final String ADDRESSES = """
            //
            ///
            //api/orders
            /api//orders
            /./api/orders
            /x/../api/orders
            /api/orders/
            /api;x=1/orders;y=2
            /;x
            /api/orders?%zz
            /api/orders?&&==&
            /sessions/1/orders?%zz=1
            /sessions;x/1/orders
            /sessions/1;v=2?%zz
            /sessions/
            /sessions/%2f
            /sessions/1%2forders
            /orders/..;/
            /api/orders/..
            /api/orders/%2e%2e
            /api/orders/../pay
            /api/orders/..;x/cancel
            /api/orders/%2E/ship
            /api/flash-orders/..
            /sessions/../orders
            /sessions/%2e%2e/flash-orders
            /orders/../pay
            /..;/sessions/1
            /orders/%0d%0aX:1
            /orders/%c3%28
            /api/orders/%f0%9f%98%80
            /api/orders/%ed%a0%80
            /api/tokens/
            /api/tokens?%zz
            http://shop/api/orders
            http://[/
            shop:80
            *
            ?
            /error
            /WEB-INF/web.xml
            /templates/head.mustache""";

    /** One case a line. */
    private static final String HEADERS = """
            Cookie: shop_visitor
            Cookie: =
            Cookie: ;;;
            Cookie: \u00ff=\u00fe
            Cookie: $Version=1; shop_visitor="x"
            Cookie: shop_visitor="unterminated
            Accept: x
            Accept: */*;q=x
            Accept: text/html;q=NaN
            Accept: text/html;charset=nonsense
            Accept: "
            Accept: ,,,
            Accept: text/html;q=0
            Accept-Language: ;;;
            Accept-Charset: nonsense
            Content-Type:
            Content-Type: /
            Content-Type: a/b;c
            Content-Type: */*
            Content-Type: application/json;charset=nonsense
            Content-Type: application/json;charset=utf-16
            Content-Type: application/json; charset="
            Content-Type: application/json | Content-Type: text/plain
            Content-Type: application/x-www-form-urlencoded;charset=nonsense
            Content-Type: application/x-www-form-urlencoded;charset=utf-16
            Content-Type: multipart/form-data
            Content-Type: multipart/form-data; boundary=
            Content-Type: multipart/mixed; boundary=x
            Content-Encoding: gzip | Content-Type: application/json
            Content-Encoding: gzip | Content-Type: multipart/form-data; boundary=x
            Expect: nonsense
            Expect: 100-continue
            Range: x
            If-Modified-Since: x
            If-None-Match: *
            Origin: x y | Access-Control-Request-Method: POST
            Origin: null | Access-Control-Request-Method: FOO
            X-Forwarded-Host: a b | X-Forwarded-Port: x
            Upgrade: websocket
            Once-Token:
            Once-Token: x | Once-Token: y
            Idempotency-Key: \u00e9
            Bad Header: x
            : x
            X\u00ff: 1
            Content-Length: 5 | Content-Length: 6
            Transfer-Encoding: gzip
            Transfer-Encoding: chunked | Content-Length: 3
            Host: x""";

    private final Shop shop = Shop.standard();
    private final String user = "X-User: " + Shop.unique("odd") + "\r\n";
    private final Visitor visitor = Visitor.browser(shop);
    private final List<String> failed = new ArrayList<>();
    private LogWatch log;
    private int orders;

    @BeforeEach
    void look() {
        visitor.form(1);
        log = new LogWatch();
        orders = shop.orders();
    }

    @AfterEach
    void nothingFailedNorWasOrdered() {
        log.close();
        assertThat(failed).isEmpty();
        assertThat(log.errors()).isEmpty();
        assertThat(log.warnings()).isEmpty();
        assertThat(log.traces()).isEmpty();
        assertThat(shop.orders()).isEqualTo(orders);
    }

    /** Sends it as it is, with no more to come. */
    private void send(String request) throws IOException {
        String answer;
        try (Socket socket = new Socket("127.0.0.1", shop.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.shutdownOutput();
            answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketException e) {
            // refused so early that the rest of it met a closed connection
            return;
        }
        if (!answer.matches("(?s)(HTTP/1.1 100 \\s*)?HTTP/1.1 ([234]..|501|505) .*") || answer.contains("Exception")) {
            failed.add(request.substring(0, Math.min(160, request.length())) + "\n--> "
                    + answer.substring(0, Math.min(300, answer.length())));
        }
    }

    private void send(String line, String headers, String body) throws IOException {
        String length = headers.contains("Content-Length") || headers.contains("Transfer-Encoding")
                ? ""
                : "Content-Length: " + body.length() + "\r\n";
        send(line + " HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n" + headers + length + "\r\n" + body);
    }

    @Test
    void everyCharacterMayStandInAnAddress() throws IOException {
        for (String path : List.of("/", "/api/orders/", "/sessions/")) {
            for (char c = '!'; c < 256; c++) {
                send("GET " + path + c, user, "");
                send("GET " + path + "%" + Integer.toHexString(256 + c).substring(1), "Accept: text/html\r\n", "");
            }
        }
    }

    @Test
    void addressesWithTricks() throws IOException {
        for (String path : ADDRESSES.split("\n")) {
            for (String method : "GET HEAD OPTIONS POST PUT TRACE CONNECT FOO get".split(" ")) {
                send(method + " " + path, user + "Accept: text/html\r\n", "");
                send(method + " " + path, FORM, "%zz=%");
                send(method + " " + path, user + "Content-Type: multipart/form-data\r\n", "x");
                send(method + " " + path, "Content-Type: multipart/form-data; boundary=b\r\n", "--b\r\nno: colon");
            }
        }
    }

    @Test
    void headersOfEveryKind() throws IOException {
        String cookie = "Cookie: " + visitor.cookie() + "\r\n";
        List<String> all = new ArrayList<>(List.of(
                "Cookie: " + "a=b; ".repeat(300),
                "Cookie: " + "c".repeat(20_000),
                "Cookie: a=b\r\n".repeat(60) + "A: b",
                cookie + "Cookie: shop_visitor=a; " + visitor.cookie(),
                "Accept: " + "a/b,".repeat(200) + "text/html",
                "Accept-Language: " + "a".repeat(500),
                "Content-Type: multipart/form-data; boundary=" + "b".repeat(300),
                "X-User: a\r\n".repeat(90) + "A: b",
                "A: b\r\n".repeat(200) + "A: b",
                "Idempotency-Key: x\r\nOnce-Token: " + "t".repeat(7000)));
        for (String headers : HEADERS.split("\n")) {
            all.add(headers.replace(" | ", "\r\n"));
        }
        for (String line :
                "GET /,GET /sessions/1,POST /api/orders,POST /api/tokens,POST /sessions/1/orders,OPTIONS /sessions/1"
                        .split(",")) {
            for (String headers : all) {
                send(line, headers + "\r\n", "");
                send(line, user + cookie + headers + "\r\n", "quantity=1&_once_token=x");
            }
        }
    }

    @Test
    void hosts() throws IOException {
        for (String line : List.of("GET /", "GET /sessions/1", "GET /api/orders", "POST /api/orders")) {
            for (String host : List.of(
                    "",
                    " ",
                    "a b",
                    "[::1",
                    "[::1]:",
                    "shop:",
                    "shop:99999",
                    "shop:x",
                    "shop:-1",
                    "<script>",
                    "a_b",
                    "a..b",
                    "\u00e9",
                    "x/y",
                    "a@b",
                    "[::1%25eth0]",
                    "1.2.3.999",
                    "-",
                    "%41")) {
                send(line + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + user
                        + "Content-Length: 0\r\n\r\n");
                send(line + " HTTP/1.0\r\n" + user + "\r\n");
            }
        }
    }

    @Test
    void bodiesThatBreakOff() throws IOException {
        String cookie = "Cookie: " + visitor.cookie() + "\r\n";
        for (String line : List.of(
                "POST /api/orders",
                "POST /api/tokens",
                "POST /sessions/1/orders",
                "POST /sessions/1",
                "PUT /api/orders",
                "POST /",
                "PUT /x",
                "POST /api/sessions")) {
            for (String type : List.of(
                    "Content-Type: application/json\r\n",
                    FORM,
                    "Content-Type: multipart/form-data; boundary=b\r\n",
                    "")) {
                for (String key : List.of("Idempotency-Key: " + Shop.unique("k") + "\r\n")) {
                    send(line, user + key + type + "Content-Length: 500\r\n", TWO_SEATS);
                    send(
                            line,
                            cookie + key + type + "Content-Length: 500\r\n",
                            "--b\r\nContent-Disposition: form-data; name=\"quantity\"\r\n\r\n1");
                    send(line, user + key + type + "Transfer-Encoding: chunked\r\n", "5\r\n{\"pur");
                    send(line, user + key + type + "Transfer-Encoding: chunked\r\n", "zz\r\nhello\r\n0\r\n\r\n");
                    send(
                            line,
                            user + key + type + "Transfer-Encoding: chunked\r\n",
                            "fffffffffffffffff\r\nhello\r\n0\r\n\r\n");
                    send(line, user + key + type + "Transfer-Encoding: chunked\r\n", "5;ext=\u0001\r\nhello0\r\n\r\n");
                    send(line, user + key + type + "Transfer-Encoding: chunked\r\n", "0\r\nbad trailer\r\n\r\n");
                    send(line, cookie + key + type + "Transfer-Encoding: chunked\r\n", "0\r\n\r\n");
                    send(line + "?%zz", cookie + key + type + "Transfer-Encoding: chunked\r\n", "0\r\n\r\n");
                }
            }
        }
    }

    @Test
    void forms() throws IOException {
        String token = visitor.form(1);
        String cookie = "Cookie: " + visitor.cookie() + "\r\n";
        String good = "_once_token=" + token;
        for (String body : List.of(
                good,
                good + "&quantity=%zz",
                good + "&quantity=1&quantity=1",
                good + "&quantity=" + "9".repeat(1000),
                good + "&quantity=%00",
                good + "&quantity=%ff",
                good + "&quantity[]=1",
                good + "&quantity=1" + "&a=b".repeat(2000) + "&quantity=2",
                good + "&" + "a=b&".repeat(11_000),
                "&&&&",
                "=",
                "=&=",
                good + "&quantity=0&" + "x".repeat(60_000),
                "quantity=1;" + good)) {
            send("POST /sessions/1/orders", cookie + FORM, body);
        }
        send("POST /sessions/99/orders?%zz", cookie + FORM, good + "&quantity=1");
        send("POST /sessions/99/orders?" + "a=b&".repeat(1500), cookie + FORM, good + "&quantity=1");
        send("POST /sessions/1/orders?quantity=1", cookie + FORM, good + "&quantity=1");
        for (String part : List.of(
                "Content-Disposition: form-data; name=\"quantity\"; filename=\"x\"\r\n\r\n1",
                "Content-Disposition: form-data; name=\"quantity\"\r\nContent-Type: text/plain;charset=nonsense\r\n\r\n0",
                "Content-Disposition: form-data; name=\"quantity\"\r\nContent-Transfer-Encoding: base64\r\n\r\nMQ==",
                "Content-Disposition: form-data\r\n\r\n1",
                "\r\n\r\n",
                "X")) {
            send(
                    "POST /sessions/1/orders",
                    cookie + "Content-Type: multipart/form-data; boundary=b\r\n",
                    "--b\r\nContent-Disposition: form-data; name=\"_once_token\"\r\n\r\n" + token + "\r\n--b\r\n" + part
                            + "\r\n--b--\r\n");
            send(
                    "POST /sessions/1/orders",
                    cookie + "Once-Token: " + token + "\r\nContent-Type: multipart/form-data; boundary=b\r\n",
                    "--b\r\n" + part + "\r\n--b--\r\n");
        }
        String many = "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n".repeat(900);
        send(
                "POST /sessions/1/orders",
                cookie + "Content-Type: multipart/form-data; boundary=b\r\n",
                many + "--b--\r\n");
    }
}
