package io.oncegate.jackson;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.oncegate.core.codec.TypeRef;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Results of the kinds that methods return. */
final class Samples {
    static final Type ORDERS = new TypeRef<List<OrderDto>>() {}.type();
    static final Type PRICES = new TypeRef<Map<Long, BigDecimal>>() {}.type();
    static final Type PAGE = new TypeRef<Page<OrderDto>>() {}.type();

    enum Status {
        PENDING,
        PAID;

        /** Changes without anybody's thinking of stored results. */
        @Override
        public String toString() {
            return "the order is " + name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    record OrderDto(
            LocalDateTime at,
            Instant paidAt,
            BigDecimal price,
            Status status,
            Optional<String> note,
            Optional<Integer> none,
            byte[] ticket,
            @Nullable String absent) {
        @Override
        public boolean equals(Object other) {
            return other instanceof OrderDto o
                    && o.at.equals(at)
                    && o.paidAt.equals(paidAt)
                    && o.price.equals(price)
                    && o.status == status
                    && o.note.equals(note)
                    && o.none.equals(none)
                    && Arrays.equals(o.ticket, ticket)
                    && o.absent == null
                    && absent == null;
        }

        @Override
        public int hashCode() {
            return at.hashCode();
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Card.class, name = "card"),
        @JsonSubTypes.Type(value = Cash.class, name = "cash")
    })
    sealed interface Payment {}

    record Card(String last4) implements Payment {}

    record Cash(BigDecimal amount) implements Payment {}

    record Page<T>(List<T> items, int total) {}

    static OrderDto order(int i) {
        return new OrderDto(
                LocalDateTime.of(2026, 2, 28, 23, 59, 59, 123_456_789),
                Instant.parse("2026-03-01T00:00:00.000000001Z"),
                new BigDecimal("1.10").add(BigDecimal.valueOf(i)),
                Status.PAID,
                Optional.of("ü\u0000\"\\ 😀"),
                Optional.empty(),
                new byte[] {0, -1, (byte) i},
                null);
    }

    static List<OrderDto> orders() {
        return new ArrayList<>(Arrays.asList(order(0), null, order(1)));
    }

    static Map<Long, BigDecimal> prices() {
        Map<Long, BigDecimal> prices = new LinkedHashMap<>();
        prices.put(9_007_199_254_740_993L, new BigDecimal("1.10"));
        prices.put(-1L, null);
        prices.put(2L, new BigDecimal("1E+3"));
        return prices;
    }

    static Page<OrderDto> page() {
        return new Page<>(List.of(order(7)), 1);
    }

    private Samples() {}
}
