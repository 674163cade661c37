package io.oncegate.shop;

import java.time.Clock;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Starts the ticket shop. */
@SpringBootApplication
@EnableScheduling
public class TicketShopApplication {

    /** Starts the shop with Spring Boot's arguments. */
    public static void main(String[] args) {
        SpringApplication.run(TicketShopApplication.class, args);
    }

    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }
}
