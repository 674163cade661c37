package io.oncegate.shop.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Names the caller by the header {@code X-User}, and refuses a request without one. It stands in for a real login, and
 * before the gate: a request from nobody is not recorded.
 */
final class UserFilter extends OncePerRequestFilter {
    static final String HEADER = "X-User";

    /** Not {@code null}: that is what a client sends that has no name. */
    private static final Pattern NAME = Pattern.compile("(?!null$)[A-Za-z0-9][A-Za-z0-9._@+:-]{0,63}");

    private final ProblemWriter problems;

    UserFilter(ProblemWriter problems) {
        this.problems = problems;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        List<String> names = Collections.list(request.getHeaders(HEADER));
        if (names.size() != 1 || !NAME.matcher(names.get(0)).matches()) {
            response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Header name=\"" + HEADER + "\"");
            problems.write(
                    request,
                    response,
                    HttpStatus.UNAUTHORIZED,
                    "caller-unknown",
                    "Name yourself with one header " + HEADER
                            + " of 1 to 64 letters, digits and . _ @ + : - that begins with a letter or digit, and is not"
                            + " null, like X-User: alice.");
            return;
        }
        chain.doFilter(new Caller(names.get(0)).asking(request), response);
    }
}
