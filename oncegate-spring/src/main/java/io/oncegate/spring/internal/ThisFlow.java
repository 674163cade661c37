package io.oncegate.spring.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Follows {@code this} through one method's code: which slots of the operand stack and which local variables hold it. Where
 * branches meet, a slot that holds it on one of them counts as holding it.
 */
final class ThisFlow extends MethodVisitor {
    private final SelfCalls calls;
    private final SelfCalls.Where where;
    private final List<Boolean> stack = new ArrayList<>();
    private final Map<Integer, Boolean> locals = new HashMap<>();
    private final Map<Label, List<Boolean>> atLabel = new HashMap<>();
    private final Set<Label> handlers = new HashSet<>();
    private boolean reachable = true;

    ThisFlow(SelfCalls calls, SelfCalls.Where where, boolean hasThis) {
        super(SpringAsmInfo.ASM_VERSION);
        this.calls = calls;
        this.where = where;
        if (hasThis) {
            locals.put(0, true);
        }
    }

    private boolean pop() {
        return !stack.isEmpty() && stack.remove(stack.size() - 1);
    }

    /** Pops these slots; tells whether the lowest of them held it. */
    private boolean pop(int slots) {
        boolean lowest = false;
        for (int i = 0; i < slots; i++) {
            lowest = pop();
        }
        return lowest;
    }

    private void push(int slots) {
        for (int i = 0; i < slots; i++) {
            stack.add(false);
        }
    }

    private void effect(int pops, int pushes) {
        pop(pops);
        push(pushes);
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode >= Opcodes.DUP && opcode <= Opcodes.SWAP) {
            copy(opcode);
            return;
        }
        effect(StackEffect.pops(opcode), StackEffect.pushes(opcode));
        if ((opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) || opcode == Opcodes.ATHROW) {
            reachable = false;
        }
    }

    private void copy(int opcode) {
        int size = opcode >= Opcodes.DUP2 && opcode <= Opcodes.DUP2_X2 ? 2 : 1;
        int below = switch (opcode) {
            case Opcodes.DUP_X1, Opcodes.DUP2_X1, Opcodes.SWAP -> 1;
            case Opcodes.DUP_X2, Opcodes.DUP2_X2 -> 2;
            default -> 0;
        };
        List<Boolean> top = take(size);
        List<Boolean> under = take(below);
        stack.addAll(top);
        stack.addAll(under);
        if (opcode != Opcodes.SWAP) {
            stack.addAll(top);
        }
    }

    private List<Boolean> take(int slots) {
        List<Boolean> taken = new ArrayList<>();
        for (int i = 0; i < slots; i++) {
            taken.add(0, pop());
        }
        return taken;
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        effect(opcode == Opcodes.NEWARRAY ? 1 : 0, 1);
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
        switch (opcode) {
            case Opcodes.ALOAD -> stack.add(locals.getOrDefault(variable, false));
            case Opcodes.ASTORE -> locals.put(variable, pop());
            case Opcodes.LLOAD, Opcodes.DLOAD -> push(2);
            case Opcodes.ILOAD, Opcodes.FLOAD -> push(1);
            case Opcodes.LSTORE, Opcodes.DSTORE -> pop(2);
            default -> pop(1);
        }
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        switch (opcode) {
            case Opcodes.NEW -> push(1);
            case Opcodes.CHECKCAST -> {} // it stays what it is
            default -> effect(1, 1);
        }
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        int size = Type.getType(descriptor).getSize();
        switch (opcode) {
            case Opcodes.GETSTATIC -> push(size);
            case Opcodes.PUTSTATIC -> pop(size);
            case Opcodes.PUTFIELD -> pop(size + 1);
            default -> {
                pop(1);
                boolean outerThis = name.startsWith("this$")
                        && calls.isOwner(Type.getType(descriptor).getInternalName());
                if (outerThis) {
                    stack.add(true);
                } else {
                    push(size);
                }
            }
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        boolean isStatic = opcode == Opcodes.INVOKESTATIC;
        int arguments = (Type.getArgumentsAndReturnSizes(descriptor) >> 2) - 1;
        pop(arguments);
        boolean onThis = !isStatic && pop();
        calls.call(owner, name, descriptor, onThis, isStatic, where);
        push(Type.getReturnType(descriptor).getSize());
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... constants) {
        int captured = (Type.getArgumentsAndReturnSizes(descriptor) >> 2) - 1;
        boolean onThis = pop(captured);
        for (Object constant : constants) {
            if (constant instanceof Handle method) {
                boolean isStatic = method.getTag() == Opcodes.H_INVOKESTATIC;
                calls.call(method.getOwner(), method.getName(), method.getDesc(), onThis && !isStatic, isStatic, where);
            }
        }
        push(1);
    }

    @Override
    public void visitLdcInsn(Object value) {
        push(value instanceof Long || value instanceof Double ? 2 : 1);
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        effect(dimensions, 1);
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        if (opcode == Opcodes.GOTO) {
            reach(label);
            reachable = false;
        } else {
            pop(opcode >= Opcodes.IF_ICMPEQ && opcode <= Opcodes.IF_ACMPNE ? 2 : 1);
            reach(label);
        }
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label other, Label... labels) {
        leap(other, labels);
    }

    @Override
    public void visitLookupSwitchInsn(Label other, int[] keys, Label[] labels) {
        leap(other, labels);
    }

    private void leap(Label other, Label... labels) {
        pop(1);
        reach(other);
        for (Label label : labels) {
            reach(label);
        }
        reachable = false;
    }

    private void reach(Label label) {
        atLabel.merge(label, List.copyOf(stack), ThisFlow::either);
    }

    private static List<Boolean> either(List<Boolean> one, List<Boolean> other) {
        List<Boolean> both = new ArrayList<>();
        for (int i = 0; i < Math.max(one.size(), other.size()); i++) {
            both.add((i < one.size() && one.get(i)) || (i < other.size() && other.get(i)));
        }
        return both;
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
        handlers.add(handler);
    }

    @Override
    public void visitLabel(Label label) {
        List<Boolean> known = atLabel.get(label);
        if (handlers.contains(label)) {
            stack.clear();
            push(1);
        } else if (known != null) {
            List<Boolean> merged = reachable ? either(known, List.copyOf(stack)) : known;
            stack.clear();
            stack.addAll(merged);
        } else if (!reachable) {
            stack.clear();
        }
        reachable = true;
    }
}
