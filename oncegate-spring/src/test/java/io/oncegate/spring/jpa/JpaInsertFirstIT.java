package io.oncegate.spring.jpa;

import io.oncegate.spring.orm.InsertFirstChecks;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.spring.orm.Tool;

class JpaInsertFirstIT extends InsertFirstChecks {
    @Override
    protected Tool tool(PurchaseTables on) {
        return new JpaTool(on);
    }
}
