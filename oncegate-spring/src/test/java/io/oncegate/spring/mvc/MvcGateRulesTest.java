package io.oncegate.spring.mvc;

import io.oncegate.core.Oncegate;
import io.oncegate.spring.gate.GateRules;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.http.GateBuilder;
import java.util.List;
import java.util.function.Consumer;

class MvcGateRulesTest extends GateRules {
    @Override
    protected GateServer start(Oncegate oncegate, Consumer<GateBuilder<?>> more) {
        return MvcServer.start(oncegate, more::accept);
    }

    @Override
    protected List<String> asyncKinds() {
        return List.of("callable", "deferred", "future", "stream", "emitter", "sse", "mono", "flux", "servlet");
    }
}
