package io.oncegate.proof;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.jspecify.annotations.NullMarked;

/** The rules of the module map, over the classes of all published modules at once. */
@AnalyzeClasses(packages = "io.oncegate", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String[] FRAMEWORKS = {
        "org.springframework..", "jakarta..", "com.fasterxml..", "tools.jackson..", "org.hibernate.."
    };

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("io.oncegate.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule coreKnowsTheJdkAndTwoLibraries = classes()
            .that()
            .resideInAPackage("io.oncegate.core..")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                            "io.oncegate.core..", "java..", "javax.crypto..", "org.slf4j..", "org.jspecify..")
                    .or(primitiveArray()));

    @ArchTest
    static final ArchRule storesKnowNoFramework = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.oncegate.jdbc..", "io.oncegate.redis..", "io.oncegate.caffeine..", "io.oncegate.zookeeper..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(FRAMEWORKS);

    @ArchTest
    static final ArchRule nothingDependsOnTheStarter = noClasses()
            .that()
            .resideOutsideOfPackage("io.oncegate.boot..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.oncegate.boot..");

    @ArchTest
    static final ArchRule internalPackagesAreNobodyElses =
            classes().that(resideInAPackage("io.oncegate..")).should(notUseInternalsOfAnotherModule());

    @ArchTest
    static final ArchRule everyPackageIsNullMarked = classes()
            .that(resideInAPackage("io.oncegate..").and(not(isPackageInfo())))
            .should(standInANullMarkedPackage());

    private static DescribedPredicate<JavaClass> primitiveArray() {
        return DescribedPredicate.describe(
                "arrays of primitives",
                c -> c.isArray() && c.getBaseComponentType().isPrimitive());
    }

    private static DescribedPredicate<JavaClass> isPackageInfo() {
        return DescribedPredicate.describe(
                "package-info", c -> c.getSimpleName().equals("package-info"));
    }

    private static ArchCondition<JavaClass> notUseInternalsOfAnotherModule() {
        return new ArchCondition<>("not use internals of another module") {
            @Override
            public void check(JavaClass item, ConditionEvents events) {
                item.getDirectDependenciesFromSelf().stream()
                        .filter(d -> d.getTargetClass().getPackageName().startsWith("io.oncegate."))
                        .filter(d -> (d.getTargetClass().getPackageName() + ".").contains(".internal."))
                        .filter(d -> !module(d.getTargetClass()).equals(module(item)))
                        .forEach(d -> events.add(SimpleConditionEvent.violated(item, d.getDescription())));
            }
        };
    }

    private static ArchCondition<JavaClass> standInANullMarkedPackage() {
        return new ArchCondition<>("stand in a package whose package-info says @NullMarked") {
            @Override
            public void check(JavaClass item, ConditionEvents events) {
                if (!item.getPackage().isAnnotatedWith(NullMarked.class)) {
                    events.add(SimpleConditionEvent.violated(
                            item, item.getPackageName() + " has no package-info with @NullMarked"));
                }
            }
        };
    }

    /** {@code io.oncegate.jdbc.internal} belongs to {@code jdbc}. */
    private static String module(JavaClass type) {
        return type.getPackageName().split("\\.", -1)[2];
    }
}
