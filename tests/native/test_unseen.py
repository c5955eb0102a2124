"""What could order threads out of our sight: found wherever it is, said first, and nothing is called a bug because of it."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest

from bpor.target.elf import open_image
from bpor.target.instructions import look_at_instructions
from tests.native.compiled import NATIVE
from tests.native.tool import run_tool

pytestmark = pytest.mark.needs("gcc")

LOCK = """
static int word;
void lock(void) { while (__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE)); }
void unlock(void) { __atomic_store_n(&word, 0, __ATOMIC_RELEASE); }
"""
ASSEMBLER = """
static int word;
void lock(void) { int one; do { one = 1; __asm__ volatile("xchgl %0, %1" : "+r"(one), "+m"(word)); } while (one); }
void unlock(void) { __asm__ volatile("movl $0, %0" : "=m"(word)); }
"""
COUNTER = """
#include <pthread.h>
void lock(void);
void unlock(void);
int n;
static void *add(void *nothing) { lock(); n++; unlock(); return nothing; }
int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); lock(); n++; unlock(); return pthread_join(t, 0); }
"""
LOADS = """
#include <dlfcn.h>
#include <pthread.h>
static void *nothing(void *arg) { return arg; }
int main(int count, char **argument)
{
    pthread_t t;
    void *handle = dlopen(argument[count - 1], RTLD_NOW);
    pthread_create(&t, 0, nothing, 0);
    return pthread_join(t, 0) || !handle;
}
"""
MAKES_CODE = """
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
static void *nothing(void *arg) { return arg; }
int main(void)
{
    pthread_t t;
    void *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, "\\xc3", 1);
    ((void (*)(void))code)();
    pthread_create(&t, 0, nothing, 0);
    return pthread_join(t, 0);
}
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for name, text in {"lock": LOCK, "assembler": ASSEMBLER, "counter": COUNTER, "loads": LOADS, "makes": MAKES_CODE}.items():
        (tmp_path / f"{name}.c").write_text(text)
    return tmp_path


def build(directory: Path, line: str) -> Path:
    subprocess.run(["sh", "-ec", line.replace("$CC", str(NATIVE / "bpor-cc"))], cwd=directory, check=True, capture_output=True)
    return directory / "program"


def last_line(program: Path, *options: str, arguments: tuple[str, ...] = ()) -> tuple[int, str]:
    run = run_tool(program, arguments, options=[*options, "--quiet"])
    return run.exit_code, run.stdout.rstrip().rpartition("\n")[2]


LIBRARY = "gcc -O1 -shared -fPIC lock.c -o liblock.so; $CC -O1 -pthread counter.c -L. -llock '-Wl,-rpath,$ORIGIN' -o program"
# Two of its executions wait for ever for a lock out of our sight, and each is given so many seconds on a processor.
SPINS_FOR = "--watchdog=0.5"


def test_a_race_that_an_unseen_library_may_order_is_inconclusive_and_names_its_functions(sources: Path) -> None:
    code, line = last_line(build(sources, LIBRARY), SPINS_FOR, "--machine-code=off")
    assert code == 3
    assert "1 atomic instruction in 1 module was not seen (liblock.so): lock;" in line
    assert "; next: bpor-native --races=strict --machine-code=off " in line


def test_the_same_race_is_a_bug_where_the_user_says_so(sources: Path) -> None:
    code, line = last_line(build(sources, LIBRARY), SPINS_FOR, "--races=strict")
    assert (code, line.partition(":")[0]) == (1, "bug")


@pytest.mark.parametrize("flags", ["", "-s"])
def test_inline_assembler_that_is_left_alone_is_counted_in_an_instrumented_program_also_when_it_is_stripped(
    flags: str, sources: Path
) -> None:
    program = build(sources, f"$CC {flags} -O1 -pthread counter.c assembler.c -o program")
    code, line = last_line(program, "--races=off", "--machine-code=off")
    assert code == 3  # one schedule is no search
    assert line.startswith("inconclusive: 1 atomic instruction in 1 module was not seen")
    assert last_line(program, "--require=atomics", "--machine-code=off")[0] == 4


def test_atomics_of_an_object_compiled_elsewhere_are_found_also_when_the_program_is_stripped(sources: Path) -> None:
    program = build(sources, "gcc -O1 -c lock.c; $CC -s -O1 -pthread counter.c lock.o -o program")
    assert last_line(program, "--races=off")[1].startswith("inconclusive: 1 atomic instruction in 1 module was not seen")


def test_headers_that_lie_beside_the_code_are_none(sources: Path) -> None:
    """Of gold always, of others if asked: here the address of a segment that has none is the bytes of `lock add %eax, (%rax)`."""
    program = build(sources, "gcc -O1 -pthread -Wl,-z,noseparate-code counter.c assembler.c -o program")
    raw = bytearray(program.read_bytes())
    first, count = struct.unpack_from("<Q", raw, 32)[0], struct.unpack_from("<H", raw, 56)[0]
    stack = next(at for at in range(first, first + 56 * count, 56) if struct.unpack_from("<I", raw, at)[0] == 0x6474E551)
    raw[stack + 16 : stack + 32] = b"\xf0\x01\x00".rjust(16, b"\x90")
    program.write_bytes(raw)
    with open_image(str(program)) as image:
        assert image is not None
        assert look_at_instructions(image).atomics == 1  # the exchange in lock


def test_the_stubs_own_atomics_are_nobodys(sources: Path) -> None:
    program = build(sources, "$CC -s -O1 -pthread counter.c lock.c -o program")
    assert last_line(program)[1].startswith("pass: all schedules")


def test_a_library_that_is_loaded_when_it_runs_counts(sources: Path) -> None:
    program = build(sources, "gcc -O1 -shared -fPIC lock.c -o liblock.so; $CC -O1 -pthread loads.c -o program")
    library = (str(sources / "liblock.so"),)
    said = last_line(program, "--machine-code=auto,-liblock.so", arguments=library)[1]
    assert said.startswith("inconclusive: 1 atomic instruction in 1 module was not seen (liblock.so); not patched: liblock.so: ")
    assert last_line(program, "--require=memory", arguments=library)[0] == 4


@pytest.mark.parametrize("reset", ["rollback", "fork", "exec"])
def test_code_that_the_program_makes_counts(reset: str, sources: Path) -> None:
    program = build(sources, "$CC -O1 -pthread makes.c -o program")
    line = last_line(program, f"--reset={reset}")[1]
    assert line.startswith("pass of the library calls only: code that the program made as it ran could not be looked at; ")


def test_a_wrapper_is_not_what_was_looked_at(sources: Path) -> None:
    build(sources, "$CC -O1 -pthread counter.c lock.c -o real; printf '#!/bin/sh\\nexec ${0%%program}real\\n' > program; chmod +x program")
    assert last_line(sources / "program")[1].startswith("pass: all schedules")
