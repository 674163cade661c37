package io.oncegate.spring.client;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Stands before the gate and keeps back the replies to a call's first two requests, after they have been worked on, until
 * the client has given up and comes again; calls whose name begins with "quick" pass. With the header X-Refuse it answers the first two with 503 instead.
 */
final class LostReplies extends OncePerRequestFilter {
    private static final int LOST = 2;

    private final Map<String, List<String>> keys = new ConcurrentHashMap<>();
    private final Map<String, List<CountDownLatch>> held = new ConcurrentHashMap<>();

    List<String> keys(String call) {
        return List.copyOf(keys.getOrDefault(call, List.of()));
    }

    void releaseAll() {
        held.values().forEach(latches -> latches.forEach(CountDownLatch::countDown));
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String call = request.getHeader("X-Call");
        CountDownLatch mine = new CountDownLatch(1);
        int number = arrived(call, String.valueOf(request.getHeader("Idempotency-Key")), mine);
        if (number > LOST || call.startsWith("quick")) {
            chain.doFilter(request, response);
        } else if (request.getHeader("X-Refuse") != null) {
            chain.doFilter(request, new ContentCachingResponseWrapper(response));
            response.reset();
            response.sendError(503);
        } else {
            chain.doFilter(request, new ContentCachingResponseWrapper(response));
            hold(mine);
        }
    }

    private synchronized int arrived(String call, String key, CountDownLatch mine) {
        List<CountDownLatch> earlier = held.computeIfAbsent(call, absent -> new CopyOnWriteArrayList<>());
        earlier.forEach(CountDownLatch::countDown);
        earlier.add(mine);
        List<String> all = keys.computeIfAbsent(call, absent -> new CopyOnWriteArrayList<>());
        all.add(key);
        return all.size();
    }

    private static void hold(CountDownLatch mine) throws IOException {
        try {
            if (!mine.await(30, TimeUnit.SECONDS)) {
                throw new IOException("the client has not come again");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
