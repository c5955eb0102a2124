"""The calls that gcc and clang make for accesses of memory: each atomic one is an operation with its bytes, value and order, each plain
one is checked for races, whatever form the compiler gives it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from bpor.model.operation import ORDERS
from bpor.model.plan import Plan
from bpor.model.trace import Outcome, Trace
from bpor.target.executor import NativeExecutor
from tests.native.compiled import NATIVE, ROOT
from tests.native.two_threads import TWO_THREADS

pytestmark = pytest.mark.needs("gcc")

PROBE = ROOT / "tests/native/probes/atomic_forms.c"
LIBRARY_CALLS = "clang calls for 16 bytes"
BUILDS = {
    "gcc": [NATIVE / "bpor-cc", "-O1"],
    "clang": [NATIVE / "bpor-cc", "--bpor-compiler=clang", "-O1", "-mcx16"],
    LIBRARY_CALLS: [NATIVE / "bpor-cc", "--bpor-compiler=clang", "-O1", "-Wno-atomic-alignment"],
    "gcc -fno-inline-atomics": ["gcc", "-O1", "-fno-inline-atomics"],
}
WIDTHS = (8, 16, 32, 64, 128)
Row = tuple[str, int, str, int, bool]  # kind, bytes, order, value, failed


def needing(names: list[str]) -> list[object]:
    return [pytest.param(name, marks=pytest.mark.needs(name.split()[0])) for name in names]


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    directory, made = tmp_path_factory.mktemp("forms"), dict[str, Path]()

    def build(name: str) -> Path:
        if name not in made:
            made[name] = directory / name.replace(" ", "_")
            subprocess.run([*BUILDS[name], "-g", "-pthread", PROBE, "-o", made[name], "-latomic"], check=True)
        return made[name]

    return build


def execute(*argv: str | Path) -> Trace:
    """One execution, under the default policy."""
    with NativeExecutor([str(word) for word in argv]) as executor:
        return executor.run(Plan())


def accesses(trace: Trace, outcome: Outcome = Outcome.PASSED) -> list[Row]:
    """What its operations on memory were."""
    assert trace.end.outcome is outcome, trace.end
    return [
        (step.operation.kind.name, sum(part.size for part in step.footprint), ORDERS[step.operation.order], step.value, step.failed)
        for step in trace.steps
        if step.operation.order
    ]


def forms(bits: int) -> list[Row]:
    """What atomic_forms.c does with one width. A value has 64 bits here."""
    size, top = bits // 8, 1 << bits - 1 & (1 << 64) - 1
    full = (1 << min(bits, 64)) - 1
    return [
        ("READ", size, "acquire", 0, False),
        ("WRITE", size, "release", 0x5A, False),
        ("RMW", size, "acq_rel", 0x5A, False),
        ("RMW", size, "relaxed", 0x21, False),
        ("RMW", size, "acquire", 0x24, False),
        ("RMW", size, "release", 0x20, False),
        ("RMW", size, "seq_cst", top | 0x20, False),
        ("RMW", size, "seq_cst", top, False),
        ("RMW", size, "seq_cst", 0x20, False),
        ("RMW", size, "seq_cst", full & ~0x20, False),
        ("CAS", size, "seq_cst", 0, False),
        ("CAS", size, "acq_rel", 9, True),
        ("CAS", size, "release", 9, False),
        ("READ", size, "seq_cst", top, False),
    ]


def each_read_once(rows: list[Row]) -> list[Row]:
    """clang 19 leaves the load that it replaced behind; where that is a call too, it is seen twice."""
    return [row for row, before in zip(rows, [None, *rows], strict=False) if row != before or row[0] != "READ"]


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", needing(list(BUILDS)))
def test_every_atomic_form_of_every_width_is_an_operation(name: str, bits: int, probe: Callable[[str], Path]) -> None:
    assert subprocess.run([probe(name), str(bits)]).returncode == 0
    rows = accesses(execute(probe(name), str(bits)))
    assert (each_read_once(rows) if name == LIBRARY_CALLS and bits == 128 else rows) == forms(bits)


OTHERS: dict[str, list[Row]] = {
    "fences": [
        ("FENCE", 0, "acquire", 0, False),
        ("WRITE", 4, "relaxed", 1, False),
        ("FENCE", 0, "release", 0, False),
        ("WRITE", 4, "relaxed", 2, False),
        ("FENCE", 0, "seq_cst", 0, False),
    ],
    "flags": [("RMW", 1, "acquire", 0, False), ("RMW", 1, "seq_cst", 1, True), ("WRITE", 1, "release", 0, False)],
    "sync": [
        ("RMW", 4, "seq_cst", 0, False),
        ("RMW", 4, "seq_cst", 2, False),
        ("CAS", 4, "seq_cst", 4, False),
        ("CAS", 4, "seq_cst", 6, True),
        ("RMW", 4, "acquire", 6, False),
        ("WRITE", 4, "release", 0, False),
        ("FENCE", 0, "seq_cst", 0, False),
    ],
}


@pytest.mark.parametrize("group", OTHERS)
@pytest.mark.parametrize("name", needing(["gcc", "clang"]))
def test_fences_flags_and_the_older_builtins_are_operations(name: str, group: str, probe: Callable[[str], Path]) -> None:
    """A signal fence orders nothing between threads, and is none. A flag that was set already is a try in vain."""
    wanted = list(OTHERS[group])
    if (name, group) == ("clang", "sync"):
        wanted[4] = ("RMW", 4, "seq_cst", 6, False)
    assert accesses(execute(probe(name), group)) == wanted


# ---- volatile and plain ----

FRAME = (
    """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
%s
"""
    + TWO_THREADS
)
PACKED = "struct packed { char a; short s; int i; long l; } __attribute__((packed)); _Alignas(16) %s struct packed p; long sink;"
OVERLAP = "char area[64], other[64]; volatile size_t bytes = 24;"
LARGE = "struct large { long word[9]; } big, other;"
VIRTUAL = """
struct Base { virtual ~Base() { asm volatile("" ::: "memory"); } virtual int get() { return 1; } };
struct Derived : Base { ~Derived() { asm volatile("" ::: "memory"); } int get() { return 2; } };
Base *object = new Derived; int sink;
"""
# The callback that must be met (gcc's, clang's; empty: the compiler makes another of it), what both threads share, what each does.
PLAIN = {
    "1": ("__tsan_write1", "__tsan_write1", "char x;", "x = 1", "x = 2"),
    "2": ("__tsan_write2", "__tsan_write2", "short x;", "x = 1", "x = 2"),
    "4": ("__tsan_read4", "__tsan_read4", "int x, y;", "y = x", "x = 2"),
    "8": ("__tsan_read8", "__tsan_read8", "long x, y;", "y = x", "x = 2"),
    "16": ("bpor_copy_write", "__tsan_write16", "__int128 x;", "x = 1", "x = 2"),
    "half of 16": ("bpor_copy_write", "__tsan_write16", "__int128 x;", "x = 1", "((long *)&x)[1] = 2"),
    "unaligned 2": ("__tsan_write_range", "__tsan_unaligned_write2", PACKED % "", "p.s = 1", "p.s = 2"),
    "unaligned 4": ("__tsan_write_range", "__tsan_unaligned_write4", PACKED % "", "p.i = 1", "((char *)&p)[6] = 2"),
    "unaligned 8": ("__tsan_read_range", "__tsan_unaligned_read8", PACKED % "", "sink = p.l", "p.l = 2"),
    "a struct": ("bpor_copy_to", "memcpy", LARGE, "big = other", "big.word[8] = 2"),
    "memcpy": ("memcpy", "memcpy", OVERLAP, "memcpy(area, other, bytes)", "area[23] = 2"),
    "memmove": ("memmove", "memmove", OVERLAP, "memmove(area, area + 20, bytes)", "area[43] = 2"),
    "memset": ("memset", "memset", OVERLAP, "memset(area, 1, bytes)", "area[23] = 2"),
    "a destructor's vptr": ("__tsan_vptr_update", "__tsan_vptr_update", VIRTUAL, "object->~Base()", "object->get()"),
    "a virtual call": ("", "__tsan_vptr_read", VIRTUAL, "sink = object->get()", "object->~Base()"),
}
VOLATILE = {
    "1": ("__tsan_volatile_write1", "volatile char x;", "x = 1", 1),
    "2": ("__tsan_volatile_write2", "volatile short x;", "x = 1", 2),
    "4": ("__tsan_volatile_read4", "volatile int x;", "(void)x", 4),
    "8": ("__tsan_volatile_read8", "volatile long x;", "(void)x", 8),
}


def build(directory: Path, compiler: str, shared: str, first: str, second: str, *flags: str) -> tuple[Path, set[str]]:
    """The program, and what its object file calls."""
    cpp = "virtual" in shared
    source, made, program = directory / f"race.{'cc' if cpp else 'c'}", directory / "race.o", directory / "race"
    source.write_text(FRAME % (shared, first, second))
    real = {"gcc": "g++", "clang": "clang++"}[compiler] if cpp else compiler
    command = [str(NATIVE / "bpor-cc"), f"--bpor-compiler={real}", "-O1", "-pthread", *flags]
    subprocess.run([*command, "-c", source, "-o", made], check=True)
    subprocess.run([*command, made, "-o", program], check=True)
    with made.open("rb") as stream:
        symbols = ELFFile(stream).get_section_by_name(".symtab")
        assert isinstance(symbols, SymbolTableSection)
        return program, {symbol.name for symbol in symbols.iter_symbols() if symbol["st_shndx"] == "SHN_UNDEF"}


@pytest.mark.parametrize("case", PLAIN)
@pytest.mark.parametrize("compiler", needing(["gcc", "clang"]))
def test_a_plain_access_in_any_form_is_checked(compiler: str, case: str, tmp_path: Path) -> None:
    by_gcc, by_clang, shared, first, second = PLAIN[case]
    program, called = build(tmp_path, compiler, shared, first, second)
    wanted = by_gcc if compiler == "gcc" else by_clang
    assert not wanted or {wanted, f"__tsan_{wanted}"} & called, sorted(called)  # clang 15 on: __tsan_memcpy
    assert execute(program).end.outcome is Outcome.RACE


FORTIFIED = {
    "set": "memset(area, 1, 24)",
    "copied": "memcpy(area, other, 24)",
    "a text": 'strcpy(area, "a text of some length...")',
    "part of a text": 'strncpy(area, "a text", 32)',
}


@pytest.mark.parametrize("does", FORTIFIED.values(), ids=FORTIFIED)
def test_what_fortified_headers_let_gcc_expand_is_checked(does: str, tmp_path: Path) -> None:
    """Distributions define _FORTIFY_SOURCE for every build; moves without a callback came of it, and a race with them passed."""
    program, _ = build(tmp_path, "gcc", OVERLAP, does, "area[17] = 2", "-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2")
    assert execute(program).end.outcome is Outcome.RACE


@pytest.mark.parametrize("compiler", needing(["gcc", "clang"]))
def test_a_destructor_that_stores_the_vptr_that_is_there_races_with_no_reader(compiler: str, tmp_path: Path) -> None:
    program, called = build(tmp_path, compiler, VIRTUAL.replace("new Derived", "new Base"), "object->Base::~Base()", "sink = object->get()")
    assert "__tsan_vptr_update" in called
    assert execute(program).end.outcome is Outcome.PASSED


@pytest.mark.parametrize("case", VOLATILE)
@pytest.mark.parametrize("compiler", needing(["gcc", "clang"]))
def test_a_volatile_access_of_a_word_is_an_operation_and_can_race(compiler: str, case: str, tmp_path: Path) -> None:
    wanted, shared, does, size = VOLATILE[case]
    program, called = build(tmp_path, compiler, shared, does, "x = 0")
    assert wanted in called, sorted(called)
    kind = "READ" if "read" in wanted else "WRITE"
    rows = accesses(execute(program), Outcome.RACE)
    assert [(row[0], row[1], row[2]) for row in rows] == [(kind, size, "unordered"), ("WRITE", size, "unordered")]


@pytest.mark.parametrize("shared", [PACKED % "volatile", "volatile __int128 x;"])
@pytest.mark.parametrize("compiler", needing(["gcc", "clang"]))
def test_a_volatile_access_that_is_no_word_is_checked_like_a_plain_one(compiler: str, shared: str, tmp_path: Path) -> None:
    bodies = ("p.i = 1", "p.i = 2") if "packed" in shared else ("x = 1", "x = 2")
    program, called = build(tmp_path, compiler, shared, *bodies)
    assert any("volatile" in name or "range" in name for name in called), sorted(called)
    assert execute(program).end.outcome is Outcome.RACE
