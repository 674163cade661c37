package io.oncegate.spring.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;

/** An entity whose id is the application's. */
@Entity
@Table(name = "note")
public class Note {
    @Id
    private String id;

    @Version
    private Long version;

    private String text;

    protected Note() {}

    Note(String id, String text) {
        this.id = id;
        this.text = text;
    }

    String text() {
        return text;
    }

    void text(String changed) {
        this.text = changed;
    }

    Long version() {
        return version;
    }

    void version(Long carried) {
        this.version = carried;
    }
}
