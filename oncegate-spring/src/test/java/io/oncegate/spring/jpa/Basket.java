package io.oncegate.spring.jpa;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import java.util.ArrayList;
import java.util.List;

/** An entity with an embedded id, lines that it cascades to, and a reference to another entity. */
@Entity
@Table(name = "basket")
public class Basket {
    static final List<String> POSTGRES_DDL = List.of(
            "CREATE SEQUENCE line_seq",
            "CREATE TABLE basket (user_id VARCHAR(40), request_id VARCHAR(40), note_id VARCHAR(40) REFERENCES note,"
                    + " PRIMARY KEY (user_id, request_id))",
            "CREATE TABLE line (id BIGINT PRIMARY KEY, basket_user_id VARCHAR(40), basket_request_id VARCHAR(40),"
                    + " sku VARCHAR(40))");

    @EmbeddedId
    Key id;

    @ManyToOne
    private Note note;

    @OneToMany(mappedBy = "basket", cascade = CascadeType.PERSIST)
    private List<Line> lines = new ArrayList<>();

    /** User and request. */
    @Embeddable
    public record Key(
            @Column(name = "user_id") String userId,
            @Column(name = "request_id") String requestId) {}

    /** A line of a basket. */
    @Entity
    @Table(name = "line")
    public static class Line {
        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "line_seq")
        @SequenceGenerator(name = "line_seq", sequenceName = "line_seq", allocationSize = 1)
        private Long id;

        @ManyToOne
        Basket basket;

        String sku;
    }

    protected Basket() {}

    Basket(String userId, String requestId, Note note, String... skus) {
        this.id = new Key(userId, requestId);
        this.note = note;
        for (String sku : skus) {
            Line line = new Line();
            line.basket = this;
            line.sku = sku;
            lines.add(line);
        }
    }

    List<Line> lines() {
        return lines;
    }

    Note note() {
        return note;
    }
}
