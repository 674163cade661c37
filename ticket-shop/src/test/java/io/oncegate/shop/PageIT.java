package io.oncegate.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.oncegate.shop.provider.Behaviour;
import io.oncegate.testsupport.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** People at a real browser, with and without JavaScript: what they do with one form places one order. */
class PageIT {
    private static final String BUTTON = "form button";
    private static final String FLASH = "form[action$=flash-orders] button";
    private static final String TOKEN = "document.querySelector('[name=_once_token]').value";
    private static final String ORDER = "/orders/[0-9]+-[0-9A-Z]+";

    private static Shop shop;
    private static Chromium chromium;
    private int before;

    @BeforeAll
    static void start() throws Exception {
        Optional<Path> program = Chromium.installed();
        assumeTrue(program.isPresent(), Chromium.howToInstall());
        chromium = Chromium.start(program.orElseThrow());
        // A held order is waited for longer than any test holds one.
        shop = Shop.start(
                "spring.datasource.url=jdbc:h2:mem:" + Shop.unique("page") + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000");
    }

    @AfterAll
    static void stop() throws Exception {
        if (shop != null) {
            shop.close();
        }
        if (chromium != null) {
            chromium.close();
        }
    }

    @BeforeEach
    void count() {
        before = shop.orders();
    }

    private static Tab form(String visitor, boolean javaScript) {
        Tab tab = chromium.tab(visitor, javaScript);
        tab.open("http://127.0.0.1:" + shop.port() + "/sessions/1");
        return tab;
    }

    private static String order(Tab tab) {
        tab.awaitPath(ORDER);
        assertThat(tab.text("h1")).isEqualTo("Your order is placed");
        return tab.path();
    }

    private void oneOrder() {
        assertThat(shop.orders()).isEqualTo(before + 1);
    }

    @ParameterizedTest(name = "JavaScript: {0}")
    @ValueSource(booleans = {true, false})
    void aSlowDoubleClickSendsTwiceAndPlacesOneOrder(boolean javaScript) {
        Tab tab = form(chromium.visitor(), javaScript);
        Tab.Place button = tab.middleOf(BUTTON);

        // The first order is held, so that the second click surely comes while it is under way.
        shop.holding(1, () -> {
            tab.click(button, 1);
            tab.awaitPosts(1);
            tab.click(button, 1);
            tab.awaitPosts(2);
        });

        String order = order(tab);
        oneOrder();
        assertThat(tab.posts()).isGreaterThanOrEqualTo(2);
        tab.open("http://127.0.0.1:" + shop.port() + "/orders");
        assertThat(tab.evaluate("document.querySelectorAll('tbody tr').length + ' '"
                        + " + document.querySelector('tbody a').pathname"))
                .isEqualTo("1 " + order);
    }

    @ParameterizedTest(name = "JavaScript: {0}")
    @ValueSource(booleans = {true, false})
    void aDoubleClickPlacesOneOrder(boolean javaScript) {
        Tab tab = form(chromium.visitor(), javaScript);

        tab.click(tab.middleOf(BUTTON), 2);

        order(tab);
        oneOrder();
    }

    @ParameterizedTest(name = "JavaScript: {0}")
    @ValueSource(booleans = {true, false})
    void aDoubleClickInTheFlashSaleIsToldToPeople(boolean javaScript) {
        Tab tab = form(chromium.visitor(), javaScript);
        Tab.Place button = tab.middleOf(FLASH);

        shop.holding(1, () -> {
            tab.click(button, 1);
            // only sent, it could be overtaken by the second click
            shop.awaitBlocked();
            tab.click(button, 1);
            tab.awaitPath("/sessions/1/flash-orders");
        });

        assertThat(tab.text("h1")).isEqualTo("That was a double click");
        tab.click("a[href=\"/orders\"]");
        tab.awaitPath("/orders");
        Await.until("the first click has brought one order", Duration.ofSeconds(60), () -> {
            tab.reload();
            return tab.evaluate("document.querySelectorAll('tbody tr').length + ''")
                    .equals("1");
        });
        oneOrder();
    }

    @Test
    void aReloadOfTheResultSendsNothing() {
        Tab tab = form(chromium.visitor(), true);
        tab.click(BUTTON);
        String order = order(tab);

        tab.reload();

        assertThat(order(tab)).isEqualTo(order);
        assertThat(tab.posts()).isEqualTo(1);
        oneOrder();
    }

    @ParameterizedTest(name = "JavaScript: {0}")
    @ValueSource(booleans = {true, false})
    void goingBackAndSendingAgainShowsTheFirstOrder(boolean javaScript) {
        Tab tab = form(chromium.visitor(), javaScript);
        String token = tab.evaluate(TOKEN);
        tab.click(BUTTON);
        String order = order(tab);

        tab.back();
        assertThat(tab.evaluate(TOKEN)).isEqualTo(token);
        tab.click(BUTTON);

        assertThat(order(tab)).isEqualTo(order);
        tab.awaitPosts(2);
        oneOrder();
    }

    @Test
    void oneFormInTwoTabsPlacesOneOrder() {
        String visitor = chromium.visitor();
        Tab one = form(visitor, true);
        Tab two = chromium.tab(visitor, true);
        two.duplicate(one);

        one.click(BUTTON);
        two.click(BUTTON);

        assertThat(order(one)).isEqualTo(order(two));
        assertThat(one.posts() + two.posts()).isEqualTo(2);
        oneOrder();
    }

    @Test
    void anotherFormPlacesAnotherOrder() {
        String visitor = chromium.visitor();
        Tab tab = form(visitor, true);
        tab.click(BUTTON);
        String first = order(tab);

        Tab other = form(visitor, true);
        other.click(BUTTON);

        assertThat(order(other)).isNotEqualTo(first);
        assertThat(shop.orders()).isEqualTo(before + 2);
    }

    private static String step(String event) {
        return "form[action$=\"/" + event + "\"] button";
    }

    private static void awaitHeading(Tab tab, String heading) {
        Await.until(
                "the page says: " + heading,
                Duration.ofSeconds(60),
                () -> tab.evaluate("document.readyState + document.querySelector('h1')?.innerText")
                        .equals("complete" + heading));
    }

    @ParameterizedTest(name = "JavaScript: {0}")
    @ValueSource(booleans = {true, false})
    void theButtonsOfAnOrderWorkAndASecondClickChangesNothing(boolean javaScript) {
        Tab tab = form(chromium.visitor(), javaScript);
        tab.click(BUTTON);
        String order = order(tab);
        String orderNo = order.replace("/orders/", "");

        tab.click(tab.middleOf(step("pay")), 2);
        awaitHeading(tab, "Your order is paid");
        assertThat(tab.text("table")).contains("the money was taken", "R-");
        assertThat(tab.evaluate("document.querySelectorAll('form').length + ''"))
                .isEqualTo("1");
        tab.click(step("ship"));
        awaitHeading(tab, "Your tickets are on their way");
        tab.click(step("complete"));
        awaitHeading(tab, "Your tickets have arrived");

        // An old page, with its old button.
        tab.show("<form method=post action='" + order + "/pay'><button>Pay</button></form>");
        tab.click(BUTTON);
        awaitHeading(tab, "Your tickets have arrived");
        assertThat(tab.text(".again")).contains("your second click has changed nothing");
        assertThat(shop.charges(orderNo)).isEqualTo(1);
    }

    @Test
    void cancellingGivesTheSeatsBackAndThePageTellsWhatDoesNotGo() {
        int stock = shop.stock(1);
        Tab tab = form(chromium.visitor(), true);
        tab.click(BUTTON);
        String order = order(tab);

        tab.click(tab.middleOf(step("cancel")), 2);
        awaitHeading(tab, "Your order is cancelled");
        assertThat(shop.stock(1)).isEqualTo(stock);

        tab.show("<form method=post action='" + order + "/pay'><button>Pay</button></form>");
        tab.click(BUTTON);
        awaitHeading(tab, "That does not go with your order now");
        tab.click("a[href=\"" + order + "\"]");
        awaitHeading(tab, "Your order is cancelled");
        assertThat(shop.stock(1)).isEqualTo(stock);
    }

    @Test
    void moneyOfWhichNobodyKnowsIsToldPlainlyAndFound() {
        Tab tab = form(chromium.visitor(), false);
        tab.click(BUTTON);
        String order = order(tab);
        shop.provider().next(Behaviour.TAKES_IN_SILENCE);

        tab.click(step("pay"));
        awaitHeading(tab, "We do not know yet whether your money was taken");
        tab.click("a[href=\"" + order + "\"]");
        Await.until("the money is found", Duration.ofSeconds(60), () -> {
            tab.reload();
            return tab.text("h1").equals("Your order is paid");
        });
        assertThat(shop.charges(order.replace("/orders/", ""))).isEqualTo(1);
    }
}
