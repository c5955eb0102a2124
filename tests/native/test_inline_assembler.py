"""Inline assembler of instrumented programs: no callback of the compiler tells of it, its machine code does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bpor.target.elf import read_elf
from tests.native.compiled import NATIVE, skip_without_clang_runtime
from tests.native.tool import Run, run_inside

INSTRUMENTING = {"gcc": [NATIVE / "bpor-cc"], "clang": [NATIVE / "bpor-cc", "--bpor-compiler=clang"]}
COMPILERS = ["gcc", pytest.param("clang", marks=pytest.mark.needs("clang"))]
RING = """
#include <assert.h>
#include <pthread.h>
static unsigned tail; static int slot[4];
static inline unsigned load(unsigned *from) { unsigned v; __asm__ volatile("movl %1, %0" : "=r"(v) : "m"(*from) : "memory"); return v; }
static inline void store(unsigned *to, unsigned v) { __asm__ volatile("movl %1, %0" : "=m"(*to) : "r"(v) : "memory"); }
static void *produce(void *unused) {
    for (int i = 0; i < 2; i++) {
        unsigned at = load(&tail);
        if (LATE) store(&tail, at + 1);
        slot[at] = 7 + i;
        if (!LATE) store(&tail, at + 1); }
    return unused; }
int main(void) {
    pthread_t producer; unsigned head = 0;
    pthread_create(&producer, 0, produce, 0);
    for (int round = 0; round < 3; round++)
        if (load(&tail) > head) { assert(slot[head] == 7 + (int)head); head++; }
    return pthread_join(producer, 0); }
"""
# What threads say to each other by accesses alone that compilers have no callback for.
UNTOLD = """
#include <assert.h>
#include <immintrin.h>
#include <pthread.h>
static int flag[8] __attribute__((aligned(32))), said[8] __attribute__((aligned(32)));
static void *other(void *unused) { STORE(said, 1); assert(!(LOAD(flag) && WRONG)); return unused; }
int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); STORE(flag, 1); pthread_join(t, 0); return 0; }
"""
ASM = (
    '#define STORE(to, v) __asm__ volatile("movl %1, %0" : "=m"(*to) : "r"(v) : "memory")\n'
    '#define LOAD(from) ({ int v; __asm__ volatile("movl %1, %0" : "=r"(v) : "m"(*from) : "memory"); v; })\n'
)
STREAM = f"{ASM}#undef STORE\n#define STORE(to, v) _mm_stream_si32(to, v)\n"
MASKED = (
    "static volatile int wanted = -1;\n#define MASK _mm256_set_epi32(0, 0, 0, 0, 0, 0, 0, wanted)\n"
    "#define STORE(to, v) _mm256_maskstore_epi32(to, MASK, _mm256_set1_epi32(v))\n"
    "#define LOAD(from) _mm256_extract_epi32(_mm256_maskload_epi32(from, MASK), 0)\n"
)
HARMLESS = """
static int add(int a, int b) { __asm__("addl %1, %0" : "+r"(a) : "r"(b)); return a; }
static void *self(void) { void *thread; __asm__("{movq %%fs:0, %0|mov %0, qword ptr fs:[0]}" : "=r"(thread)); return thread; }
int main(void) {
    if (!self()) return 1;
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("pause");
    __asm__ volatile("rep; nop");
    __asm__ volatile("1: nop\\n\\tjmp 2f\\n2:");
    return add(1, -1); }
"""
OUTSIDE = '__asm__(".text\\nput: movl $1, (%rdi)\\n ret\\n"); int main(void) { return 0; }'


def build(directory: Path, compiler: str, text: str, *words: str) -> Path:
    program = directory / "program"
    line = [*INSTRUMENTING.get(compiler, [compiler]), "-x", "c", "-", "-O2", "-pthread", *words, "-o", program]
    made = subprocess.run(line, input=text, capture_output=True, text=True)
    skip_without_clang_runtime(made.stderr)
    assert made.returncode == 0, made.stderr
    return program


def is_marked(program: Path) -> bool:
    elf = read_elf(str(program))
    assert elf is not None and elf.instrumented
    return elf.has_marks


def of_ring(directory: Path, compiler: str, late: int) -> Run:
    return run_inside(build(directory, compiler, RING, f"-DLATE={late}"), [], [])


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_ring_whose_loads_and_stores_are_assembler_is_searched_as_its_plain_build(compiler: str, tmp_path: Path) -> None:
    instrumented, plain = of_ring(tmp_path, compiler, late=0), of_ring(tmp_path, "cc", late=0)
    assert (instrumented.exit_code, instrumented.report["coverage"]) == (0, "machine"), instrumented
    assert instrumented.report["executions"] == plain.report["executions"] > 10


@pytest.mark.parametrize("compiler", COMPILERS)
def test_data_that_assembler_publishes_too_early_is_a_race_of_the_instrumented_accesses(compiler: str, tmp_path: Path) -> None:
    assert of_ring(tmp_path, compiler, late=1).kinds == {"race"}


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("how", [ASM, STREAM, MASKED], ids=["moves", "streaming", "masked"])
def test_what_compilers_have_no_callback_for_is_explored(how: str, compiler: str, tmp_path: Path) -> None:
    right, wrong = (run_inside(build(tmp_path, compiler, how + UNTOLD, "-mavx2", f"-DWRONG={wrong}"), [], []) for wrong in (0, 1))
    assert (right.exit_code, right.report["coverage"]) == (0, "machine"), right
    assert wrong.exit_code == 1 and wrong.kinds == {"assertion"}, wrong


def test_assembler_is_marked_however_it_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("-O1 -g\n")
    ways = ("-pipe", f"@{tmp_path / 'words'}", "-masm=intel -DINTEL", "-flto", "-ffunction-sections -Wl,--gc-sections", "-s")
    for words in map(str.split, ways):
        text = RING.replace('"movl %1, %0"', '"mov %0, %1"') if "-DINTEL" in words else RING
        assert is_marked(build(tmp_path, "gcc", text, "-DLATE=0", *words)), words


@pytest.mark.parametrize("compiler", COMPILERS)
def test_assembler_that_accesses_nothing_changes_nothing(compiler: str, tmp_path: Path) -> None:
    assert not is_marked(build(tmp_path, compiler, HARMLESS))


def test_a_store_to_where_the_thread_pointer_stands_is_marked(tmp_path: Path) -> None:
    loads = 'int main(void) { void *thread; __asm__("mov %0, qword ptr fs:[0]" : "=r"(thread)); return !thread; }'
    assert not is_marked(build(tmp_path, "gcc", loads, "-masm=intel"))
    stores = 'int main(void) { __asm__ volatile("mov qword ptr fs:[0], %0" :: "r"(0L)); return 0; }'
    assert is_marked(build(tmp_path, "gcc", stores, "-masm=intel"))


def test_assembler_that_is_left_alone_is_said_to_be_unseen(tmp_path: Path) -> None:
    run = run_inside(build(tmp_path, "gcc", ASM + UNTOLD, "-DWRONG=1"), [], ["--machine-code=off"])
    assert run.report["coverage"] == "calls", run


def test_assembler_outside_of_functions_is_said_to_be_unseen(tmp_path: Path) -> None:
    elf = read_elf(str(build(tmp_path, "gcc", OUTSIDE)))
    assert elf is not None and elf.silent_units == ("assembler outside of functions",)


def test_a_directive_outside_of_functions_is_no_code(tmp_path: Path) -> None:
    elf = read_elf(str(build(tmp_path, "gcc", '__asm__(".weak nobody"); int main(void) { return 0; }')))
    assert elf is not None and elf.silent_units == ()
