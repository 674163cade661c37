package io.oncegate.spring.webflux;

import io.oncegate.core.Oncegate;
import io.oncegate.spring.gate.GateRules;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.http.GateBuilder;
import java.util.List;
import java.util.function.Consumer;

class WebFluxGateRulesTest extends GateRules {
    @Override
    protected GateServer start(Oncegate oncegate, Consumer<GateBuilder<?>> more) {
        return FluxServer.start(oncegate, more::accept);
    }

    @Override
    protected List<String> asyncKinds() {
        return List.of("future", "mono", "flux", "sse", "stream");
    }
}
