package io.oncegate.shop.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.WebUtils;

/**
 * Names the caller of a page. A browser sends no {@code X-User}: it is known by a random number in a cookie, which it gets
 * with its first form. Whoever sends {@code X-User} is that user, as at the API. A form that comes from nobody is left to
 * the gate, which refuses it.
 */
final class VisitorFilter extends OncePerRequestFilter {
    static final String COOKIE = "shop_visitor";

    /** No user's name begins like this. */
    private static final String PREFIX = "~";

    private static final int RANDOM_BYTES = 24;
    private static final Pattern VISITOR = Pattern.compile("[A-Za-z0-9_-]{32}");
    private static final Duration REMEMBERED = Duration.ofDays(30);

    private final SecureRandom random = new SecureRandom();
    private final UserFilter users;

    VisitorFilter(UserFilter users) {
        this.users = users;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        // Never "no-store": the back button shall show the same form, with the same token.
        response.setHeader(HttpHeaders.CACHE_CONTROL, "private");
        if (request.getHeader(UserFilter.HEADER) != null) {
            users.doFilter(request, response, chain);
            return;
        }
        String visitor = known(request);
        if (visitor == null && opensAForm(request)) {
            visitor = newcomer(request, response);
        }
        chain.doFilter(visitor == null ? request : new Caller(PREFIX + visitor).asking(request), response);
    }

    private static @Nullable String known(HttpServletRequest request) {
        Cookie cookie = WebUtils.getCookie(request, COOKIE);
        return cookie != null && VISITOR.matcher(cookie.getValue()).matches() ? cookie.getValue() : null;
    }

    private static boolean opensAForm(HttpServletRequest request) {
        return !request.getMethod().equals("POST") && request.getServletPath().startsWith("/sessions/");
    }

    private String newcomer(HttpServletRequest request, HttpServletResponse response) {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        String visitor = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        ResponseCookie cookie = ResponseCookie.from(COOKIE, visitor)
                .path("/")
                .httpOnly(true)
                .secure(request.isSecure())
                .sameSite("Lax")
                .maxAge(REMEMBERED)
                .build();
        response.addHeader(HttpHeaders.SET_COOKIE, cookie.toString());
        return visitor;
    }
}
