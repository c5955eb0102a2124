"""bpor-native cc: any build makes a program that runs alone as before, and under the tool with its atomics in the trace."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bpor.cli.compile import build_environment
from bpor.target.census import take_census
from bpor.target.program import inspect_program
from tests.native.compiled import NATIVE, skip_without_clang_runtime
from tests.native.tool import Run, command, environment, run_tool
from tests.native.two_adders import TRACES, assert_seen, write_sources

pytestmark = pytest.mark.needs("gcc")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    return write_sources(tmp_path)


def shell(directory: Path, line: str, **variables: str) -> None:
    result = subprocess.run(["sh", "-ec", line], cwd=directory, env={**os.environ, **variables}, capture_output=True, text=True)
    skip_without_clang_runtime(result.stderr)
    assert result.returncode == 0, f"{line}\n{result.stdout}{result.stderr}"


def cc(directory: Path, line: str, compiler: str = "") -> None:
    shell(directory, line, CC=f"{NATIVE / 'bpor-cc'}{f' --bpor-compiler={compiler}' if compiler else ''}")


@pytest.mark.parametrize(
    "line",
    [
        "$CC -O1 -pthread main.c add.c -o program",
        "$CC -c main.c; $CC -c add.c; $CC -pthread main.o add.o -o program",
        "$CC -c add.c; ar rcs libadd.a add.o; $CC -pthread main.c -L. -ladd -o program",
        "$CC -pthread -no-pie -O2 main.c add.c -o program",
        "$CC -pthread -s main.c add.c -o program",
        "$CC -pthread -flto -O2 main.c add.c -o program",
        "echo main.c add.c -pthread > words; $CC @words -o program",
        "cat add.c main.c > both.c; $CC -pthread -x c - -o program < both.c",
    ],
)
def test_programs_are_instrumented_however_they_are_built(line: str, sources: Path) -> None:
    cc(sources, line)
    assert_seen(sources / "program")


@pytest.mark.needs("clang")
@pytest.mark.parametrize("line", ["$CC -pthread main.c add.c -o program", "$CC -c main.c add.c; $CC -pthread main.o add.o -o program"])
def test_clang_is_as_good_as_gcc(line: str, sources: Path) -> None:
    cc(sources, line, "clang")
    assert_seen(sources / "program")


@pytest.mark.parametrize("flag", ["", "-Wl,-Bsymbolic-functions", "-Wl,-Bsymbolic", "-Wl,--no-undefined"])
def test_a_library_tells_its_accesses_too(flag: str, sources: Path) -> None:
    cc(sources, f"$CC -shared -fPIC {flag} add.c -o libadd.so; $CC -pthread main.c -L. -ladd '-Wl,-rpath,$ORIGIN' -o program")
    assert_seen(sources / "program")


def test_a_library_that_was_built_elsewhere_lowers_the_coverage_and_is_named(sources: Path) -> None:
    cc(sources, "gcc -shared -fPIC add.c -o libadd.so; $CC -pthread main.c -L. -ladd '-Wl,-rpath,$ORIGIN' -o program")
    run = run_tool(sources / "program", options=["--require", "memory"])
    assert run.exit_code == 4
    assert "libadd.so" in run.stdout + run.stderr


@pytest.mark.parametrize(
    ("line", "silent"),
    [
        ("gcc -c add.c; $CC -pthread main.c add.o -o program", ["add.c"]),
        ("gcc -g0 -c add.c; $CC -g0 -pthread main.c add.o -o program", ["add.c"]),
        ("gcc -c add.c; strip -g add.o; ar rcs libadd.a add.o; $CC -pthread main.c -L. -ladd -o program", ["add.o"]),
        pytest.param("clang -c add.c; $CC -pthread main.c add.o -o program", ["add.c"], marks=pytest.mark.needs("clang")),
        pytest.param(
            "gcc -c add.c; $CC --bpor-compiler=clang -pthread main.c add.o -o program", ["add.c"], marks=pytest.mark.needs("clang")
        ),
        ("gcc -c add.c; gcc -fsanitize=thread -pthread main.c add.o -o program", ["add.c"]),
    ],
)
def test_an_object_that_was_compiled_elsewhere_lowers_the_coverage_and_is_named(line: str, silent: list[str], sources: Path) -> None:
    cc(sources, line)
    census = take_census(inspect_program(str(sources / "program")))
    assert (census.coverage, list(census.modules[0].elf.silent_units)) == ("calls", silent)


def looks_at_what_an_object_writes(sources: Path, body: str, link: str, joins: int) -> Run:
    """`body`: of a function that is compiled elsewhere; another thread may find what it writes for a while."""
    (sources / "put.c").write_text(
        "#include <string.h>\nlong pair[2]; long ones[2] = {1, 1}, noughts[2]; int bytes = sizeof pair;\n"
        f"void put(void) {{ volatile long *one = pair; {body} }}\n"
    )
    (sources / "looks.c").write_text(
        "#include <assert.h>\n#include <pthread.h>\nextern long pair[2]; void put(void);\n"
        "static void *writer(void *unused) { put(); return unused; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, writer, 0); if (JOINS) pthread_join(t, 0);\n"
        "  assert(pair[0] == 0); if (!JOINS) pthread_join(t, 0); return 0; }\n"
    )
    stub = f"'{NATIVE / 'instrument' / 'libtsan.a'}'" if link == "gcc" else ""
    cc(sources, f"gcc -O1 -c put.c; $CC -DJOINS={joins} -c looks.c; {link} -pthread looks.o put.o {stub} -o looks")
    return run_tool(sources / "looks")


@pytest.mark.parametrize("link", ["$CC", "gcc"])
@pytest.mark.parametrize(
    "body",
    [
        "*one = 1; *one = 0;",
        "memcpy(pair, ones, bytes); memcpy(pair, noughts, bytes);",
        "__atomic_fetch_add(pair, 1, 5); __atomic_fetch_sub(pair, 1, 5);",
    ],
)
def test_what_such_an_object_does_is_told_by_its_machine_code(body: str, link: str, sources: Path) -> None:
    right, wrong = (looks_at_what_an_object_writes(sources, body, link, joins) for joins in (1, 0))
    assert (right.exit_code, right.report["coverage"]) == (0, "machine"), right
    assert (wrong.exit_code, wrong.kinds) == (1, {"assertion"}), wrong


def test_such_an_object_is_refused_where_all_memory_must_be_seen(sources: Path) -> None:
    cc(sources, "gcc -c add.c; $CC -pthread main.c add.o -o program")
    run = run_tool(sources / "program", options=["--require", "memory"])
    assert run.exit_code == 4
    assert "add.c in program" in run.stdout
    told = subprocess.run(command("doctor", sources / "program"), env=environment(), capture_output=True, text=True)
    assert "not instrumented: add.c" in told.stdout


@pytest.mark.parametrize(
    "line",
    [
        "echo 'int table[4];' > table.c; $CC -g0 -pthread main.c add.c table.c -o program",
        "$CC -pthread -flto -O2 -flto-partition=max main.c add.c -o program",
        "$CC -pthread main.c add.c -o program; strip program",
        "$CC -pthread main.c add.c -o program; strip -x program",
        "$CC -pthread main.c add.c -Wl,-x -o program",
        pytest.param("$CC -pthread main.c add.c -fuse-ld=gold -o program", marks=pytest.mark.needs("ld.gold")),
    ],
)
def test_nothing_is_said_of_objects_that_tell_their_accesses(line: str, sources: Path) -> None:
    cc(sources, line)
    assert take_census(inspect_program(str(sources / "program"))).coverage == "memory"


def test_modules_that_others_built_with_plain_fsanitize_thread_are_seen(sources: Path) -> None:
    shell(sources, "gcc -fsanitize=thread -g -pthread main.c add.c -o program")
    run = run_tool(sources / "program", options=["--bound", "preemption:2"])
    assert (run.exit_code, run.report["distinct_traces"], run.report["coverage"]) == (0, TRACES, "memory"), run


@pytest.mark.parametrize("line", ["gcc -static-libtsan", pytest.param("clang", marks=pytest.mark.needs("clang"))])
def test_a_program_with_the_real_runtime_inside_is_refused_with_what_to_do(line: str, sources: Path) -> None:
    shell(sources, f"{line} -fsanitize=thread -pthread main.c add.c -o program")
    run = run_tool(sources / "program")
    assert run.exit_code == 4
    assert "bpor-native cc" in run.stdout + run.stderr


def test_the_real_runtime_is_never_linked(sources: Path) -> None:
    cc(sources, "$CC -pthread main.c add.c -o program")
    census = take_census(inspect_program(str(sources / "program")))
    assert census.modules[0].elf.has_stub
    assert not any("tsan" in name for name in census.system + census.modules[0].elf.needed)


def test_questions_to_the_compiler_are_passed_on(sources: Path) -> None:
    for question in ("--version", "-dumpmachine", "-print-search-dirs"):
        ours = subprocess.run([NATIVE / "bpor-cc", question], capture_output=True, text=True)
        theirs = subprocess.run(["gcc", question], capture_output=True, text=True)
        assert (ours.stdout, ours.returncode) == (theirs.stdout, theirs.returncode)


def test_another_sanitizer_is_left_alone_and_said(sources: Path) -> None:
    words = [NATIVE / "bpor-cc", "-fsanitize=address", "-pthread", "main.c", "add.c", "-o", "program"]
    result = subprocess.run(words, cwd=sources, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "excludes our instrumentation" in result.stderr
    assert not take_census(inspect_program(str(sources / "program"))).modules[0].elf.instrumented


def test_a_build_keeps_the_compiler_that_was_chosen() -> None:
    changed = build_environment({"CC": "clang -m64", "CXX": "clang++"})
    assert changed["CC"] == f"{NATIVE / 'bpor-cc'} --bpor-compiler=clang -m64"
    assert changed["CXX"] == f"{NATIVE / 'bpor-c++'} --bpor-compiler=clang++"
    assert build_environment(changed) == changed


def test_build_without_a_command_is_a_usage_error() -> None:
    result = subprocess.run(command("build"), env=environment(), capture_output=True, text=True)
    assert result.returncode == 2
    assert "usage: bpor-native build" in result.stderr


def test_the_verb_cc_compiles_one_file(sources: Path) -> None:
    words = command("cc", "-pthread", "main.c", "add.c", "-o", "program")
    assert subprocess.run(words, cwd=sources, env=environment()).returncode == 0
    assert_seen(sources / "program")
