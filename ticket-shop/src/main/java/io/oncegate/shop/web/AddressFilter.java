package io.oncegate.shop.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.PathContainer;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Refuses addresses with a segment {@code .} or {@code ..}, however it is written. Tomcat takes them out before it chooses the
 * filters, and Spring MVC does not when it chooses the controller: a request would pass by the filter that names its caller, or
 * by the gate.
 */
final class AddressFilter extends OncePerRequestFilter {
    private static final Set<String> DOTS = Set.of(".", "..");

    private final ProblemWriter problems;

    AddressFilter(ProblemWriter problems) {
        this.problems = problems;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (hasDots(request)) {
            problems.write(
                    request,
                    response,
                    HttpStatus.BAD_REQUEST,
                    "address-malformed",
                    "The address has a segment . or .. in it; send it without, as GET / names it.");
            return;
        }
        chain.doFilter(request, response);
    }

    private static boolean hasDots(HttpServletRequest request) {
        try {
            return ServletRequestPathUtils.parse(request).elements().stream()
                    .anyMatch(element -> element instanceof PathContainer.PathSegment segment
                            && DOTS.contains(segment.valueToMatch()));
        } catch (IllegalArgumentException e) {
            // What cannot be taken apart is matched by no controller.
            return false;
        }
    }
}
