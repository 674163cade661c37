package io.oncegate.shop.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Turns problem details into a page for those who ask for HTML, whoever has written them: a controller, the gate, or another
 * filter. It stands before the gate, so that what the gate keeps is the problem, and each reader gets it in his own form.
 */
final class ProblemPageFilter extends OncePerRequestFilter {
    private final ProblemPage page;

    ProblemPageFilter(ProblemPage page) {
        this.page = page;
    }

    /** Who speaks to the API gets problems, whatever he accepts. */
    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getServletPath().startsWith("/api/");
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        response.addHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT);
        if (!wantsHtml(request.getHeader(HttpHeaders.ACCEPT))) {
            chain.doFilter(request, response);
            return;
        }
        ContentCachingResponseWrapper held = new ContentCachingResponseWrapper(response);
        chain.doFilter(request, held);
        String type = held.getContentType();
        if (type == null || !type.startsWith(MediaType.APPLICATION_PROBLEM_JSON_VALUE)) {
            held.copyBodyToResponse();
            return;
        }
        byte[] html = page.render(held.getContentAsByteArray(), held.getStatus(), request.getRequestURI());
        response.setContentType("text/html;charset=UTF-8");
        response.setContentLength(html.length);
        response.getOutputStream().write(html);
    }

    /** Names HTML, and JSON not before it: what browsers send. */
    private static boolean wantsHtml(String accept) {
        double html = 0;
        double other = 0;
        try {
            for (MediaType type : accept == null ? List.<MediaType>of() : MediaType.parseMediaTypes(accept)) {
                if (type.isConcrete() && type.getSubtype().endsWith("html")) {
                    html = Math.max(html, type.getQualityValue());
                } else if (type.isConcrete() && type.getSubtype().endsWith("json")) {
                    other = Math.max(other, type.getQualityValue());
                }
            }
        } catch (InvalidMediaTypeException e) {
            return false;
        }
        return html > 0 && html >= other;
    }
}
