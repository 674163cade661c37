package io.oncegate.spring.internal;

/**
 * How many slots of the operand stack an instruction without operands pops and pushes, by its opcode (JVM specification,
 * chapter 6). Those that copy slots are not among them.
 */
final class StackEffect {
    // One digit per opcode: from nop (0) on, and from iadd (96) to dcmpg (152); the others stand below.
    private static final String POPS_LOW =
            "00000000000000000000000000000000000000000000002222222200000000000000000000000003434333312";
    private static final String PUSHES_LOW = "011111111221112200000000000000000000000000000012121111";
    private static final String POPS_MATH = "242424242424242424241212232323242424011122211122211142244";
    private static final String PUSHES_MATH = "121212121212121212121212121212121212021211212212111111111";

    private StackEffect() {}

    static int pops(int opcode) {
        if (opcode >= 96 && opcode <= 152) {
            return digit(POPS_MATH, opcode - 96);
        }
        return switch (opcode) {
            case 172, 174, 176, 190, 191, 194, 195 -> 1; // ireturn, freturn, areturn, arraylength, athrow, monitors
            case 173, 175 -> 2; // lreturn, dreturn
            default -> opcode < 89 ? digit(POPS_LOW, opcode) : 0;
        };
    }

    static int pushes(int opcode) {
        if (opcode >= 96 && opcode <= 152) {
            return digit(PUSHES_MATH, opcode - 96);
        }
        return opcode == 190 ? 1 : opcode < 54 ? digit(PUSHES_LOW, opcode) : 0;
    }

    private static int digit(String digits, int index) {
        return digits.charAt(index) - '0';
    }
}
