"""The test in front of an instrumented access (csrc/assembler/fast_path.c) hides nothing: with it and without, programs are told alike.

Random programs access shared, locked, freed and private memory in every size, again and again. `python -m tests.native.test_fast_path
SECONDS [SEED]` takes as many of them as there is time for, and `python -m tests.native.test_fast_path PATTERN` the programs of native_tests
whose names have it.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.native.compiled import CPP_SUFFIXES, NATIVE, PROGRAMS, skip_without_clang_runtime
from tests.native.expectations import read_program
from tests.native.tool import run_inside

pytestmark = pytest.mark.needs("gcc")

FAST, CALLS = (), ("--bpor-fast-path=no",)
POINTER = b"bpor_recent_1"
UNCOUNTED = b"\x0f\x1f\x84\x00\x3c\x50\x4f\x62"
SAME_ADDRESSES = ("-Wl,-Tdata=0x800000", "-Wl,-Tbss=0x820000")  # of variables: how a search goes on depends on hashes of them
PROLOGUE = """
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct __attribute__((packed)) { char odd; uint16_t a; uint32_t b; uint64_t c; } packed;
static union { uint8_t one[32]; uint16_t two[16]; uint32_t four[8]; uint64_t eight[4]; __int128 sixteen[2]; } shared, own[3];
static uint32_t *volatile block;
static uint32_t sum(const uint32_t *from, int count) { uint32_t all = 0; while (count--) all += from[count]; return all; }
"""
MAIN = """
int main(void) {
    pthread_t thread[THREADS];
    void *(*const run[])(void *) = {RUN};
    block = calloc(8, sizeof *block);
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, run[i], NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    return 0; }
"""
ENDLESS = """
#include <pthread.h>
#include <setjmp.h>
static int flag, begun;
static jmp_buf again;
#if BY_JUMP
static void *wait(void *p) { begun = 1; if (setjmp(again) < 2 && !flag) longjmp(again, 1); return p; }
#else
static void *wait(void *p) { while (!flag) __asm__ volatile("" ::: "memory"); return p; }
#endif
int main(void) { pthread_t t; pthread_create(&t, 0, wait, 0); flag = SET; return pthread_join(t, 0); }
"""


def statement(source: random.Random, thread: int) -> str:
    """Some of one thread, on memory of its own or of all."""
    size, bytes_ = source.choice([("one", 1), ("two", 2), ("four", 4), ("eight", 8), ("sixteen", 16)])
    owner = "shared" if source.random() < 0.4 else f"own[{thread}]"
    place, other = (f"{owner}.{size}[{source.randrange(32 // bytes_)}]" for _ in range(2))
    field = f"packed.{source.choice('abc')}"
    return source.choice(
        [
            *(f"{place} = {other} + 1;", f"{place}++;", f"{place} = {source.randrange(9)};", f"if ({place} > 2) {other} = 1;"),
            *(f"for (int i = 0; i < {32 // bytes_}; i++) {owner}.{size}[i] += {place};", f"{owner}.four[1] += sum({owner}.four, 8);"),
            *(f"if ({source.randrange(4)} == 0) {field} = {field} + 1;", f"block[{source.randrange(8)}] += {source.randrange(2)};"),
            f"memcpy(&{place}, &{other}, {source.randint(1, bytes_)});",
        ]
    )


def draw(source: random.Random) -> str:
    threads = source.choice((2, 2, 3))
    text = PROLOGUE
    for thread in range(threads):
        body = []
        for _ in range(source.randint(1, 3)):
            some = [statement(source, thread) for _ in range(source.randint(1, 4))]
            body += ["pthread_mutex_lock(&m);", *some, "pthread_mutex_unlock(&m);"] if source.random() < 0.7 else some
        if source.random() < 0.2:
            body.insert(source.randrange(len(body) + 1), "free(block);" if source.random() < 0.5 else "block = malloc(32);")
        lines = "\n    ".join(body)
        text += f"static void *run{thread}(void *p) {{\n    {lines}\n    return p; }}\n"
    names = ", ".join(f"run{thread}" for thread in range(threads))
    return text + MAIN.replace("THREADS", str(threads)).replace("{RUN}", f"{{{names}}}")


def build_from(source: Path, directory: Path, own: tuple[str, ...], flags: Sequence[str]) -> Path:
    """Both builds have one name, which reports show."""
    program = directory / f"{'calls' if own == CALLS else 'fast'}" / "program"
    program.parent.mkdir(exist_ok=True)
    wrapper = NATIVE / ("bpor-c++" if source.suffix in CPP_SUFFIXES else "bpor-cc")
    subprocess.run([wrapper, *own, "-g", "-w", "-pthread", *flags, *SAME_ADDRESSES, source, "-o", program], check=True)
    return program


def build(directory: Path, text: str, own: tuple[str, ...] = (), flags: Sequence[str] = ("-O1",)) -> Path:
    source = directory / "program.c"
    source.write_text(text)
    return build_from(source, directory, own, flags)


def told(program: Path, options: Sequence[str], arguments: Sequence[str] = ()) -> dict[str, Any]:
    """Everything that a report says, but for how long it took and where the program lies."""
    run = run_inside(program, arguments, options)
    if not run.report:
        return {"exit": run.exit_code}
    findings = [
        {key: one[key] for key in ("kind", "message", "schedule", "site", "stack", "other_thread", "other_stack")}
        for one in run.report["findings"]
    ]
    counts = ("executions", "redundant", "steps", "threads", "distinct_traces", "completed_bounds", "coverage", "exit_reason")
    kept = {key: run.report[key] for key in counts}
    statement = run.report["statement"].partition("; next:")[0]  # the next command names the program, and places by address
    return {"exit": run.exit_code, "statement": statement, **kept, "findings": findings}


def differences(seed: int) -> list[str]:
    source = random.Random(seed)
    text = draw(source)
    flags = source.choice((("-O0",), ("-O1",), ("-O2",), ("-O2", "-fno-plt"), ("-O1", "-no-pie", "-fno-pie")))
    found = []
    with tempfile.TemporaryDirectory() as directory:
        fast, calls = (build(Path(directory), text, own, flags) for own in (FAST, CALLS))
        for races in source.sample(("report", "explore", "off"), 1 + (seed % 3 == 0)):
            options = ["--max-executions", "200", f"--races={races}", "--keep-going"]
            one, other = told(fast, options), told(calls, options)
            if one != other:
                found.append(f"seed {seed}, {flags}, --races={races}:\n{text}\nwith a fast path {one}\nwith calls {other}")
    return found


@pytest.mark.parametrize("seed", range(2))
def test_random_programs_are_told_alike_with_fast_paths_and_with_calls(seed: int) -> None:
    assert differences(seed) == []


@pytest.mark.parametrize("jump", [0, 1])
def test_a_loop_of_plain_reads_is_recognised_by_the_accesses_that_are_counted(tmp_path: Path, jump: int) -> None:
    run = run_inside(build(tmp_path, ENDLESS, FAST, ("-O1", "-DSET=0", f"-DBY_JUMP={jump}")), [], ["--races=off"])
    assert (run.kinds, run.exit_code) == ({"livelock"}, 1), run
    ends = run_inside(build(tmp_path, ENDLESS, FAST, ("-O1", "-DSET=1", f"-DBY_JUMP={jump}")), [], ["--races=off"])
    assert (ends.kinds, ends.exit_code) == (frozenset(), 0), ends


def compiled_to(directory: Path, text: str, *words: str) -> bytes:
    """The object file of some text."""
    line = [NATIVE / "bpor-cc", *words, "-c", "-x", "c", "-", "-o", "one.o"]
    made = subprocess.run(line, input=text, text=True, capture_output=True, cwd=directory)
    skip_without_clang_runtime(made.stderr)
    assert made.returncode == 0, made.stderr
    return (directory / "one.o").read_bytes()


@pytest.mark.parametrize(
    "words", [(), ("-O2", "-fno-plt"), ("-O2", "-pipe"), ("-fverbose-asm", "-save-temps"), ("-O2", "-fno-pie"), ("-g0",)]
)
def test_every_form_of_a_call_gets_a_fast_path(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert POINTER in compiled_to(tmp_path, "int f(int *a) { return *a; }", *words)


@pytest.mark.needs("clang")
@pytest.mark.parametrize("words", [("-O2",), ("-O2", "-fno-plt")])
def test_clang_gets_fast_paths(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert POINTER in compiled_to(tmp_path, "int f(int *a) { return *a; }", "--bpor-compiler=clang", *words)


@pytest.mark.parametrize("words", [("-masm=intel",), CALLS, ("-mcmodel=large",)])
def test_where_there_is_no_fast_path_there_are_calls(tmp_path: Path, words: tuple[str, ...]) -> None:
    made = compiled_to(tmp_path, "int f(int *a) { return *a; }", *words)
    assert POINTER not in made and b"__tsan_read4" in made


@pytest.mark.parametrize(
    ("text", "uncounted"),
    [
        ("void f(int *a, char *b) { *a = 1; *b = 2; }", 1),
        ("void g(void); void f(int *a, char *b) { *a = 1; g(); *b = 2; }", 0),  # it may come back more than once
        ('void f(int *a, char *b) { *a = 1; __asm__ volatile("1: nop"); *b = 2; }', 0),
        ("void f(int *a, char *b, int n) { *a = 1; while (n--) *b = 2; }", 0),
    ],
)
def test_an_access_counts_unless_one_before_it_always_does(tmp_path: Path, text: str, uncounted: int) -> None:
    assert compiled_to(tmp_path, text, "-O1", "-g").count(UNCOUNTED) == uncounted


def test_objects_with_fast_paths_are_linked_and_run_without_the_stub(tmp_path: Path) -> None:
    """By whoever has the callbacks: here they are ten lines."""
    compiled_to(tmp_path, "int f(int *a) { return ++*a; }", "-O1")
    told = "void __tsan_{}(void *p) {{ seen++; }}"
    names = ("func_entry", "func_exit", "read4", "write4")
    source = "int f(int *), seen; void __tsan_init(void) {} " + " ".join(told.format(name) for name in names)
    (tmp_path / "main.c").write_text(source + " int main(void) { int a = 1; return f(&a) == 2 && seen == 4 ? 0 : 1; }")
    subprocess.run(["gcc", "main.c", "one.o", "-o", "program"], check=True, cwd=tmp_path)
    assert subprocess.run([tmp_path / "program"]).returncode == 0


def compare_programs(pattern: str) -> int:
    alike = otherwise = 0
    sources = (path for path in PROGRAMS.rglob("*") if path.suffix in {".c", ".cpp"} and PROGRAMS / "extensions" not in path.parents)
    for path in sorted(path for path in sources if pattern in str(path)):
        program = read_program(path)
        for expectation in program.expectations if program.instrumented else ():
            flags = ["-std=gnu++17" if path.suffix in CPP_SUFFIXES else "-std=gnu11", "-O1", *program.flags]
            flags += [f"-D{define}" for define in expectation.defines]
            options = [*program.options, *(["--bound", expectation.bound] if expectation.bound else []), "--max-executions", "300"]
            with tempfile.TemporaryDirectory() as directory:
                one, other = (told(build_from(path, Path(directory), own, flags), options, program.args) for own in (FAST, CALLS))
            alike, otherwise = alike + (one == other), otherwise + (one != other)
            if one != other:
                print(f"{path.name} {expectation}: with a fast path {one}, with calls {other}", flush=True)
    print(f"fast paths against calls: {alike} searches of native_tests alike, {otherwise} otherwise")
    return min(otherwise, 1)


def main(seconds: float, seed: int) -> int:
    end, programs, wrong = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end:
        found = differences(seed + programs)
        programs += 1
        wrong += bool(found)
        print(*found, sep="\n", end="", flush=True)
    print(f"fast paths against calls: {programs} programs, {wrong} told otherwise")
    return min(wrong, 1)


if __name__ == "__main__":
    if not sys.argv[1].replace(".", "").isdigit():
        sys.exit(compare_programs(sys.argv[1]))
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
