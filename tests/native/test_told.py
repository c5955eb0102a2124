"""Accesses that libc makes of an instrumented program's memory: they race as the program's own do, or the verdict names the call."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from bpor.target.elf import read_elf
from bpor.target.library_calls import TOLD, unseen_calls
from tests.native.compiled import ROOT, compiled
from tests.native.tool import run_inside, run_tool

pytestmark = pytest.mark.needs("gcc")
PROBE = ROOT / "tests/native/probes/told.c"
CALLS = re.findall(r"^    CALL\((\w+),", PROBE.read_text(encoding="utf-8"), re.MULTILINE)
LINES = {"getline", "getdelim"}  # the block that one thread's call makes is another race, in whichever order
FLAGS = ("-Wno-nonnull", "-Wno-unused-value", "-fno-builtin")


def test_the_probe_makes_every_call_that_is_told_of() -> None:
    """But those that headers put in the place of others when sources are fortified, and lists of arguments to a stream."""
    others = {name for name in TOLD if name.startswith("__")} | {"vprintf", "vfprintf", "vdprintf"}
    assert TOLD - others == set(CALLS)


@pytest.mark.parametrize("name", sorted(set(CALLS) - LINES))
def test_two_threads_that_give_libc_the_same_memory_race_and_their_orders_are_explored(name: str) -> None:
    """Where a race is meant to be explored, the access becomes an operation: also that of a call which told of it behind what it did."""
    run = run_inside(compiled(PROBE, FLAGS, instrumented=True), [name], ["--bound", "preemption:0", "--races", "explore"])
    assert run.exit_code == 0 and "explored as operations" in run.report["statement"], run
    assert run.report["distinct_traces"] > 1, run


@pytest.mark.parametrize("name", ["memcpy", "strlen", "snprintf", "getcwd", "open", *sorted(LINES)])
def test_such_a_race_is_a_finding(name: str) -> None:
    run = run_inside(compiled(PROBE, FLAGS, instrumented=True), [name], ["--bound", "preemption:0"])
    assert run.kinds == {"race"}, run


@pytest.mark.parametrize("name", ["memset", "strcpy", "qsort", "sscanf", "wmemcpy", "stat", "readlink"])
def test_in_a_plain_binary_their_orders_are_explored(name: str) -> None:
    run = run_inside(compiled(PROBE, FLAGS), [name], ["--bound", "preemption:1"])
    assert run.exit_code == 0 and "explored as operations" in run.report["statement"], run
    assert run.report["distinct_traces"] > 1, run


@pytest.mark.parametrize("instrumented", [True, False])
def test_a_call_whose_accesses_are_not_seen_is_named_by_the_pass(tmp_path: Path, instrumented: bool) -> None:
    source = tmp_path / "versions.c"
    source.write_text("char *strfry(char *);\nint main(int n, char **a)\n{\n return strfry(a[0])[0] == n;\n}\n")
    run = run_tool(compiled(source, (), instrumented))
    assert run.exit_code == 0, run
    assert "strfry" in run.report["statement"], run


@pytest.mark.needs("g++")
def test_work_that_is_done_inside_the_library_of_cpp_is_named_as_the_programmer_wrote_it(tmp_path: Path) -> None:
    source = tmp_path / "text.cpp"
    source.write_text('#include <filesystem>\nint main()\n{\n    std::filesystem::create_symlink("a", "b");\n}\n')
    run = run_tool(compiled(source, ("-std=c++17",), instrumented=True))
    assert re.search(r"nothing shared through std::filesystem::create_symlink:", run.report["statement"]), run


@pytest.mark.parametrize("call", ["mktime(&(struct tm){0})", "localtime(&(time_t){0})"])
def test_what_libc_keeps_of_the_time_zone_is_no_race(tmp_path: Path, call: str) -> None:
    source = tmp_path / "zone.c"
    made = "pthread_create(&t[i], NULL, w, NULL)", "pthread_join(t[i], NULL)"
    loops = "\n".join(f"for (int i = 0; i < 2; i++) {what};" for what in made)
    source.write_text(
        f"#include <pthread.h>\n#include <time.h>\nstatic void *w(void *p)\n{{\n(void){call};\nreturn p;\n}}\n"
        f"int main(void)\n{{\npthread_t t[2];\n{loops}\nreturn 0;\n}}\n"
    )
    run = run_tool(compiled(source, (), instrumented=True))
    assert run.exit_code == 0, run


def test_a_program_that_calls_only_what_is_known_names_nothing() -> None:
    elf = read_elf(str(compiled(ROOT / "native_tests/correct/atomics/lost_update.c", (), instrumented=True)))
    assert elf is not None and elf.calls
    assert unseen_calls(elf.calls) == ()


def test_a_file_that_is_no_program_calls_nothing(tmp_path: Path) -> None:
    subprocess.run(["gcc", "-c", "-x", "c", "-o", tmp_path / "part.o", "/dev/null"], check=True)
    elf = read_elf(str(tmp_path / "part.o"))
    assert elf is not None and elf.calls == frozenset()
