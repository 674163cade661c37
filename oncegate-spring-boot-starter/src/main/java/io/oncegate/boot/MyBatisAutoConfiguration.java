package io.oncegate.boot;

import io.oncegate.spring.mybatis.VersionedStatements;
import org.apache.ibatis.plugin.Interceptor;
import org.mybatis.spring.MyBatisExceptionTranslator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * The plug-in for {@code @VersionedStatement}, as a bean: MyBatis's own starter puts such beans into its configuration, and an
 * application that makes its {@code SqlSessionFactory} itself can have it injected.
 */
@AutoConfiguration(beforeName = "org.mybatis.spring.boot.autoconfigure.MybatisAutoConfiguration")
@ConditionalOnClass({Interceptor.class, MyBatisExceptionTranslator.class})
public final class MyBatisAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    VersionedStatements oncegateVersionedStatements() {
        return new VersionedStatements();
    }
}
