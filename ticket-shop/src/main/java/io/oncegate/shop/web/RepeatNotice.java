package io.oncegate.shop.web;

import io.oncegate.spring.http.HeaderRules;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseCookie;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.WebUtils;

/**
 * Counts the repetitions that are given the first answer, and tells people of theirs. The answer itself is the first one's, so
 * the word goes beside it, in a cookie that the page of the order shows once.
 */
final class RepeatNotice extends OncePerRequestFilter {
    private static final String COOKIE = "shop_repeated";
    private static final String ORDERS = "/orders/";
    private static final Duration SHORTLY = Duration.ofMinutes(1);

    private final Tally tally;

    RepeatNotice(Tally tally) {
        this.tally = tally;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        chain.doFilter(request, response);
        if (response.getHeader(HeaderRules.REPLAYED) == null) {
            return;
        }
        tally.repetition();
        String location = response.getHeader(HttpHeaders.LOCATION);
        if (response.getStatus() == HttpStatus.SEE_OTHER.value() && location != null && location.startsWith(ORDERS)) {
            set(response, location.substring(ORDERS.length()), SHORTLY);
        }
    }

    /** Whether this order's page has to tell so; it does once. */
    static boolean take(HttpServletRequest request, HttpServletResponse response, String orderNo) {
        Cookie cookie = WebUtils.getCookie(request, COOKIE);
        if (cookie == null || !cookie.getValue().equals(orderNo)) {
            return false;
        }
        set(response, "", Duration.ZERO);
        return true;
    }

    private static void set(HttpServletResponse response, String orderNo, Duration age) {
        ResponseCookie cookie = ResponseCookie.from(COOKIE, orderNo)
                .path("/orders")
                .httpOnly(true)
                .sameSite("Lax")
                .maxAge(age)
                .build();
        response.addHeader(HttpHeaders.SET_COOKIE, cookie.toString());
    }
}
