package io.oncegate.shop.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.security.Principal;

/**
 * Who is asking: a user, or a visitor whom the shop has named itself.
 *
 * @param name at most 64 characters; a user's begins with a letter or digit, a visitor's does not
 */
record Caller(String name) implements Principal {
    @Override
    public String getName() {
        return name;
    }

    /** The request as this caller's. */
    HttpServletRequest asking(HttpServletRequest request) {
        return new HttpServletRequestWrapper(request) {
            @Override
            public Principal getUserPrincipal() {
                return Caller.this;
            }

            @Override
            public String getRemoteUser() {
                return name;
            }
        };
    }
}
