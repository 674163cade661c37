package io.oncegate.spring.mybatis;

import io.oncegate.spring.orm.InsertFirstChecks;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.spring.orm.Tool;

class MyBatisInsertFirstIT extends InsertFirstChecks {
    @Override
    protected Tool tool(PurchaseTables on) {
        return new MyBatisTool(on);
    }
}
