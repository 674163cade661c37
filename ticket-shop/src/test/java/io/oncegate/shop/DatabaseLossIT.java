package io.oncegate.shop;

import static io.oncegate.shop.Shop.TWO_SEATS;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.MariaDbServer;
import io.oncegate.testsupport.PostgresServer;
import io.oncegate.testsupport.TcpFault;
import io.oncegate.testsupport.TestServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The database goes away, in good order or without a word, and comes back. */
@DisplayName("C88: store down, the door is closed")
class DatabaseLossIT {
    private final String user = Shop.unique("patient");

    @Test
    void refusesWhilePostgresIsAwayAndIsRightAfterwards() throws Exception {
        try (PostgresServer server = PostgresServer.own();
                TcpFault line = TcpFault.to(server)) {
            create(server.jdbcUrl("postgres"), server.user(), server.password());
            String url = "jdbc:postgresql://127.0.0.1:" + line.port() + "/shop";
            comesAndGoes("postgresql", server, line, url, server.user(), server.password());
        }
    }

    @Test
    void refusesWhileMariaDbIsAwayAndIsRightAfterwards() throws Exception {
        try (MariaDbServer server = MariaDbServer.own();
                TcpFault line = TcpFault.to(server)) {
            create(server.jdbcUrl(""), server.user(), server.password());
            String url = "jdbc:mariadb://127.0.0.1:" + line.port() + "/shop";
            comesAndGoes("mariadb", server, line, url, server.user(), server.password());
        }
    }

    private static void create(String url, String user, String password) throws Exception {
        try (Connection connection = DriverManager.getConnection(url, user, password);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE shop");
        }
    }

    private void comesAndGoes(
            String profile, TestServer server, TcpFault line, String url, String login, String password) {
        try (Shop shop = Shop.start(
                "spring.datasource.hikari.connection-timeout=2000",
                "spring.profiles.active=" + profile,
                "spring.datasource.url=" + url,
                "spring.datasource.username=" + login,
                "spring.datasource.password=" + password)) {
            Answer before = shop.order(user, "before", TWO_SEATS);
            assertThat(before.status()).isEqualTo(201);
            int stock = shop.stock(1);

            server.stop();
            refused(shop, before.orderNo(), "stopped");
            Answer repeated = shop.order(user, "before", TWO_SEATS);
            server.start();
            comesBack(shop, "stopped");

            line.freeze();
            refused(shop, before.orderNo(), "frozen");
            line.unfreeze();
            comesBack(shop, "frozen");

            // Redis still knew the answer, and needs no database to repeat it.
            assertThat(repeated.body()).isEqualTo(before.body());
            assertThat(repeated.replayed()).isTrue();
            assertThat(shop.ordersOf(user)).isEqualTo(3);
            assertThat(shop.stock(1)).isEqualTo(stock - 4);
            assertThat(shop.step(user, before.orderNo(), "pay").status()).isEqualTo(200);
            assertThat(shop.charges(before.orderNo())).isEqualTo(1);
        }
    }

    private void refused(Shop shop, String order, String key) {
        try (LogWatch log = new LogWatch()) {
            Unavailable.check(shop.order(user, key, TWO_SEATS), log);
        }
        try (LogWatch log = new LogWatch()) {
            Unavailable.check(shop.get(user, "/api/orders"), log);
        }
        try (LogWatch log = new LogWatch()) {
            Unavailable.check(shop.step(user, order, "pay"), log);
        }
        try (LogWatch log = new LogWatch()) {
            Unavailable.check(shop.send(shop.request("/api/sessions").GET()), log);
        }
    }

    private void comesBack(Shop shop, String key) {
        Await.until(
                "the database is used again",
                Duration.ofSeconds(60),
                () -> shop.order(user, key, TWO_SEATS).status() == 201);
        assertThat(shop.order(user, key, TWO_SEATS).replayed()).isTrue();
    }
}
