"""The symboliser against programs that print their own addresses, built by every compiler and in every form we meet."""

from __future__ import annotations

import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest

from bpor.report.dwarf_limit import Exhausted, Limit
from bpor.report.symbols import SourceFrame, Symbols, load
from bpor.target.image import read_image
from tests.effort import calls_of
from tests.patience import PATIENCE

C_PROGRAM = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <link.h>
#include <pthread.h>
struct account { int id; pthread_mutex_t lock; long history[4]; };
struct account accounts[3];
pthread_mutex_t grid[2][3];
static pthread_mutex_t plain;
static union { int i; pthread_mutex_t whole; } either;
void *address;
__attribute__((noinline)) void record(void) { address = __builtin_return_address(0); }
static inline __attribute__((always_inline)) void inner(void) {
    record(); /* INNER */
    accounts[0].id++;
}
static inline __attribute__((always_inline)) void middle(void) {
    inner(); /* MIDDLE */
}
__attribute__((noinline)) void outer(void) {
    middle(); /* OUTER */
    accounts[1].id++;
}
static int bases(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    printf("module %lx %s\n", (unsigned long)info->dlpi_addr, info->dlpi_name);
    return 0;
}
int run(void) {
    static pthread_mutex_t inside;
    outer();
    dl_iterate_phdr(bases, 0);
    printf("code %p\n", address);
    printf("accounts[1].lock %p\n", (void *)&accounts[1].lock);
    printf("accounts[2].history[3] %p\n", (void *)&accounts[2].history[3]);
    printf("accounts[0].id %p\n", (void *)&accounts[0]);
    printf("grid[1][2] %p\n", (void *)&grid[1][2]);
    printf("plain %p\n", (void *)&plain);
    printf("plain+8 %p\n", (void *)((char *)&plain + 8));
    printf("inside %p\n", (void *)&inside);
    printf("either.i %p\n", (void *)&either);
    return (int)either.i;
}
"""
MAIN = "\nint main(void) { return run(); }\n"

CXX_PROGRAM = r"""
#include <cstdio>
#include <link.h>
#include <mutex>
#include <map>
#include <string>
#include <thread>
#include <vector>
namespace bank {
struct Account { int id; std::mutex guard; };
Account accounts[2];
static std::mutex local;
void *addresses[2];
__attribute__((noinline)) void record(int n) { addresses[n] = __builtin_return_address(0); }
template <class T> struct Queue {
    std::vector<T> items;
    std::mutex guard;
    __attribute__((noinline)) void push(T item) {
        items.push_back(item);
        record(0); // PUSH
        std::printf(" ");
    }
};
}
static bank::Queue<std::map<std::string, std::vector<int>>> queue;
static int bases(dl_phdr_info *info, size_t, void *) {
    std::printf("module %lx %s\n", (unsigned long)info->dlpi_addr, info->dlpi_name);
    return 0;
}
int main() {
    static std::mutex inside;
    queue.push({});
    std::thread worker([] { bank::record(1); std::printf(" "); }); // LAMBDA
    worker.join();
    std::printf("\n");
    dl_iterate_phdr(bases, nullptr);
    std::printf("push %p\nlambda %p\n", bank::addresses[0], bank::addresses[1]);
    std::printf("bank::accounts[1].guard %p\n", (void *)&bank::accounts[1].guard);
    std::printf("bank::local %p\n", (void *)&bank::local);
    std::printf("queue.guard %p\n", (void *)&queue.guard);
    std::printf("main::inside %p\n", (void *)&inside);
}
"""

C_VARIABLES = (
    "accounts[1].lock",
    "accounts[2].history[3]",
    "accounts[0].id",
    "grid[1][2]",
    "plain",
    "plain+8",
    "inside",
    "either.i",
)
FORMS = [
    ("gcc", "-O0", "-gdwarf-5"),
    ("gcc", "-O2", "-gdwarf-5"),
    ("gcc", "-O2", "-gdwarf-4"),
    ("gcc", "-O0", "-g", "-no-pie"),
    ("gcc", "-O2", "-g", "-gz=zlib"),
    ("gcc", "-O2", "-g", "-ffunction-sections", "-flto"),
    ("clang", "-O0", "-gdwarf-5"),
    ("clang", "-O2", "-gdwarf-5"),
    ("clang", "-O2", "-gdwarf-4"),
    ("clang", "-O1", "-g", "-no-pie"),
]
each_form = pytest.mark.parametrize("form", [pytest.param(form, marks=pytest.mark.needs(form[0]), id=" ".join(form)) for form in FORMS])


class Built:
    """A program, what it printed, and its symbols."""

    def __init__(self, directory: Path, compiler: str, *flags: str, source: str = C_PROGRAM + MAIN, suffix: str = ".c") -> None:
        self.source = directory / f"program{suffix}"
        self.source.write_text(source)
        self.path = directory / "program"
        subprocess.run([compiler, *flags, str(self.source), "-o", str(self.path), "-lpthread"], check=True, timeout=PATIENCE)
        self.read()

    def read(self) -> None:
        printed = subprocess.run([str(self.path)], capture_output=True, text=True, timeout=PATIENCE).stdout
        words = [line.split() for line in printed.splitlines() if line.strip()]
        modules = [(int(word[1], 16), word[2] if len(word) > 2 else str(self.path)) for word in words if word[0] == "module"]
        self.symbols = Symbols(modules)
        self.address = {word[0]: int(word[1], 16) for word in words if word[0] != "module"}

    def line(self, mark: str) -> int:
        return next(number for number, line in enumerate(self.source.read_text().splitlines(), 1) if mark in line)


def places(frames: tuple[SourceFrame, ...]) -> list[tuple[str, int]]:
    return [(frame.function, frame.line) for frame in frames]


@each_form
def test_a_call_is_found_with_the_calls_it_was_inlined_into(form: tuple[str, ...], tmp_path: Path) -> None:
    built = Built(tmp_path, *form)
    frames = built.symbols.frames(built.address["code"])
    assert places(frames) == [
        ("inner", built.line("/* INNER */")),
        ("middle", built.line("/* MIDDLE */")),
        ("outer", built.line("/* OUTER */")),
    ]
    assert [frame.inlined for frame in frames] == [True, True, False]
    assert {frame.file for frame in frames} == {str(built.source)}


@each_form
def test_data_is_named_by_variable_member_and_element(form: tuple[str, ...], tmp_path: Path) -> None:
    built = Built(tmp_path, *form)
    assert {name: built.symbols.variable(built.address[name]) for name in C_VARIABLES} == {name: name for name in C_VARIABLES}


@pytest.mark.needs("gcc")
def test_code_and_data_of_a_shared_object_are_found(tmp_path: Path) -> None:
    source, library = tmp_path / "run.c", tmp_path / "librun.so"
    source.write_text(C_PROGRAM)
    subprocess.run(["gcc", "-g", "-O1", "-fPIC", "-shared", str(source), "-o", str(library)], check=True, timeout=PATIENCE)
    built = Built(tmp_path, "gcc", "-Wl,--no-as-needed", str(library), f"-Wl,-rpath,{tmp_path}", source="int run(void);" + MAIN)
    frames = built.symbols.frames(built.address["code"])
    assert [frame.function for frame in frames] == ["inner", "middle", "outer"]
    assert {frame.module for frame in frames} == {str(library)}
    assert built.symbols.variable(built.address["accounts[1].lock"]) == "accounts[1].lock"
    assert built.symbols.variable(built.address["plain"]) == "plain"


@pytest.mark.needs("gcc")
def test_without_debug_information_functions_and_variables_have_offsets(tmp_path: Path) -> None:
    built = Built(tmp_path, "gcc", "-O0")
    (frame,) = built.symbols.frames(built.address["code"])
    assert (frame.function, frame.file, frame.line) == ("outer", "", 0)
    assert 0 < frame.offset < 64
    assert built.symbols.variable(built.address["plain"]) == "plain"
    assert built.symbols.variable(built.address["inside"]) == "inside"
    offset = built.address["accounts[1].lock"] - built.address["accounts[0].id"]
    assert built.symbols.variable(built.address["accounts[1].lock"]) == f"accounts+{offset}"


@pytest.mark.needs("gcc", "strip")
def test_a_stripped_program_still_has_module_and_offset(tmp_path: Path) -> None:
    built = Built(tmp_path, "gcc", "-O0")
    subprocess.run(["strip", str(built.path)], check=True)
    load.cache_clear()
    built.read()
    (frame,) = built.symbols.frames(built.address["code"])
    assert (frame.function, frame.module) == ("", str(built.path))
    assert str(frame).endswith("(program)")
    assert built.symbols.variable(built.address["plain"]) is None


@pytest.mark.parametrize("compiler", [pytest.param(name, marks=pytest.mark.needs(name)) for name in ("g++", "clang++")])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_cxx_names_are_those_of_the_source(compiler: str, level: str, tmp_path: Path) -> None:
    built = Built(tmp_path, compiler, "-g", level, source=CXX_PROGRAM, suffix=".cc")
    push = built.symbols.frames(built.address["push"])
    assert places(push)[0] == ("bank::Queue<…>::push", built.line("// PUSH"))
    function, line = places(built.symbols.frames(built.address["lambda"]))[0]
    assert (function, line) == ("main::{lambda}", built.line("// LAMBDA"))
    for name in ("bank::accounts[1].guard", "bank::local", "queue.guard", "main::inside"):
        assert built.symbols.variable(built.address[name]) == name


@pytest.mark.needs("g++")
def test_debug_information_is_read_once_for_hundreds_of_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = Built(tmp_path, "g++", "-g", "-O0", source=CXX_PROGRAM, suffix=".cc")
    base = built.address["push"]
    load.cache_clear()
    monkeypatch.setattr(Limit, "held", nullcontext)  # it takes the place of whoever counts calls
    first = calls_of(lambda: built.symbols.frames(base))
    assert calls_of(lambda: [built.symbols.frames(base + 4 * offset - 800) for offset in range(400)]) < first
    assert calls_of(lambda: [Symbols(built.symbols._modules).frames(base) for _ in range(400)]) < first / 10


@pytest.mark.needs("gcc")
def test_a_variable_that_nothing_describes_is_looked_for_once(tmp_path: Path) -> None:
    built = Built(tmp_path, "gcc", "-g1", "-O0")
    address = built.address["plain"]
    assert built.symbols.variable(address) == "plain"
    assert calls_of(lambda: built.symbols.variable(address)) < 50


def test_work_on_debug_information_is_limited_for_each_look_up_and_not_for_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bpor.report.dwarf_limit._AT_LEAST", 100)
    limit = Limit(0)
    for _ in range(10):
        with limit.held():
            for _ in range(50):
                (lambda: None)()
    assert not limit.exhausted
    with pytest.raises(Exhausted), limit.held():
        for _ in range(200):
            (lambda: None)()
    assert limit.exhausted


def test_an_address_of_no_module_is_itself() -> None:
    assert Symbols([]).frames(0x1234, is_return=False) == (SourceFrame(offset=0x1234),)
    assert Symbols([(0, "/no/such/file")]).variable(0x1234) is None


def test_a_file_that_is_no_program_gives_no_names(tmp_path: Path) -> None:
    for content in (b"", b"\x7fELF", b"\x7fELF" + b"\xff" * 200, b"#!/bin/sh\n"):
        path = tmp_path / f"file{len(content)}"
        path.write_bytes(content)
        assert Symbols([(0, str(path))]).frames(64)[0].function == ""


@pytest.mark.needs("gcc")
def test_damaged_debug_information_costs_names_and_nothing_else(tmp_path: Path) -> None:
    built = Built(tmp_path, "gcc", "-O0", "-g")
    image = bytearray(built.path.read_bytes())
    section = read_image(bytes(image)).section(".debug_info")  # type: ignore[union-attr]
    start, size = section.offset, section.bytes  # type: ignore[union-attr]
    image[start + 16 : start + size] = b"\xff" * (size - 16)
    damaged = tmp_path / "damaged"
    damaged.write_bytes(image)
    base = next(base for base, path in built.symbols._modules if path == str(built.path))
    symbols = Symbols([(base, str(damaged))])
    assert symbols.frames(built.address["code"])[-1].function == "outer"
    assert symbols.variable(built.address["plain"]) == "plain"
