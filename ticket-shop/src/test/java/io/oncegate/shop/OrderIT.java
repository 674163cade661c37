package io.oncegate.shop;

import static io.oncegate.shop.Shop.TWO_SEATS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** One customer and one order: the first answer, and what repetitions get. */
class OrderIT {
    private final Shop shop = Shop.standard();
    private final String user = Shop.unique("buyer");

    @Test
    void refusesAnotherBodyUnderTheSameKeyAndChangesNothing() {
        Answer first = shop.order(user, "k", TWO_SEATS);
        int stock = shop.stock(1);

        Answer other = shop.order(user, "k", "{\"sessionId\":1,\"quantity\":3}");

        assertThat(first.status()).isEqualTo(201);
        assertThat(other.status()).isEqualTo(422);
        assertThat(other.isProblem()).isTrue();
        assertThat(other.body()).contains("body");
        assertThat(shop.ordersOf(user)).isEqualTo(1);
        assertThat(shop.stock(1)).isEqualTo(stock);
        assertThat(shop.order(user, "k", TWO_SEATS).body()).isEqualTo(first.body());
    }

    @Test
    @DisplayName("C46: the payload is checked again at the judge when Redis has forgotten the key")
    void refusesAnotherBodyAlsoAfterRedisHasForgotten() throws Exception {
        Answer first = shop.order(user, "k", TWO_SEATS);
        shop.flushRedis();

        Answer other = shop.order(user, "k", "{\"sessionId\":1,\"quantity\":3}");

        assertThat(other.status()).isEqualTo(422);
        assertThat(other.isProblem()).isTrue();
        assertThat(other.body()).contains("quantity");
        assertThat(shop.order(user, "k", TWO_SEATS).body()).isEqualTo(first.body());
        assertThat(shop.ordersOf(user)).isEqualTo(1);
    }

    @Test
    void placesAnOrder() {
        int stock = shop.stock(1);

        Answer answer = shop.order(user, "k", TWO_SEATS);

        JsonNode order = answer.json();
        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.replayed()).isFalse();
        assertThat(answer.header("Content-Type")).isEqualTo("application/json");
        assertThat(answer.header("Location")).endsWith("/api/orders/" + answer.orderNo());
        assertThat(order.get("status").asString()).isEqualTo("PENDING_PAYMENT");
        assertThat(order.get("sessionId").asLong()).isEqualTo(1);
        assertThat(order.get("quantity").asInt()).isEqualTo(2);
        assertThat(order.get("amount").decimalValue()).isEqualByComparingTo("1360.00");
        assertThat(shop.stock(1)).isEqualTo(stock - 2);
        assertThat(shop.number("SELECT count(*) FROM orders WHERE user_id = '" + user
                        + "' AND session_id = 1 AND request_id = 'k' AND quantity = 2 AND status = 0 AND version = 0"))
                .isEqualTo(1);
    }

    @Test
    void givesARepetitionTheFirstAnswerByteForByte() {
        Answer first = shop.order(user, "k", TWO_SEATS);
        int stock = shop.stock(1);

        // the same request in other clothes
        Answer again = shop.order(user, "\"k\"", " { \"quantity\" : 2, \"sessionId\" : 1 } ");

        assertThat(again.status()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.replayed()).isTrue();
        assertThat(again.header("Location")).isEqualTo(first.header("Location"));
        assertThat(again.header("Content-Type")).isEqualTo(first.header("Content-Type"));
        assertThat(shop.ordersOf(user)).isEqualTo(1);
        assertThat(shop.stock(1)).isEqualTo(stock);
    }

    @Test
    void givesTheFirstAnswerAlsoWhenRedisHasForgotten() throws Exception {
        Answer first = shop.order(user, "k", TWO_SEATS);
        int stock = shop.stock(1);
        for (int times = 0; times < 3; times++) {
            shop.flushRedis();

            Answer again = shop.order(user, "k", TWO_SEATS);

            assertThat(again.status()).isEqualTo(201);
            assertThat(again.body()).isEqualTo(first.body());
            assertThat(again.replayed()).isTrue();
            assertThat(again.header("Location")).isEqualTo(first.header("Location"));
        }
        assertThat(shop.order(user, "k", TWO_SEATS).replayed()).isTrue();
        assertThat(shop.ordersOf(user)).isEqualTo(1);
        assertThat(shop.stock(1)).isEqualTo(stock);
    }

    @Test
    void findsTheOrderWhenEveryRecordHasGone() throws Exception {
        Answer first = shop.order(user, "k", TWO_SEATS);
        int stock = shop.stock(1);
        shop.flushRedis();
        shop.update("DELETE FROM oncegate_record");

        Answer again = shop.order(user, "k", TWO_SEATS);
        shop.flushRedis();
        Answer other = shop.order(user, "k", "{\"sessionId\":1,\"quantity\":5}");

        assertThat(again.status()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.replayed()).isTrue();
        assertThat(other.status()).isEqualTo(422);
        assertThat(shop.ordersOf(user)).isEqualTo(1);
        assertThat(shop.stock(1)).isEqualTo(stock);
    }

    @Test
    void keepsSoldOutEvenWhenSeatsComeBack() throws Exception {
        String many = "{\"sessionId\":4,\"quantity\":401}";

        Answer first = shop.order(user, "k", many);
        Answer again = shop.order(user, "k", many);
        shop.update("UPDATE concert_session SET stock = stock + 1000 WHERE id = 4");
        Answer later = shop.order(user, "k", many);
        shop.flushRedis();
        Answer last = shop.order(user, "k", many);
        int stock = shop.stock(4);
        shop.update("UPDATE concert_session SET stock = stock - 1000 WHERE id = 4");

        assertThat(first.status()).isEqualTo(409);
        assertThat(first.isProblem()).isTrue();
        assertThat(first.replayed()).isFalse();
        for (Answer repeated : new Answer[] {again, later, last}) {
            assertThat(repeated.status()).isEqualTo(409);
            assertThat(repeated.body()).isEqualTo(first.body());
            assertThat(repeated.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(repeated.replayed()).isTrue();
        }
        assertThat(shop.ordersOf(user)).isZero();
        assertThat(stock).isEqualTo(shop.stock(4) + 1000);
    }

    @Test
    @DisplayName("C50: a key belongs to its caller; another caller's is another")
    void keepsTheKeysOfUsersApart() {
        String neighbour = Shop.unique("buyer");
        Answer mine = shop.order(user, "k", TWO_SEATS);

        Answer theirs = shop.order(neighbour, "k", "{\"sessionId\":2,\"quantity\":1}");

        assertThat(theirs.status()).isEqualTo(201);
        assertThat(theirs.replayed()).isFalse();
        assertThat(theirs.orderNo()).isNotEqualTo(mine.orderNo());
        assertThat(shop.ordersOf(neighbour)).isEqualTo(1);
    }

    @Test
    void keysDifferByCaseAndBlanks() {
        Answer one = shop.order(user, "\"key\"", TWO_SEATS);
        Answer two = shop.order(user, "\"KEY\"", TWO_SEATS);
        Answer three = shop.order(user, "\"key \"", TWO_SEATS);

        assertThat(one.status() + two.status() + three.status()).isEqualTo(603);
        assertThat(shop.ordersOf(user)).isEqualTo(3);
    }

    @Test
    void showsOnlyOwnOrders() {
        String neighbour = Shop.unique("buyer");
        Answer first = shop.order(user, "a", TWO_SEATS);
        Answer second = shop.order(user, "b", "{\"sessionId\":2,\"quantity\":1}");

        Answer mine = shop.get(user, "/api/orders");
        Answer theirs = shop.get(neighbour, "/api/orders");
        Answer one = shop.get(user, "/api/orders/" + first.orderNo());
        Answer stolen = shop.get(neighbour, "/api/orders/" + first.orderNo());

        assertThat(mine.json().findValuesAsString("orderNo")).containsExactly(second.orderNo(), first.orderNo());
        assertThat(theirs.body()).isEqualTo("[]");
        assertThat(one.status()).isEqualTo(200);
        assertThat(one.body()).isEqualTo(first.body());
        assertThat(stolen.status()).isEqualTo(404);
        assertThat(stolen.isProblem()).isTrue();
    }

    @Test
    void listsTheSessionsForEverybody() {
        Answer answer = shop.send(shop.request("/api/sessions").GET());

        JsonNode sessions = answer.json();
        assertThat(answer.status()).isEqualTo(200);
        assertThat(sessions.size()).isGreaterThanOrEqualTo(3);
        assertThat(sessions.get(0).get("id").asLong()).isEqualTo(1);
        assertThat(sessions.get(1).get("id").asLong()).isEqualTo(2);
        assertThat(sessions.get(0).get("stock").asInt()).isEqualTo(shop.stock(1));
        assertThat(sessions.get(2).get("stock").asInt()).isLessThan(10);
        for (JsonNode session : sessions) {
            assertThat(session.propertyNames()).contains("id", "name", "price", "stock");
        }
    }

    @Test
    void showsAPage() {
        Answer answer = shop.send(shop.request("/").GET());

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).isEqualTo("text/html;charset=UTF-8");
        assertThat(answer.body()).contains("Midsummer Night", "curl -i http://127.0.0.1:" + shop.port());
    }
}
