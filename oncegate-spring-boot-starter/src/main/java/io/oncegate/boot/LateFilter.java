package io.oncegate.boot;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Filters that are made when all beans are there: a server wants its filters before the handlers are known, and the gate
 * wants to know the handlers. The server takes no request before that.
 */
final class LateFilter implements Filter, SmartInitializingSingleton {
    private final Supplier<List<Filter>> source;
    private volatile @Nullable List<Filter> filters;

    LateFilter(Supplier<List<Filter>> source) {
        this.source = source;
    }

    @Override
    public void afterSingletonsInstantiated() {
        filters = List.copyOf(source.get());
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        List<Filter> made = filters;
        if (made == null) {
            throw new IllegalStateException("a request came before the application was ready; the gate refuses it");
        }
        next(made, 0, chain).doFilter(request, response);
    }

    private static FilterChain next(List<Filter> filters, int index, FilterChain end) {
        return index == filters.size()
                ? end
                : (request, response) -> filters.get(index).doFilter(request, response, next(filters, index + 1, end));
    }
}
