package io.oncegate.shop.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/** Tomcat's own last word, as problem details: for requests that never reach the shop, such as an ill-formed address. */
public final class ProblemReportValve extends ErrorReportValve {
    /** Creates the valve; Tomcat does so by its name. */
    public ProblemReportValve() {}

    @Override
    protected void report(Request request, Response response, @Nullable Throwable failure) {
        int code = response.getStatus();
        if (code < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        HttpStatus status = HttpStatus.resolve(code);
        String title = status == null ? "Error" : status.getReasonPhrase();
        String body = "{\"type\":\"about:blank\",\"title\":\"" + title + "\",\"status\":" + code
                + ",\"detail\":\"The request could not be read; send it as HTTP asks for.\"}";
        try {
            response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
            response.getOutputStream().write(body.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException | IllegalStateException gone) {
            // There is nobody left to tell, or somebody has begun to.
            return;
        }
    }
}
