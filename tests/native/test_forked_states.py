"""States of executions that are reset by fork: known by their memory as those of rollback are, until something happens outside memory."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bpor import api
from bpor.report.result import Result
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native import soak_states
from tests.native.compiled import PROGRAMS, compiled
from tests.native.state_graph import StateGraph

pytestmark = pytest.mark.needs("gcc")

AT_ONCE = ["-Wl,-z,now"]  # else the first call of each function is a change of memory; with rollback the tool sees to it itself


def walked(program: Path, reset: str) -> StateGraph:
    with NativeExecutor([str(program)], TargetOptions(reset=reset)) as executor:
        graph = StateGraph(executor)
        graph.walk(120)
    assert graph.contradictions == [] and not graph.unidentified
    return graph


@pytest.mark.parametrize(
    "name",
    [
        "buggy/livelock/polite.c",
        "correct/mutex/counter.c",
        "correct/yield/poll_under_mutex.c",  # the first thread holds a mutex, in which libc writes the number of the process
        "correct/barrier/two_rounds.c",
        "correct/reset/data_and_heap.c",
    ],
)
def test_executions_that_are_forked_have_the_states_of_those_that_are_rolled_back(name: str) -> None:
    program = compiled(PROGRAMS / name, AT_ONCE)
    forked, rolled_back = walked(program, "fork"), walked(program, "rollback")
    assert sorted(forked.ways.values()) == sorted(rolled_back.ways.values())
    assert forked.schedules == rolled_back.schedules > len(forked.ways)


def test_random_programs_with_races_are_searched_alike_by_fork_and_by_rollback() -> None:
    program, matched = soak_states.player(), 0
    for seed in range(1, 5):
        sample = soak_states.draw(random.Random(seed))
        rolled_back, forked = soak_states.by_reset(sample, program, 60)
        assert soak_states.counted(rolled_back) == soak_states.counted(forked), sample
        matched += forked.result.counts.matched
    assert matched > 0


def checked(tmp_path: Path, code: str, **knobs: str) -> Result:
    (tmp_path / "program.c").write_text(code)
    return api.check([str(compiled(tmp_path / "program.c"))], bound="none", match="memory", **knobs)  # type: ignore[arg-type]


SPIN = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
static atomic_int go;
static void *one(void *u) { while (!go) ; return u; }
int main(void)
{
    pthread_t t;
    BEFORE
    pthread_create(&t, 0, one, 0);
    AMONG
    go = 1;
    pthread_join(t, 0);
    return 0;
}
"""


def spin(before: str = "", among: str = "") -> str:
    return SPIN.replace("BEFORE", before).replace("AMONG", among)


def test_by_fork_too_a_loop_comes_back_to_its_state(tmp_path: Path) -> None:
    result = checked(tmp_path, spin(), reset="fork")
    assert result.exit_code == 0 and "endless ones included" in result.verdict.statement


@pytest.mark.parametrize("effect", ["int p[2]; if (pipe(p)) return 1;", 'mkdir("there", 0700); rmdir("there");', "umask(077);"])
def test_after_an_effect_that_only_the_program_decides_loops_come_back(
    tmp_path: Path, effect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = checked(tmp_path, spin(among=effect))
    assert result.exit_code == 0 and "endless ones included" in result.verdict.statement


@pytest.mark.parametrize("effect", ["mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);", "setpgid(0, 0);"])
def test_after_another_effect_states_are_not_known(tmp_path: Path, effect: str) -> None:
    result = checked(tmp_path, spin(among=effect), max_steps=300, max_executions=20)  # type: ignore[arg-type]
    assert "endless" not in result.verdict.statement and not result.findings


READS = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
static int p[2];
static void *one(void *u) { return write(p[1], "", 1) == 1 ? u : p; }
int main(void)
{
    pthread_t t;
    char c;
    void *left;
    if (pipe2(p, O_NONBLOCK))
        return 1;
    pthread_create(&t, 0, one, 0);
    while (WAITS) ;
    pthread_join(t, &left);
    return left != 0;
}
"""


def test_a_loop_that_tries_to_read_comes_back_while_nobody_has_written(tmp_path: Path) -> None:
    result = checked(tmp_path, READS.replace("WAITS", "read(p[0], &c, 1) != 1"))
    assert result.exit_code == 0 and "endless ones included" in result.verdict.statement


def test_a_loop_that_asks_the_kernel_does_not_come_back(tmp_path: Path) -> None:
    code = READS.replace("WAITS", "poll(&(struct pollfd){p[0], POLLIN, 0}, 1, 0) == 0")
    result = checked(tmp_path, code.replace("char c;", ""), max_steps=300, max_executions=20)  # type: ignore[arg-type]
    assert not result.findings and "endless" not in result.verdict.statement


HIDDEN = """
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int turn, p[2];
static int set(int now)
{
    pthread_mutex_lock(&m);
    int before = turn;
    turn = now;
    pthread_mutex_unlock(&m);
    return before;
}
static void *changes(void *u) { if (set(0) == 0 && CHANGE) abort(); set(0); return u; }
static void *looks(void *u) { char c = 0; set(2); assert(SAME && !c); return u; }
int main(void)
{
    pthread_t t[2];
    umask(022);
    if (pipe2(p, O_NONBLOCK))
        return 1;
    pthread_create(&t[0], 0, changes, 0);
    pthread_create(&t[1], 0, looks, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ("umask(0) != 022", "umask(077) != 0"),
        ('write(p[1], "", 1) != 1', "read(p[0], &c, 1) < 0"),
        ("close(p[1]) != 0", "read(p[0], &c, 1) != 0"),
    ],
)
def test_what_the_kernel_remembers_keeps_states_apart(tmp_path: Path, change: str, same: str) -> None:
    """The one thread may have changed it or not, and its memory does not show it."""
    (tmp_path / "program.c").write_text(HIDDEN.replace("CHANGE", change).replace("SAME", same))
    program = compiled(tmp_path / "program.c", AT_ONCE)
    walked(program, "fork")
    result = api.check([str(program)], bound="none", match="memory")
    assert [finding.kind.value for finding in result.findings] == ["assertion"]


CAUGHT = """
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static volatile sig_atomic_t caught;
static void note(int number) { caught = number; }
static void *one(void *u) { setpgid(0, 0); raise(SIGSYS); return u; }
int main(void)
{
    pthread_t t;
    signal(SIGSYS, note);
    pthread_create(&t, 0, one, 0);
    pthread_join(t, 0);
    return caught != SIGSYS;
}
"""


def test_a_guard_that_steps_aside_leaves_the_programs_own_handler_of_its_signal(tmp_path: Path) -> None:
    assert checked(tmp_path, CAUGHT, reset="fork").exit_code == 0


def test_a_thread_that_raises_a_signal_gets_it_although_libc_was_told_another_number(tmp_path: Path) -> None:
    code = CAUGHT.replace("setpgid(0, 0);", "").replace("SIGSYS", "SIGUSR1").replace("pthread_join", "raise(SIGUSR1); pthread_join")
    assert checked(tmp_path, code, reset="fork").exit_code == 0


@pytest.mark.parametrize("knobs", [{"reset": "exec"}, {"carrier": "threads"}])
def test_with_neither_fork_nor_rollback_of_fibers_nothing_is_said_of_endless_schedules(tmp_path: Path, knobs: dict[str, str]) -> None:
    result = checked(tmp_path, spin(), max_steps=300, max_executions=20, **knobs)  # type: ignore[arg-type]
    assert "endless" not in result.verdict.statement and not result.findings
