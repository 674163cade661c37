package io.oncegate.spring.datajdbc;

import io.oncegate.spring.orm.InsertFirstChecks;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.spring.orm.Tool;

class DataJdbcInsertFirstIT extends InsertFirstChecks {
    @Override
    protected Tool tool(PurchaseTables on) {
        return new DataJdbcTool(on);
    }
}
