"""Behind a known misuse or race the execution goes on: what lies there is tested, and only what the line names is passed over."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.tool import command, environment, run_inside

SOURCE = """
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int number, hits;
#define STAYS __asm__ volatile("")
__attribute__((noinline)) static void release(void) { pthread_mutex_unlock(&n); STAYS; }
__attribute__((noinline)) static void known(void) { KNOWN; STAYS; }
__attribute__((noinline)) static void new(void) { release(); STAYS; }
static void *add(void *unused)
{
    known();
    pthread_mutex_lock(&m);
    int value = number;
    if (BUG) {
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
    }
    number = value + 1;
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    assert(number == 2);
    if (AGAIN)
        new();
    return 0;
}
"""
MISUSE, RACE, VOLATILE_RACE = "release()", "hits++", "(*(volatile int *)&hits)++"


def build(directory: Path, known: str, bug: int, again: int, compiler: list[str]) -> Path:
    (directory / "s.c").write_text(SOURCE)
    program = directory / f"s{bug}{again}"
    defined = [f"-DKNOWN={known}", f"-DBUG={bug}", f"-DAGAIN={again}"]
    subprocess.run([*compiler, "-g", *defined, "-pthread", "-o", str(program), str(directory / "s.c")], check=True, env=environment())
    return program


@pytest.mark.parametrize("reset", ["auto", "fork", "exec"])
@pytest.mark.parametrize(("bug", "again", "code", "kinds"), [(0, 0, 0, set()), (1, 0, 1, {"assertion"}), (0, 1, 1, {"misuse"})])
def test_what_lies_behind_a_known_misuse_is_tested(bug: int, again: int, code: int, kinds: set[str], reset: str, tmp_path: Path) -> None:
    """The other misuse is of the same object and at the same instruction; other calls lead there."""
    (tmp_path / "lines").write_text("misuse:^known$\n")
    program = build(tmp_path, MISUSE, bug, again, ["gcc"])
    run = run_inside(program, options=["--bound", "preemption:1", "--reset", reset, "--suppressions", str(tmp_path / "lines")])
    assert (run.exit_code, run.kinds) == (code, kinds), run
    assert "known bug misuse:^known$, behind which executions went on" in run.report["assumptions"]


@pytest.mark.parametrize("race", [RACE, VOLATILE_RACE])
@pytest.mark.parametrize(("bug", "code", "kinds"), [(0, 0, set()), (1, 1, {"assertion"})])
def test_what_lies_behind_a_known_race_is_tested(bug: int, code: int, kinds: set[str], race: str, tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("race:^known$\n")
    program = build(tmp_path, race, bug, 0, command("cc"))
    run = run_inside(program, options=["--bound", "preemption:1", "--suppressions", str(tmp_path / "lines")])
    assert (run.exit_code, run.kinds) == (code, kinds), run
    assert "known bug race:^known$, behind which executions went on" in run.report["assumptions"]


def test_a_known_bug_behind_which_nothing_can_run_is_counted(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("assertion:main\n")
    program = build(tmp_path, "", 1, 0, ["gcc"])
    run = run_inside(program, options=["--bound", "preemption:1", "--suppressions", str(tmp_path / "lines")])
    assert run.exit_code == 0, run
    assert any(text.startswith("known bug assertion:main, which ended ") for text in run.report["assumptions"])
