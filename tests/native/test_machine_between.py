"""Plain binaries with code that the unwind table leaves out, and with constants among their code: the first is told, the second is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.test_machine_code import built, patches, scanned, symbol
from tests.native.test_machine_refusals import BOUND, LOST, MAIN
from tests.native.tool import run_inside

LONG = "incl count(%rip)\n" * 12  # longer than what may be a constant
FUNCTION = ".text\n{head}\nadd: {code}\n ret\n{tail}\n"
DECLARED = {"head": ".globl add\n.type add, @function", "tail": ".size add, .-add"}
BARE = {"head": ".globl add", "tail": ""}
POINTED = "void *add(void *);\n" + MAIN
CALLED = "void add(void);\nstatic void *call(void *unused) { add(); return unused; }\n" + MAIN.replace("add, NULL", "call, NULL")
END = '.section .note.GNU-stack,""\n'


def assembled(tmp_path: Path, text: str, main: str, *flags: str) -> Path:
    (tmp_path / "add.s").write_text(text + END)
    return built(tmp_path, LOST.replace("void *add(void *); ", "") + main, str(tmp_path / "add.s"), *flags)


SEEN = {
    "declared to be a function": (FUNCTION.format(code="incl count(%rip)", **DECLARED), POINTED, []),
    "called": (FUNCTION.format(code="incl count(%rip)", **BARE), CALLED, ["-s"]),
    "called by what is": (FUNCTION.format(code="call 1f\n ret\n1: incl count(%rip)", **BARE), CALLED, ["-s"]),
    "known by its address, and long": (FUNCTION.format(code=LONG, **BARE), POINTED.replace("!= 2", "!= 24"), ["-s"]),
}


@pytest.mark.parametrize("how", SEEN)
def test_code_without_a_table_is_told_where_it_is_certain_to_be_code(tmp_path: Path, how: str) -> None:
    text, main, flags = SEEN[how]
    run = run_inside(assembled(tmp_path, text, main, *flags), [], BOUND)
    assert run.report["verdict"] == "bug" and run.report["coverage"] == "machine", run


TABLE = ".long 0x01ff8704, 0x0f0b00c6, 0xc3010187, 0x0b0f0ff0\n" * 20
CONSTANTS = {
    "read by its address": ("int main(void) { return numbers[3] != 0x0b0f0ff0; }", TABLE),
    "handed on, and no instructions": ("#include <string.h>\nint main(void) { return memchr(numbers, 0xf0, 320) == 0; }", TABLE),
    "a text": ("int main(void) { return 0; }", '.asciz "Multiplication for x86_64, (RDI) [RSI] by somebody@somewhere"\n'),
}


@pytest.mark.parametrize("how", CONSTANTS)
def test_constants_among_the_code_are_left_alone_and_are_no_code(tmp_path: Path, how: str) -> None:
    main, table = CONSTANTS[how]
    (tmp_path / "add.s").write_text(f".text\n.globl numbers\n.p2align 4\nnumbers: {table}{END}")
    program = built(tmp_path, f"extern const int numbers[];\n{main}", str(tmp_path / "add.s"))
    start, found = symbol(program, "numbers"), scanned(program)
    assert not any(start <= address < start + 320 for address, _ in patches(found))
    assert found.summary.without_table == 0 and any(low <= start < high for low, high in found.summary.constants)
    run = run_inside(program, [], ["--machine-code=all", "--bound", "none"])
    assert run.exit_code == 0 and run.report["coverage"] == "machine", run


CARRY = """.text
.globl twice, added
twice: mov (%rdi), %rax
 add %rax, %rax
 call added
 adc $0, %rax
 ret
added: mov 8(%rdi), %rcx
 adc 8(%rdi), %rcx
 mov %rcx, 16(%rdi)
 ret
"""


def test_assembler_that_hands_flags_from_function_to_function_computes_as_before(tmp_path: Path) -> None:
    (tmp_path / "add.s").write_text(CARRY + END)
    main = """
unsigned long twice(unsigned long *);
unsigned long numbers[3] = {1UL << 63, ~0UL, 0};
int main(void) { unsigned long low = twice(numbers); return low != 1 || numbers[2] != ~0UL; }
"""
    program = built(tmp_path, main, str(tmp_path / "add.s"))
    start = symbol(program, "twice")
    assert any(start <= address < start + 48 for address, _ in patches(scanned(program)))
    assert run_inside(program, [], ["--machine-code=all", "--bound", "none"]).exit_code == 0


def test_a_data_table_that_a_computed_jump_may_lead_into_is_not_called_data(tmp_path: Path) -> None:
    """The jump goes behind a constant that cannot be run, to code that nothing else knows of."""
    text = """.text
.globl add
.type add, @function
add: .cfi_startproc
 lea 2f(%rip), %rax
 add $8, %rax
 jmp *%rax
 .cfi_endproc
.size add, .-add
.p2align 4
2: .quad 0x0606060606060606
 incl count(%rip)
 ret
"""
    program = assembled(tmp_path, text, POINTED)
    assert scanned(program).summary.without_table > 0
    assert run_inside(program, [], BOUND).report["coverage"] == "calls"
