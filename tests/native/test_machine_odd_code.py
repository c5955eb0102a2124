"""Code that a compiler seldom writes: what is patched of it does what it did before, and what it accesses is seen."""

from __future__ import annotations

from pathlib import Path

from tests.native.test_machine_code import SHAPE, built, overwritten_inside, scanned, symbol
from tests.native.tool import run_inside

NARROW = """
#include <pthread.h>
static char shared;
extern char here[]; /* not moved: lea behind a short access, by a distance of 32 bits from eip */
__asm__(".text\\n.type address, @function\\naddress:\\n.cfi_startproc\\n"
        "movb (%rdi), %dl\\nleal here(%eip), %eax\\nhere: ret\\n.cfi_endproc");
unsigned address(char *);
static void *work(void *unused) { shared = 1; return unused; }
int main(void) {
    pthread_t thread; pthread_create(&thread, 0, work, 0);
    unsigned found = address(&shared); pthread_join(thread, 0); return found != (unsigned)(long)here; }
"""


def test_an_address_of_32_bits_by_distance_is_not_moved(tmp_path: Path) -> None:
    run = run_inside(built(tmp_path, NARROW, "-no-pie", "-fno-pie"), [], ["--machine-code=auto", "--bound", "none"])
    assert run.exit_code == 0 and run.report["coverage"] == "machine", run


def test_a_jump_to_where_nobody_knows_lands_in_no_group(tmp_path: Path) -> None:
    """The address is a sum, so that no list has it."""
    program = built(tmp_path, SHAPE % ("lea entry(%rip),%rcx\\n lea (%rcx,%rsi,2),%rcx\\n jmp *%rcx\\n", ""))
    found = scanned(program)
    assert found.summary.sites and not overwritten_inside(found, symbol(program, "inside"))
    assert run_inside(program, [], ["--machine-code=all", "--bound", "none"]).exit_code == 0


def test_an_exception_lands_in_no_group(tmp_path: Path) -> None:
    """A landing pad right behind a short access, which straight-line code runs into as well."""
    table = ".section .rodata\\ntable: .byte 255, 255, 1, 4, call-f, 5, pad-f, 0\\n.text\\n"
    frame = ".text\\n.type f,@function\\nf: .cfi_startproc\\n.cfi_lsda 0x1b, table\\n"
    code = f"{frame}call: call g\\n mov (%rdi),%eax\\npad: add $1,%eax\\n ret\\n.cfi_endproc\\n.size f,.-f\\n{table}"
    program = built(tmp_path, f'__asm__("{code}"); void g(void) {{}} int main(void) {{ return 0; }}')
    found = scanned(program)
    assert found.summary.sites and not overwritten_inside(found, symbol(program, "pad"))


def test_a_function_that_is_not_all_code_is_left_alone_and_named(tmp_path: Path) -> None:
    code = ".text\\n.type f,@function\\nf: .cfi_startproc\\n mov (%rdi),%eax\\n add $1,%eax\\n ret\\n.byte 6\\n.cfi_endproc\\n.size f,.-f"
    program = built(tmp_path, f'__asm__("{code}"); int main(void) {{ return 0; }}')
    assert "1 functions of it are not all code" in scanned(program).summary.problem


HIDDEN = """
#include <pthread.h>
int word; /* what begins here looks like a long no-op, which swallows the access that is jumped to */
__asm__(".text\\n.type add,@function\\nadd: .cfi_startproc\\n jmp 1f\\n.byte 0x0f, 0x1f, 0x80\\n1: incl (%rdi)\\n ret\\n nop\\n"
        ".cfi_endproc\\n.size add,.-add");
void add(int *);
static void *work(void *unused) { add(&word); return unused; }
int main(void) {
    pthread_t one, two; pthread_create(&one, 0, work, 0); pthread_create(&two, 0, work, 0);
    pthread_join(one, 0); pthread_join(two, 0); return word != 2; }
"""


def test_a_function_that_jumps_into_its_own_instructions_is_not_all_code(tmp_path: Path) -> None:
    """Decoded from its beginning it accesses nothing: the lost update of its two threads passed."""
    assert "1 functions of it are not all code" in scanned(built(tmp_path, HIDDEN)).summary.problem


def test_a_jump_behind_the_prefix_of_a_locked_instruction_is_counted_as_not_seen(tmp_path: Path) -> None:
    """As C libraries had it, for programs with one thread."""
    code = "f: .cfi_startproc\\n test %rsi,%rsi\\n jz 1f\\n.byte 0xf0\\n1: incl (%rdi)\\n ret\\n.cfi_endproc\\n.size f,.-f"
    program = built(tmp_path, f'__asm__(".text\\n.type f,@function\\n{code}"); int main(void) {{ return 0; }}')
    summary = scanned(program).summary
    assert not summary.problem and summary.unpatched_atomics == 1


def test_a_jump_that_reaches_a_byte_far_is_not_moved(tmp_path: Path) -> None:
    program = built(tmp_path, SHAPE % ("mov %rsi,%rcx\\n jmp look\\nlook: cmpb $0,(%rdi)\\n jrcxz entry\\n jmp inside\\n", ""))
    found = scanned(program)
    assert found.summary.sites and not found.summary.problem
    assert run_inside(program, [], ["--machine-code=all", "--bound", "none"]).exit_code == 0
