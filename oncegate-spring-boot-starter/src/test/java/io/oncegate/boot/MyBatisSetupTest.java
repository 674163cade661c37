package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StaleVersionException;
import io.oncegate.spring.mybatis.VersionedStatement;
import io.oncegate.spring.mybatis.VersionedStatements;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.session.SqlSessionFactory;
import org.junit.jupiter.api.Test;
import org.mybatis.spring.SqlSessionTemplate;
import org.mybatis.spring.boot.autoconfigure.MybatisAutoConfiguration;
import org.mybatis.spring.mapper.MapperFactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Marked statements in an application with MyBatis's own starter. */
class MyBatisSetupTest {
    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OncegateAutoConfiguration.class,
                    MyBatisAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.generate-unique-name=true",
                    "oncegate.store=memory",
                    "oncegate.same-transaction.enabled=false");

    private final ApplicationContextRunner application = bare.withConfiguration(
                    AutoConfigurations.of(MybatisAutoConfiguration.class))
            .withUserConfiguration(Mappers.class);

    /** Doors. */
    interface DoorMapper {
        @VersionedStatement
        @Update("UPDATE door SET open = 1, version = version + 1 WHERE id = #{id} AND version = #{version}")
        int open(@Param("id") long id, @Param("version") long version);
    }

    @Configuration(proxyBeanMethods = false)
    static class Mappers {
        @Bean
        MapperFactoryBean<DoorMapper> doorMapper(SqlSessionTemplate sessions) {
            MapperFactoryBean<DoorMapper> mapper = new MapperFactoryBean<>(DoorMapper.class);
            mapper.setSqlSessionTemplate(sessions);
            return mapper;
        }
    }

    /** In whose session the exceptions are as they are. */
    @Configuration(proxyBeanMethods = false)
    static class Translated {
        @Bean
        SqlSessionTemplate sqlSessionTemplate(SqlSessionFactory factory, DataSource source) {
            return new SqlSessionTemplate(
                    factory,
                    factory.getConfiguration().getDefaultExecutorType(),
                    VersionedStatements.translator(source));
        }
    }

    private static DoorMapper doors(org.springframework.context.ApplicationContext context) {
        JdbcClient jdbc = JdbcClient.create(context.getBean(DataSource.class));
        jdbc.sql("CREATE TABLE door (id BIGINT PRIMARY KEY, open INT NOT NULL, version BIGINT NOT NULL)")
                .update();
        jdbc.sql("INSERT INTO door VALUES (1, 0, 4)").update();
        return context.getBean(DoorMapper.class);
    }

    @Test
    void markedStatementsAreSeenToWithoutAWordOfConfiguration() {
        application.run(context -> {
            DoorMapper doors = doors(context);
            assertThat(doors.open(1, 4)).isEqualTo(1);
            assertThatThrownBy(() -> doors.open(1, 4)).hasRootCauseInstanceOf(StaleVersionException.class);
        });
        application.withUserConfiguration(Translated.class).run(context -> {
            DoorMapper doors = doors(context);
            assertThatThrownBy(() -> doors.open(1, 3)).isInstanceOf(StaleVersionException.class);
        });
    }

    @Test
    void theApplicationsOwnPlugInComesFirst() {
        VersionedStatements own = new VersionedStatements();
        application
                .withBean(VersionedStatements.class, () -> own)
                .run(context -> assertThat(context.getBean(SqlSessionFactory.class)
                                .getConfiguration()
                                .getInterceptors())
                        .containsExactly(own));
    }

    @Test
    void withoutMyBatisThereIsNone() {
        bare.withClassLoader(new FilteredClassLoader("org.apache.ibatis", "org.mybatis"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("oncegateVersionedStatements"));
    }
}
