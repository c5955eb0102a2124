"""Unmodified binaries whose machine code is patched: what may be replaced, what a patched program does, what is said about it.

Each rule of where a jump may stand has a program in which a label follows a short access, so that a jump there would be landed in.
"""

from __future__ import annotations

import os
import random
import re
import struct
import subprocess
from pathlib import Path

import pytest

from bpor.api import check
from bpor.machine import cache
from bpor.machine import scan as scanning
from bpor.machine.blob import PAGE
from bpor.machine.cache import Blobs, users_blobs
from bpor.machine.functions import functions_of
from bpor.machine.scan import Scan, scan
from bpor.report.verdict import VerdictKind
from bpor.target.elf import open_image, read_elf
from bpor.target.image import read_image
from tests.native.compiled import PROGRAMS, compiled
from tests.native.expectations import Program, read_program
from tests.native.tool import Run, run_inside, run_replay, run_tool

HEADER, PATCH = struct.Struct("<8sQQQ8I"), struct.Struct("<QIBBHI4x")


def built(tmp_path: Path, source: str, *flags: str, compiler: str = "gcc") -> Path:
    path = tmp_path / ("program.c" if compiler == "gcc" else "program.cpp")
    path.write_text(source)
    subprocess.run([compiler, "-g", "-O1", "-pthread", "-o", tmp_path / "program", path, *flags], check=True)
    return tmp_path / "program"


def scanned(program: Path) -> Scan:
    with open_image(str(program)) as image:
        assert image is not None
        return scan(image)


def patches(found: Scan) -> list[tuple[int, int]]:
    """Where code is overwritten, and how many bytes."""
    header = HEADER.unpack_from(found.blob)
    table, count = header[9], header[7]
    rows = (PATCH.unpack_from(found.blob, table + number * PATCH.size) for number in range(count))
    return [(address, size) for address, _, _, size, _, _ in rows]


def symbol(program: Path, name: str) -> int:
    with open_image(str(program)) as image:
        assert image is not None
        return next(each.address for each in image.symbols() if each.name == name.encode())


def overwritten_inside(found: Scan, address: int) -> bool:
    return any(start < address < start + size for start, size in patches(found))


# A function of (int *, long): reads what the pointer leads to and adds 1; one that comes in at `inside` has 0 instead.
SHAPE = """
__asm__(".text\\n.globl f\\n.type f,@function\\nf:\\n.cfi_startproc\\n xor %%eax,%%eax\\n %s"
        "entry: mov (%%rdi),%%eax\\n.globl inside\\ninside: add $1,%%eax\\n ret\\n.cfi_endproc\\n.size f,.-f\\n%s");
int f(int *, long);
int value = 41;
int main(void) { return f(&value, 0) == 42 && f(&value, 1) == 1 ? 0 : 1; }
"""
JUMPS_IN = {
    "a branch of the same function": ("test %rsi,%rsi\\n jnz inside\\n", "", ()),
    "a branch of another function": (
        "test %rsi,%rsi\\n jnz g\\n",
        ".type g,@function\\ng: .cfi_startproc\\n jmp inside\\n.cfi_endproc\\n.size g,.-g\\n",
        (),
    ),
    "a jump table": (
        "lea table(%rip),%rdx\\n movslq (%rdx,%rsi,4),%rcx\\n add %rdx,%rcx\\n jmp *%rcx\\n",
        ".section .rodata\\ntable: .long entry-table, inside-table\\n.text\\n",
        (),
    ),
    "a table of addresses": ("lea table(%rip),%rdx\\n jmp *(%rdx,%rsi,8)\\n", ".data\\ntable: .quad entry, inside\\n.text\\n", ()),
    "a table of addresses that nobody relocates": (
        "jmp *table(,%rsi,8)\\n",
        ".section .rodata\\n.balign 8\\ntable: .quad entry, inside\\n.text\\n",
        ("-no-pie",),
    ),
    "a jump table by way of another function": (
        "lea table(%rip),%rdx\\n movslq (%rdx,%rsi,4),%rcx\\n add %rdx,%rcx\\n jmp g\\n",
        ".type g,@function\\ng: .cfi_startproc\\n push %rcx\\n ret\\n.cfi_endproc\\n.size g,.-g\\n"
        ".section .rodata\\ntable: .long entry-table, inside-table\\n.text\\n",
        (),
    ),
    "a return to an address that is a sum": ("lea entry(%rip),%rcx\\n lea (%rcx,%rsi,2),%rcx\\n push %rcx\\n ret\\n", "", ()),
    "a branch of code without a table": ("test %rsi,%rsi\\n jnz g\\n", ".type g,@function\\ng: jmp inside\\n.size g,.-g\\n", ()),
    "an address that it computes": ("lea inside(%rip),%rcx\\n test %rsi,%rsi\\n jz entry\\n jmp *%rcx\\n", "", ()),
}


@pytest.mark.parametrize("how", JUMPS_IN)
def test_nothing_jumps_into_the_middle_of_a_group(tmp_path: Path, how: str) -> None:
    before, behind, flags = JUMPS_IN[how]
    program = built(tmp_path, SHAPE % (before.replace("%", "%%") % (), behind), *flags)
    found = scanned(program)
    inside = symbol(program, "inside")
    assert found.summary.sites and not overwritten_inside(found, inside)
    assert run_inside(program, [], ["--machine-code=all", "--bound", "none"]).exit_code == 0


def test_without_its_targets_a_group_would_be_jumped_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, behind, _ = JUMPS_IN["a branch of the same function"]
    program = built(tmp_path, SHAPE % (before, behind))
    monkeypatch.setattr(scanning, "of_code", lambda instructions, found, fixed: ([], []))
    assert overwritten_inside(scanned(program), symbol(program, "inside"))


THROWS = """
#include <stdexcept>
struct Base {
    virtual int deep(int n)
    {
        int r = 0;
        if (n == 0)
            throw std::runtime_error("x");
        try { r = deep(n - 1); } catch (const std::logic_error &) { r = -1; }
        return r + 1;
    }
};
Base base, *volatile made = &base;
int caught;
int main()
{
    for (int i = 0; i < 200; i++)
        try { made->deep(i % 20); } catch (const std::runtime_error &) { caught++; }
    return caught == 200 ? 0 : 1;
}
"""


@pytest.mark.needs("g++")
def test_exceptions_unwind_through_calls_that_were_moved(tmp_path: Path) -> None:
    """A call out of a trampoline pushes the address that the unwinder's tables know."""
    program = built(tmp_path, THROWS, compiler="g++")
    found = scanned(program)
    with open_image(str(program)) as image:
        assert image is not None
        pads = [pad for function in functions_of(image) for pad in function.pads or ()]
    assert pads and not any(overwritten_inside(found, pad) for pad in pads)
    assert run_inside(program, [], ["--machine-code=all", "--bound", "none"]).exit_code == 0


def test_code_that_no_table_covers_is_left_alone_and_not_claimed(tmp_path: Path) -> None:
    """Constants among the code look like instructions; an atomic instruction there is one that is not seen."""
    data = ".text\\n.globl numbers\\nnumbers: .fill 200,4,0x0001ff87\\nbare: lock incl value(%rip)\\n ret\\n"
    program = built(tmp_path, f'__asm__("{data}"); int value; int main(void) {{ return value; }}')
    start, found = symbol(program, "numbers"), scanned(program)
    assert not any(start <= address < start + 804 for address, _ in patches(found))
    assert found.summary.without_table >= 800
    assert run_inside(program, [], ["--machine-code=all"]).report["coverage"] == "calls"


def test_functions_of_signal_frames_are_none(tmp_path: Path) -> None:
    frame = ".cfi_startproc\\n.cfi_signal_frame\\n mov (%rdi),%eax\\n add $1,%eax\\n ret\\n.cfi_endproc\\n"
    code = f".text\\n.type back,@function\\nback: {frame}"
    program = built(tmp_path, f'__asm__("{code}"); int main(void) {{ return 0; }}')
    with open_image(str(program)) as image:
        assert image is not None
        assert symbol(program, "back") not in {function.start for function in functions_of(image)}


TWINS = [
    "correct/atomics/lost_update.c",
    "correct/atomics/indexer.c",
    "correct/litmus/sb.c",
    "correct/litmus/mp.c",
    "correct/lockfree/chase_lev.c",
    "correct/lockfree/mcs_lock.c",
    "correct/lockfree/treiber_tagged.c",
    "correct/lockfree/ticket_lock.c",
    "correct/spin/getter.c",
    "buggy/assertion/michael_scott_tail_first.c",
    "buggy/livelock/mcs_store_for_exchange.c",
    "buggy/deadlock/atomic_wait_not_notified.cpp",
    "buggy/memory/reference_count_twice.c",
    "correct/futex/waiters_counted.c",
    "correct/lifetime/mapped_again.c",
    "correct/yield/good_samaritan.c",
]
TWINS_BY_CLANG = ["correct/lockfree/treiber_tagged.c", "correct/spin/seqlock.c", "buggy/assertion/chase_lev_last_item.c"]


def searched(run: Run) -> int:
    """Executions but those that are spot checks of known steps: which are depends on where objects lie."""
    executions, checks = run.report["executions"], run.report["checked"]
    assert isinstance(executions, int) and isinstance(checks, int)
    return executions - checks


def of_a_search(name: str) -> tuple[Program, list[str], list[str]]:
    """The program, with the flags and options of the last search of it that is expected and quick. Machine code tells no orders."""
    program = read_program(PROGRAMS / name)
    expectation = [each for each in program.expectations if not each.slow][-1]
    flags = [*program.flags, *(f"-D{define}" for define in expectation.defines)]
    return program, flags, [*program.options, *(["--bound", expectation.bound] if expectation.bound else []), "--memory=sc"]


@pytest.mark.needs("clang")
@pytest.mark.parametrize("name", TWINS_BY_CLANG)
def test_a_plain_binary_of_clang_ends_as_the_instrumented_one_of_gcc(name: str) -> None:
    """It may merge accesses."""
    program, flags, options = of_a_search(name)
    told = run_inside(compiled(program.path, flags, True), program.args, options)
    plain = run_inside(compiled(program.path, [*flags, "-Wno-everything"], using="clang"), program.args, options)
    assert (plain.exit_code, plain.kinds, plain.report["coverage"]) == (told.exit_code, told.kinds, "machine"), (told, plain)


@pytest.mark.parametrize("name", TWINS)
def test_a_plain_binary_has_the_executions_of_the_instrumented_one(name: str) -> None:
    program, flags, options = of_a_search(name)
    told = run_inside(compiled(program.path, flags, True), program.args, options)
    plain = run_inside(compiled(program.path, flags), program.args, [*options, "--machine-code=auto"])
    assert plain.exit_code == told.exit_code and plain.kinds == told.kinds, plain
    assert plain.report["coverage"] == "machine"
    assert plain.report["distinct_traces"] == told.report["distinct_traces"], (told, plain)
    assert searched(plain) == searched(told), (told, plain)


def test_one_schedule_of_a_program_with_atomics_that_are_not_seen_is_no_pass() -> None:
    run = run_inside(compiled(PROGRAMS / "correct/atomics/lost_update.c"), [], ["--machine-code=off", "--bound", "none"])
    assert (run.exit_code, run.report["verdict"]) == (3, "inconclusive")
    assert "atomic instructions" in run.report["statement"] and "next: bpor-native --bound=none " in run.report["statement"]


LARGE = """
#include <stdio.h>
#include <string.h>
static unsigned char text[1 << 16], copy[1 << 16]; static double sums[64];
int main(void) {
    unsigned state = 1;
    for (unsigned i = 0; i < sizeof text; i++) { state = state * 1664525u + 1013904223u; text[i] = (unsigned char)(state >> 24); }
    for (unsigned i = 0; i < sizeof text; i++) copy[sizeof text - 1 - i] = text[i];
    for (unsigned i = 0; i < sizeof text; i++) sums[i % 64] += (double)copy[i] * 0.5 + (double)i;
    unsigned long hash = 0; for (unsigned i = 0; i < sizeof copy; i++) switch (copy[i] % 7) {
        case 0: hash += text[i]; break; case 1: hash ^= copy[i]; break; case 2: hash = hash * 31 + text[i]; break; case 3: hash -= i; break;
        case 4: hash ^= hash >> 7; break; case 5: hash += (unsigned long)sums[i % 64]; break; default: hash++; }
    for (int i = 0; i < 64; i++) printf("%.3f ", sums[i]);
    printf("%lu\\n", hash); return 0; }
"""


@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_a_patched_program_prints_what_it_prints_unpatched(tmp_path: Path, level: str) -> None:
    program = built(tmp_path, LARGE, level)
    alone = subprocess.run([program], capture_output=True, check=True).stdout.decode()
    run = run_tool(program, [], ["--machine-code=all", "--show-output", "--bound", "none"])
    assert run.exit_code == 0 and alone.strip() in run.stdout


def test_a_module_without_a_table_of_functions_is_named_and_not_patched(tmp_path: Path) -> None:
    source = (PROGRAMS / "correct/atomics/lost_update.c").read_text()
    program = built(tmp_path, source, "-fno-asynchronous-unwind-tables", "-Wl,--no-eh-frame-hdr")
    run = run_inside(program, [], ["--machine-code=auto", "--bound", "none"])
    assert run.report["coverage"] == "calls" and "no table of its functions" in run.report["statement"]


def test_code_that_was_changed_is_not_patched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with the build id and the size of another: its first bytes are compared before anything is written."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = (PROGRAMS / "correct/atomics/lost_update.c").read_text()
    program = built(tmp_path, source, "-Wl,--build-id=0x1234")
    users_blobs.cache_clear()
    try:
        assert check([str(program)], machine_code="auto", bound="none").verdict.coverage == "machine"
        blob = next((tmp_path / "cache").rglob("*.blob"))
        raw = bytearray(blob.read_bytes())
        table = HEADER.unpack_from(raw)[9]
        raw[table + 16] ^= 0xFF
        blob.write_bytes(raw)
        result = check([str(program)], machine_code="auto", bound="none")
        assert result.verdict.coverage == "calls" and "not what its file has" in result.verdict.statement
    finally:
        users_blobs.cache_clear()


def test_a_program_whose_code_was_edited_is_scanned_anew(tmp_path: Path) -> None:
    """It keeps its build id and its size; what stood there would be run by the trampolines that were made before."""
    program = built(tmp_path, "int word; int main(void) { word = 0x01020304; return word; }", "-Wl,--build-id=0x1234")
    elf = read_elf(str(program))
    assert elf is not None
    blobs = Blobs(tmp_path / "cache")
    before = blobs.of(elf)[1]
    raw = program.read_bytes()
    program.write_bytes(raw.replace(bytes((4, 3, 2, 1)), bytes((5, 3, 2, 1))))
    assert before and blobs.of(elf)[1] not in ("", before)


def test_the_library_that_puts_blobs_together_is_part_of_the_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache._version()
    (tmp_path / "libbpor-decode.so").write_bytes(b"another")
    monkeypatch.setattr(cache, "NATIVE", tmp_path)
    assert cache._version.__wrapped__() != before


def test_another_version_of_the_tool_scans_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = built(tmp_path, "int main(void) { return 0; }")
    elf = read_elf(str(program))
    assert elf is not None
    names = []
    for number in range(2):
        monkeypatch.setattr("bpor.machine.cache._version", lambda number=number: f"version{number}")
        names.append(Blobs(tmp_path / "cache").of(elf)[1])
    assert names[0] != names[1] and all(map(os.path.exists, names))


CRASHES = """
#include <pthread.h>
static int *volatile nowhere = (int *)0xdead000; static int sum;
__attribute__((noinline)) static void deep(void) { sum += *nowhere; }
static void *work(void *unused) { deep(); return unused; }
int main(void) { pthread_t thread; pthread_create(&thread, 0, work, 0); pthread_join(thread, 0); return sum; }
"""


def test_a_crash_is_told_where_the_instruction_came_from(tmp_path: Path) -> None:
    run = run_inside(built(tmp_path, CRASHES), [], ["--machine-code=auto", "--bound", "none"])
    assert run.kinds == {"crash"} and "in deep" in run.report["statement"]
    assert [frame["function"] for frame in run.report["findings"][0]["stack"]][:2] == ["deep", "work"]


def test_a_crash_that_another_patching_does_not_show_is_not_the_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trampoline of the search's blob is broken; that of the process which confirms is not."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    program = built(tmp_path, (PROGRAMS / "correct/atomics/lost_update.c").read_text())
    users_blobs.cache_clear()
    try:
        assert check([str(program)], machine_code="auto", bound="none").verdict.kind is VerdictKind.PASS
        blob = next((tmp_path / "cache").rglob("*.blob"))
        raw = bytearray(blob.read_bytes())
        header, work = HEADER.unpack_from(raw), symbol(program, "add_twice")
        rows = [PATCH.unpack_from(raw, header[9] + number * PATCH.size) for number in range(header[7])]
        target = next(target for address, target, *_ in rows if address >= work)
        raw[target : target + 2] = b"\x0f\x0b"  # ud2
        blob.write_bytes(raw)
        result = check([str(program)], machine_code="auto", bound="none")
        assert result.verdict.kind is VerdictKind.INCONCLUSIVE and result.verdict.coverage == "calls", result.verdict
        assert "program was left unpatched, because patched it did not repeat itself" in result.verdict.statement
    finally:
        users_blobs.cache_clear()


def test_the_self_check_compares_the_patched_program_with_the_plain_one() -> None:
    run = run_inside(compiled(PROGRAMS / "correct/atomics/lost_update.c"), [], ["--self-check", "--machine-code=auto"])
    assert run.exit_code == 0 and "patched, it ends as it does unpatched" in run.stdout


@pytest.mark.needs("gdb")
def test_a_finding_of_a_patched_program_is_replayed_under_gdb() -> None:
    """Its schedule counts operations that only patched code has."""
    program = compiled(PROGRAMS / "buggy/exit/assembler_lock_too_late.c")
    run = run_inside(program, [], ["--machine-code=auto", "--bound", "fair:2,preemption:1"])
    line = run.report["findings"][0]["replay"].replace(" -- ", " --gdb --batch -- ")
    again = run_replay(line)
    assert again.exit_code == 1 and "the end, after" in again.stdout and "_start ()" in again.stdout, again


def test_the_hook_uses_general_registers_until_it_has_saved_the_others() -> None:
    """Of the program's vector registers nothing is saved while these run."""
    library = Path(scanning.__file__).parent.parent / "_native" / "libbpor.so"
    for name in ("bpor_machine_quick", "bpor_known_region", "bpor_race_epoch"):
        listing = subprocess.run(["objdump", "-d", f"--disassemble={name}", library], capture_output=True, text=True, check=True).stdout
        assert name in listing and "%xmm" not in listing and "%st" not in listing.replace("%st(", "%st")


def test_a_damaged_file_is_scanned_without_a_crash() -> None:
    """Whatever it says: a summary, in time."""
    whole, numbers = compiled(PROGRAMS / "correct/atomics/lost_update.c").read_bytes(), random.Random(1)
    for _ in range(150):
        damaged = bytearray(whole)
        for _ in range(numbers.choice([1, 3, 20, 200])):
            where = numbers.randrange(len(damaged) if numbers.random() < 0.5 else 0x400)
            damaged[where] = numbers.choice([0, 0xFF, 0x7F, numbers.randrange(256)])
        image = read_image(bytes(damaged[: numbers.randrange(len(damaged)) if numbers.random() < 0.2 else len(damaged)]))
        assert image is None or scan(image).summary.sites >= 0


def test_without_exploring_conflicts_nothing_is_claimed() -> None:
    run = run_inside(compiled(PROGRAMS / "correct/atomics/lost_update.c"), [], ["--machine-code=auto", "--races=off", "--bound", "none"])
    assert run.report["coverage"] == "calls"


COPIES = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static char *text;
static void *work(void *size) { memset(text, 1, (size_t)size); return 0; }
int main(int argc, char **argv) {
    pthread_t thread; (void)argv; text = malloc(4096);
    pthread_create(&thread, 0, work, (void *)(size_t)(argc * 100)); memset(text, 2, (size_t)argc * 100); pthread_join(thread, 0);
    return 0; }
"""


def test_accesses_that_library_functions_make_are_explored(tmp_path: Path) -> None:
    """Two threads fill the same bytes, each in two halves: whoever comes first at the one may come second at the other."""
    run = run_inside(built(tmp_path, COPIES), [], ["--machine-code=auto", "--bound", "none"])
    assert run.report["distinct_traces"] == 2 * 2 and not any("inside memset" in text for text in run.report["assumptions"]), run


COUNTS = """
#include <pthread.h>
static volatile int table[4]; static int sum;
static void *work(void *rounds) { int s = 0; for (long i = 0; i < (long)rounds; i++) s += table[0]; sum = s; return 0; }
static void *idle(void *unused) { return unused; }
int main(void) {
    pthread_t one, other; pthread_create(&one, 0, work, (void *)1000000); pthread_create(&other, 0, idle, 0);
    pthread_join(one, 0); pthread_join(other, 0); return 0; }
"""


def test_a_loop_that_counts_in_a_register_is_not_taken_for_one_that_waits(tmp_path: Path) -> None:
    """Its accesses are the same in each round; its registers are not."""
    run = run_inside(built(tmp_path, COUNTS), [], ["--bound", "none"])
    assert (run.exit_code, run.report["executions"]) == (0, 1) and "yields inferred" not in run.report["statement"], run


LOCAL = """
#include <pthread.h>
static void *work(void *flag) { *(volatile int *)flag = 1; return 0; }
int main(void) {
    volatile int flag = 0; pthread_t thread; int seen;
    pthread_create(&thread, 0, work, (void *)&flag); seen = flag; pthread_join(thread, 0); return seen; }
"""


def test_a_local_variable_whose_address_leads_out_is_seen(tmp_path: Path) -> None:
    run = run_inside(built(tmp_path, LOCAL), [], ["--machine-code=auto", "--bound", "none"])
    assert run.kinds == {"exit"}, run


def test_a_blob_begins_with_its_header() -> None:
    found = scanned(compiled(PROGRAMS / "correct/atomics/lost_update.c"))
    magic = re.search(r'BLOB_MAGIC "(.*)"', (PROGRAMS.parent / "csrc/machine/blob.h").read_text())
    assert magic is not None and found.blob[:8] == magic[1].encode() and len(found.blob) > PAGE
