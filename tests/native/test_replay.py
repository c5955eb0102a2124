"""`replay last | SCHEDULE | FILE`, and what is kept for it."""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import bpor
from bpor.store.checksum import with_checksum
from tests.native.compiled import PROGRAMS
from tests.native.tool import run_words

BANK = "buggy/deadlock/bank.c"


@pytest.fixture
def found(program: Callable[..., Path], tmp_path: Path) -> Path:
    """A directory in which the bank's deadlock was found last."""
    run = run_words(tmp_path, program(BANK), "--bound", "preemption:1")
    assert run.returncode == 1, run.stderr
    return tmp_path


def finding_file(directory: Path) -> Path:
    (path,) = directory.glob(".bpor/*/finding-1.json")
    return path


def test_last_needs_nothing_else(found: Path) -> None:
    run = run_words(found, "replay", "last")
    assert run.returncode == 1, run.stderr
    assert run.stdout.splitlines()[-1].startswith("bug: deadlock")


def test_last_has_the_arguments_and_options_of_the_run(program: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "input").write_text("yes")
    code = "int main(int c, char **v) { return getchar() == 'y' && c == 2 && v[1][0] == '-'; }"
    (tmp_path / "t.c").write_text(f"#include <stdio.h>\n{code}\n")
    subprocess.run(["gcc", "t.c", "-o", "t"], cwd=tmp_path, check=True)
    assert run_words(tmp_path, "./t", "--stdin", "input", "--", "--seed").returncode == 1
    assert run_words(tmp_path, "replay", "last").returncode == 1
    assert run_words(tmp_path, "replay", finding_file(tmp_path), "--", "./t", "--seed").returncode == 2  # a file names nothing to open
    assert run_words(tmp_path, "replay", finding_file(tmp_path), "--stdin", "input", "--", "./t", "--seed").returncode == 1


def test_a_run_without_a_finding_leaves_nothing_to_replay(program: Callable[..., Path], found: Path) -> None:
    assert run_words(found, program(BANK), "--bound", "preemption:0").returncode == 0
    run = run_words(found, "replay", "last")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert "found nothing to replay" in run.stderr


ALIGNED = """
#include <pthread.h>
static void *add(void *count)
{
    ++*(volatile int *)count;
    return NULL;
}
int main(void)
{
    _Alignas(1024) volatile int count = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, add, (void *)&count);
    pthread_create(&two, NULL, add, (void *)&count);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return count != 2;
}
"""


def test_a_line_repeats_in_an_environment_of_another_length(tmp_path: Path) -> None:
    """Variables and arguments lie behind the stack of main, so its aligned variables were at another distance from its beginning."""
    (tmp_path / "t.c").write_text(ALIGNED)
    subprocess.run(["gcc", "-g", "-pthread", "t.c", "-o", "t"], cwd=tmp_path, check=True)
    run = run_words(tmp_path, "./t")
    line = run.stdout.partition("See it again\n")[2].partition("\n")[0]
    assert run.returncode == 1 and "--visible=" in line, run.stdout
    for length in (16, 272, 528):
        again = run_words(tmp_path, *shlex.split(line)[1:], LONGER="x" * length)
        assert again.returncode == 1, again.stdout


def test_the_same_trace_a_hundred_times(program: Callable[..., Path]) -> None:
    result = bpor.check([str(program(BANK))], bound="preemption:1")
    (finding,) = result.findings
    traces = {(trace.hash, trace.end.outcome, len(trace.steps)) for trace in (bpor.replay(finding) for _ in range(100))}
    assert traces == {(finding.trace.hash, finding.trace.end.outcome, len(finding.schedule))}


# Where it crashes is made of where its stack, a block and a mapping lie.
ADDRESSES = """
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static void *crash(void *unused)
{
    uintptr_t stack = (uintptr_t)&unused >> 4, block = (uintptr_t)malloc(8) >> 4;
    uintptr_t page = (uintptr_t)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) >> 12;
    *(volatile char *)(1 + (stack ^ block ^ page) % 60000) = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, crash, NULL);
    crash(NULL);
}
"""


def test_a_failure_that_depends_on_addresses_is_repeated_in_another_environment(tmp_path: Path) -> None:
    (tmp_path / "it.c").write_text(ADDRESSES)
    subprocess.run(["gcc", "-g", "-O1", "-pthread", "-o", "it", "it.c"], check=True, cwd=tmp_path)
    words = ["replay", "0*2", "--state", "none", "--", "./it"]
    much, more = {"MUCH": "x" * 5000}, {"MUCH": "", "MORE": "", "MOST": ""}  # the bytes and the number of variables both count
    here, full, many = (run_words(tmp_path, *words, **variables) for variables in ({}, much, more))
    low, high = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 24 if high == resource.RLIM_INFINITY else high, high))
    try:
        tall = run_words(tmp_path, *words)
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, (low, high))
    crashes = [re.findall(r"on address 0x[0-9a-f]+", one.stdout) for one in (here, full, many, tall)]
    assert crashes[0] and crashes == [crashes[0]] * 4


def test_a_file_never_says_what_to_run(program: Callable[..., Path], found: Path) -> None:
    document = json.loads(finding_file(found).read_text())
    evil = ["/bin/touch", str(found / "x")]
    document |= {"argv": evil, "program": {**document["program"], "name": "/bin/touch", "path": evil[0]}, "replay": " ".join(evil)}
    document["environment"] = {"LD_PRELOAD": "/nowhere.so"}
    (found / "f.json").write_text(json.dumps(with_checksum(document)))
    assert run_words(found, "replay", "f.json").returncode == 2
    run = run_words(found, "replay", "f.json", "--", program(BANK))
    assert run.returncode == 1
    assert not (found / "x").exists()
    assert "nowhere" not in run.stderr


def test_a_bug_that_lost_a_step_does_not_pass(program: Callable[..., Path], found: Path) -> None:
    document = json.loads(finding_file(found).read_text())
    (found / "f.json").write_text(json.dumps(document | {"schedule": document["schedule"].rpartition(",")[0]}))
    run = run_words(found, "replay", "f.json", "--", program(BANK))
    assert (run.returncode, "its checksum is another" in run.stderr) == (2, True)


def test_a_damaged_file_is_one_line_and_exit_2(program: Callable[..., Path], found: Path) -> None:
    (found / "f.json").write_text(finding_file(found).read_text()[:-20])
    run = run_words(found, "replay", "f.json", "--", program(BANK))
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)


def test_a_rebuilt_program_is_named_and_its_bug_found_by_the_orderings(tmp_path: Path) -> None:
    source = (PROGRAMS / BANK).read_text()
    (tmp_path / "bank.c").write_text(source)
    build = ["gcc", "-g", "-O1", "-pthread", "bank.c", "-o", "bank"]
    subprocess.run(build, cwd=tmp_path, check=True)
    assert run_words(tmp_path, "./bank", "--bound", "preemption:1").returncode == 1
    used = "    pthread_mutex_lock(&extra); pthread_mutex_unlock(&extra);"
    extra = f"static pthread_mutex_t extra = PTHREAD_MUTEX_INITIALIZER;\n\nint main(void)\n{{\n{used}"
    assert "int main(void)\n{" in source
    (tmp_path / "bank.c").write_text(source.replace("int main(void)\n{", extra))
    subprocess.run(build, cwd=tmp_path, check=True)
    run = run_words(tmp_path, "replay", "last")
    assert "build id" in run.stderr
    assert "its" in run.stderr and "orderings do" in run.stderr
    assert run.returncode == 1, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1].startswith("bug: deadlock")


def test_print_shows_every_step_also_of_a_schedule_that_passes(program: Callable[..., Path], found: Path) -> None:
    run = run_words(found, "replay", "0", "--print", "--", program(BANK))
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert "create T1" in lines[0] and "bank.c:" in lines[0]
    assert any("T2" in line and "unlock" in line for line in lines)
    assert any(line.strip() == "end  passed" for line in lines)


def test_step_stops_before_each_step_and_goes_back(found: Path) -> None:
    run = run_words(found, "replay", "last", "--step", stdin="\n\n4\nb\nnonsense\nq\n")
    assert run.returncode == 1, run.stderr
    states = [line.removeprefix("> ") for line in run.stdout.splitlines() if "before step" in line or "the end, after" in line]
    assert [line.split(" of")[0] for line in states] == [
        "before step 0", "before step 1", "before step 2", "the end, after 4 steps", "before step 3", "before step 3",
    ]  # fmt: skip
    assert "holds a.lock" in run.stdout
    assert "(blocked)" in run.stdout


def listed_names(directory: Path) -> list[str]:
    """Their names; what was said of each stands below, indented."""
    lines = run_words(directory, "list").stdout.splitlines()
    return [line.split()[0] for line in lines if not line.startswith(" ")]


def test_list_show_and_clean(program: Callable[..., Path], found: Path) -> None:
    run_words(found, program(BANK), "again", "--bound", "preemption:0")
    listed = listed_names(found)
    assert len(listed) == 2
    shown = run_words(found, "show", listed[0])
    assert shown.returncode == 0
    assert "bug: deadlock" in run_words(found, "show", finding_file(found).parent.name).stdout
    assert run_words(found, "clean", finding_file(found).parent.name).stdout == "1 test removed\n"
    assert len(listed_names(found)) == 1
    assert run_words(found, "clean").returncode == 0
    assert not (found / ".bpor").exists()
    assert run_words(found, "list").stdout == "nothing is kept in .bpor\n"
    assert run_words(found, "show").returncode == 2


def test_a_result_of_another_version_is_listed_and_run_over(program: Callable[..., Path], found: Path) -> None:
    test = finding_file(found).parent
    (test / "result.json").write_text('{"bpor-native result": 99}')
    (test / "finding-1.json").write_text('{"bpor-native finding": 99}')
    (test / "search.sqlite").write_bytes(b"not a database at all, of any version" * 100)
    assert "no result that this version can read" in run_words(found, "list").stdout
    assert run_words(found, "show").returncode == 2
    run = run_words(found, program(BANK), "--bound", "preemption:1", "--resume")
    assert run.returncode == 1, run.stderr
    assert "is damaged" in run.stderr and "begins anew" in run.stderr
    assert run_words(found, "replay", "last").returncode == 1


def test_a_directory_that_cannot_be_written_to_does_not_stop_a_run(program: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / ".bpor").write_text("a file is in the way")
    run = run_words(tmp_path, program(BANK), "--bound", "preemption:1")
    assert run.returncode == 1
    assert "nothing is kept" in run.stderr
    assert run_words(tmp_path, program(BANK), "--resume").returncode == 2


def test_state_none_keeps_nothing(program: Callable[..., Path], tmp_path: Path) -> None:
    assert run_words(tmp_path, program(BANK), "--bound", "preemption:1", "--state", "none").returncode == 1
    assert os.listdir(tmp_path) == []
