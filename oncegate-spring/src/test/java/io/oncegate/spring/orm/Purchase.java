package io.oncegate.spring.orm;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Table;
import java.math.BigDecimal;

/** A row that all three tools map: its request may come twice. */
@Entity
@Table(name = "purchase")
public class Purchase {
    @jakarta.persistence.Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    @org.springframework.data.annotation.Id
    private Long id;

    @jakarta.persistence.Version
    @org.springframework.data.annotation.Version
    private Long version;

    @Column(name = "user_id")
    private String userId;

    @Column(name = "request_id")
    private String requestId;

    private BigDecimal amount;

    public Purchase() {}

    public Purchase(String userId, String requestId, String amount) {
        this.userId = userId;
        this.requestId = requestId;
        this.amount = new BigDecimal(amount);
    }

    public Long getId() {
        return id;
    }

    public void setId(Long id) {
        this.id = id;
    }

    public Long getVersion() {
        return version;
    }

    public void setVersion(Long version) {
        this.version = version;
    }

    public String getUserId() {
        return userId;
    }

    public void setUserId(String userId) {
        this.userId = userId;
    }

    public String getRequestId() {
        return requestId;
    }

    public void setRequestId(String requestId) {
        this.requestId = requestId;
    }

    public BigDecimal getAmount() {
        return amount;
    }

    public void setAmount(BigDecimal amount) {
        this.amount = amount;
    }
}
