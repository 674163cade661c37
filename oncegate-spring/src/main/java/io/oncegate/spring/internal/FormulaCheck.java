package io.oncegate.spring.internal;

import java.util.ArrayList;
import java.util.List;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;

/** Finds what is wrong with an expression before it is ever evaluated: SpEL takes an unknown variable for null. */
final class FormulaCheck {
    private final String what;
    private final Arguments arguments;
    private final List<String> problems = new ArrayList<>();

    private FormulaCheck(String what, Arguments arguments) {
        this.what = what;
        this.arguments = arguments;
    }

    static List<String> problems(String what, SpelNode node, Arguments arguments) {
        FormulaCheck check = new FormulaCheck(what, arguments);
        check.visit(node, true, false);
        return check.problems;
    }

    /** Whether it consists of literals alone. */
    static boolean isConstant(SpelNode node) {
        if (node instanceof Literal) {
            return true;
        }
        if (!(node instanceof OpPlus || node instanceof InlineList || node instanceof InlineMap)) {
            return false;
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            if (!isConstant(node.getChild(i))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Looks at a node.
     *
     * @param first whether it begins a path, so that a bare name would be looked for in nothing
     * @param element whether it is about each element of a collection
     */
    private void visit(SpelNode node, boolean first, boolean element) {
        if (node instanceof VariableReference) {
            variable(node.toStringAST().substring(1), element);
        } else if (node instanceof FunctionReference) {
            problems.add(
                    what + " calls " + node.toStringAST() + ", but no functions are registered; call a bean (@name)");
        } else if (node instanceof Assign) {
            problems.add(what + " assigns a value; it may only read");
        } else if (first && !element && node instanceof PropertyOrFieldReference) {
            problems.add(what + " begins with the bare name " + node.toStringAST() + "; write #" + node.toStringAST()
                    + " for a parameter, or quote a text");
        } else if (first && !element && node instanceof MethodReference) {
            problems.add(what + " calls " + node.toStringAST() + " on nothing; call it on a parameter (#name) or a bean"
                    + " (@name)");
        }
        boolean inside = element || node instanceof Projection || node instanceof Selection;
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean beginsPath = !(node instanceof CompoundExpression) || i == 0;
            boolean isKey = node instanceof InlineMap && i % 2 == 0;
            visit(node.getChild(i), beginsPath && !isKey, inside);
        }
    }

    private void variable(String name, boolean element) {
        if (arguments.variables().contains(name) || (element && name.equals("this"))) {
            return;
        }
        problems.add(
                arguments.namesAreKnown()
                        ? what + " names #" + name + ", but the parameters are "
                                + arguments.variables().stream()
                                        .map(known -> "#" + known)
                                        .toList()
                        : what + " names #" + name + ", but the class file holds no parameter names, because it was"
                                + " compiled without -parameters; add that option to the compiler, or write #p0");
    }
}
