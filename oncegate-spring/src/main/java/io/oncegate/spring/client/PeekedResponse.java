package io.oncegate.spring.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/** A 409 whose body has been looked at, and is served whole all the same. */
final class PeekedResponse implements ClientHttpResponse {
    private final ClientHttpResponse response;
    private final byte[] head;
    private final InputStream body;

    private PeekedResponse(ClientHttpResponse response, byte[] head) throws IOException {
        this.response = response;
        this.head = head;
        this.body = new SequenceInputStream(new ByteArrayInputStream(head), response.getBody());
    }

    /** The response itself, unless its body decides whether the request is sent again. */
    static ClientHttpResponse of(ClientHttpResponse response) throws IOException {
        int status = response.getStatusCode().value();
        if (!InProgressProblem.isPossible(status, response.getHeaders().getFirst(HttpHeaders.CONTENT_TYPE))) {
            return response;
        }
        return new PeekedResponse(response, response.getBody().readNBytes(InProgressProblem.LONGEST));
    }

    boolean isInProgress() {
        return InProgressProblem.isIn(head);
    }

    @Override
    public InputStream getBody() {
        return body;
    }

    @Override
    public HttpStatusCode getStatusCode() throws IOException {
        return response.getStatusCode();
    }

    @Override
    public String getStatusText() throws IOException {
        return response.getStatusText();
    }

    @Override
    public HttpHeaders getHeaders() {
        return response.getHeaders();
    }

    @Override
    public void close() {
        response.close();
    }
}
