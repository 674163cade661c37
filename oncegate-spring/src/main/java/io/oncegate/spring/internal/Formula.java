package io.oncegate.spring.internal;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * An expression of an annotation, parsed and checked. Texts that it puts together are made here and not by SpEL, which
 * writes null as {@code null} and an object as its identity: each part has to be a usable key of its own. Immutable.
 */
public final class Formula {
    private static final SpelParserConfiguration CONFIG = new SpelParserConfiguration();

    private final String what;
    private final String text;
    private final SpelExpression expression;
    private final Arguments arguments;
    private final boolean valid;

    /**
     * Parses and checks it.
     *
     * @param what what it is for, such as {@code key}
     * @param problems takes what is wrong with it
     */
    public Formula(String what, String text, Arguments arguments, List<String> problems) {
        this.what = what;
        this.text = text;
        this.arguments = arguments;
        @Nullable SpelExpression parsed = null;
        try {
            parsed = new SpelExpressionParser(CONFIG).parseRaw(text);
            problems.addAll(FormulaCheck.problems(describe(), parsed.getAST(), arguments));
        } catch (ParseException | IllegalArgumentException e) {
            problems.add(describe() + " is not an expression: " + e.getMessage());
        }
        this.valid = parsed != null;
        this.expression = parsed == null ? new SpelExpressionParser(CONFIG).parseRaw("null") : parsed;
    }

    /** Names it for messages: what it is for, and its text, which stands in the code. */
    public String describe() {
        return "the " + what + " expression [" + text + "]";
    }

    /** Whether it is the same for all calls. */
    public boolean isConstant() {
        return valid && FormulaCheck.isConstant(expression.getAST());
    }

    /**
     * Its value for these arguments.
     *
     * @throws UnusableException if it fails, or puts a text together from something that has no text of its own
     */
    public @Nullable Object value(@Nullable Object[] values) {
        EvaluationContext context = arguments.context(values);
        try {
            return value(expression.getAST(), new ExpressionState(context, TypedValue.NULL, CONFIG));
        } catch (EvaluationException e) {
            throw new UnusableException("cannot be evaluated (" + reason(e) + ")");
        } catch (UnusableException e) {
            throw e;
        } catch (RuntimeException e) {
            // thrown by what it calls: the message may quote a value
            throw new UnusableException("cannot be evaluated (" + e.getClass().getName() + ")");
        }
    }

    private static String reason(EvaluationException e) {
        if (e instanceof org.springframework.expression.spel.SpelEvaluationException spel) {
            return spel.getMessageCode()
                            == org.springframework.expression.spel.SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL
                    ? "a property of null"
                    : String.valueOf(spel.getMessageCode());
        }
        return e.getClass().getSimpleName();
    }

    private static @Nullable Object value(SpelNode node, ExpressionState state) {
        if (node instanceof Ternary) {
            boolean first = Boolean.TRUE.equals(checked(node.getChild(0), state));
            return value(node.getChild(first ? 1 : 2), state);
        } else if (node instanceof Elvis) {
            Object first = value(node.getChild(0), state);
            return KeyText.isMissing(first) ? value(node.getChild(1), state) : first;
        } else if (node instanceof OpPlus && node.getChildCount() == 2) {
            Object left = value(node.getChild(0), state);
            Object right = value(node.getChild(1), state);
            return isText(left) || isText(right)
                    ? part(node.getChild(0), left) + part(node.getChild(1), right)
                    : node.getValue(state);
        }
        return checked(node, state);
    }

    private static boolean isText(@Nullable Object value) {
        return value instanceof CharSequence;
    }

    /** One part of a text that is put together. */
    private static String part(SpelNode node, @Nullable Object value) {
        if (node instanceof Literal && value != null) {
            return value.toString();
        }
        try {
            return KeyText.of(value);
        } catch (UnusableException e) {
            throw new UnusableException("has a part [" + node.toStringAST() + "] that " + e.getMessage());
        }
    }

    private static @Nullable Object checked(SpelNode node, ExpressionState state) {
        boolean nullArgument = checkInside(node, state);
        Object value = node.getValue(state);
        if (nullArgument
                && value instanceof CharSequence made
                && made.toString().contains("null")) {
            throw new UnusableException("makes a text of a null argument");
        }
        return value;
    }

    /** Looks for texts put together further inside; tells whether a method is given null. */
    private static boolean checkInside(SpelNode node, ExpressionState state) {
        if (node instanceof Projection || node instanceof Selection) {
            return false; // about each element, not about the call
        }
        boolean nullArgument = false;
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            if (child instanceof Ternary || child instanceof Elvis || child instanceof OpPlus) {
                Object ignored = value(child, state);
                requireSimpleParts(child, state);
            } else {
                nullArgument |= checkInside(child, state);
            }
            if (node instanceof MethodReference) {
                nullArgument |= child.getValue(state) == null;
            }
        }
        return nullArgument;
    }

    /** Inside a method's argument or target SpEL makes the text: of a list or a record it would not be unique. */
    private static void requireSimpleParts(SpelNode node, ExpressionState state) {
        for (int i = 0; node instanceof OpPlus && i < node.getChildCount(); i++) {
            SpelNode operand = node.getChild(i);
            requireSimpleParts(operand, state);
            Object value = operand.getValue(state);
            if (value != null && KeyText.isContent(value)) {
                throw new UnusableException(
                        "has a part [" + operand.toStringAST() + "] whose content has no text of its own"
                                + " there; put it together outside of the method call");
            }
        }
    }
}
