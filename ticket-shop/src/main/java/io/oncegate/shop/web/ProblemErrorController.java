package io.oncegate.shop.web;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Errors that come from below the controllers, as problem details whatever the caller accepts. */
@RestController
class ProblemErrorController implements ErrorController {
    @RequestMapping("/error")
    ResponseEntity<ProblemDetail> error(HttpServletRequest request) {
        HttpStatus status = HttpStatus.NOT_FOUND;
        if (request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer code) {
            HttpStatus known = HttpStatus.resolve(code);
            status = known == null ? HttpStatus.INTERNAL_SERVER_ERROR : known;
        }
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(
                status, "The request came to no controller of the shop; GET / tells what there is.");
        if (request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI) instanceof String uri) {
            problem.setInstance(ProblemInstance.of(uri));
        }
        return ResponseEntity.status(status)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(problem);
    }
}
