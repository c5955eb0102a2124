"""Known steps: what an execution has shown is not executed again. The same traces, failures and claims, from fewer executions."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bpor.search.options import SearchOptions
from bpor.target.options import TargetOptions
from tests.native.compiled import PROGRAMS, ROOT, compiled
from tests.native.engines import Recording, Run, loss, random_scripts, run, run_on
from tests.native.tool import environment, run_inside

SEARCHED = SearchOptions(max_steps=500)
KNOWN = SearchOptions(max_steps=500, known_steps=True)
CREW = replace(KNOWN, workers=2)
BOUNDS = ("none", "preemption:1", "preemption:2")
FAIR = ("fair:0", "fair:1", "fair:2,preemption:1")
SCRIPT = Path(__file__).with_name("script.c")
FAMILIES = (
    "correct/mutex/counter.c",
    "correct/mutex/philosophers_ordered.c",
    "correct/barrier/phases.c",
    "correct/condition/barrier_by_hand.c",
    "correct/rwlock/readers_and_writer.c",
    "correct/semaphore/ping_pong.c",
    "buggy/deadlock/bank.c",
    "buggy/assertion/barrier_wrong_side.c",
)


def both(argv: list[str], bound: str) -> tuple[Run, Run]:
    return run("native", argv, bound, 20_000, SEARCHED), run("native", argv, bound, 20_000, KNOWN)


@pytest.mark.parametrize("source", FAMILIES)
def test_nothing_is_lost_where_steps_are_known(source: str) -> None:
    program = [str(compiled(PROGRAMS / source))]
    for bound in BOUNDS:
        assert not loss(*both(program, bound)), bound


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_lost_in_random_programs(seed: int) -> None:
    program = [str(compiled(SCRIPT)), *random_scripts(random.Random(seed))]
    for bound in BOUNDS:
        assert not loss(*both(program, bound)), (program, bound)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_lost_in_random_programs_within_a_fair_bound(seed: int) -> None:
    """They yield, so that it keeps threads waiting: what it refuses and what that loses is the same, too."""
    program = [str(compiled(SCRIPT)), *random_scripts(random.Random(seed))]
    for bound in FAIR:
        every, known = both(program, bound)
        assert not loss(every, known), (program, bound)
        assert (every.result.counts.lost > 0) == (known.result.counts.lost > 0), (program, bound)


@pytest.mark.parametrize("bound", FAIR)
def test_steps_are_known_within_a_fair_bound_that_keeps_nobody_waiting(bound: str, tmp_path: Path) -> None:
    source = tmp_path / "philosophers.c"
    source.write_text(PHILOSOPHERS)
    known = run("native", [str(compiled(source))], bound, 20_000, KNOWN)
    assert known.result.counts.distinct_traces == 62 and known.result.executions - known.result.counts.checked <= 63
    assert bound == "fair:0" or known.result.counts.walked > 0


@pytest.mark.parametrize("bound", ("fair:1", "fair:2,preemption:1"))
def test_every_step_is_executed_where_a_fair_bound_keeps_somebody_waiting(bound: str, tmp_path: Path) -> None:
    """Whether that loses schedules only an execution shows. Beside those of the bound there are some by which the search found out that the
    bound matters."""
    source = tmp_path / "yields.c"
    source.write_text(YIELDS)
    every, known = both([str(compiled(source))], bound)
    assert every.result.counts.distinct_traces == known.result.counts.distinct_traces > 1
    assert every.result.executions <= known.result.executions - known.result.counts.checked <= 2 * every.result.executions
    assert every.levels[-1].refused > 0 < known.levels[-1].refused
    assert every.result.counts.lost == known.result.counts.lost


@pytest.mark.parametrize("source", ("correct/mutex/philosophers_ordered.c", "correct/rwlock/readers_and_writer.c"))
def test_a_search_that_begins_again_knows_nothing_of_the_one_before(source: str) -> None:
    with Recording([str(compiled(PROGRAMS / source))], TargetOptions(watchdog=5)) as running:
        first, second = (run_on(running, "native", "none", 20_000, KNOWN) for _ in range(2))
    assert first.result.executions == second.result.executions > 4
    assert first.result.counts == second.result.counts


def test_a_table_that_nobody_needed_for_long_wakes_at_the_first_repeated_run(tmp_path: Path) -> None:
    """30 orders of five ordered philosophers, each before 34 of a lost update: the search meets the former last."""
    source = tmp_path / "late.c"
    source.write_text(LATE)
    program = [str(compiled(source, instrumented=True))]
    without, known = run("native", program, "none", 20_000, SEARCHED), run("native", program, "none", 20_000, KNOWN)
    assert without.result.counts.distinct_traces == known.result.counts.distinct_traces == 30 * 34
    assert 30 * 34 < known.result.executions - known.result.counts.checked < without.result.executions


@pytest.mark.parametrize(("bound", "most"), [("none", 62), ("preemption:1", 63), ("preemption:2", 63)])
def test_six_philosophers_have_62_traces_and_as_many_executions(bound: str, most: int, tmp_path: Path) -> None:
    source = tmp_path / "philosophers.c"
    source.write_text(PHILOSOPHERS)
    known = run("native", [str(compiled(source))], bound, 20_000, KNOWN)
    assert known.result.counts.distinct_traces == 62 and known.result.executions - known.result.counts.checked <= most


def test_a_thread_that_sees_more_than_its_causal_past_costs_the_table_and_not_the_verdict(tmp_path: Path) -> None:
    """A plain race decides what a thread locks: an execution shows it, and the search begins anew without known steps."""
    source = tmp_path / "racy.c"
    source.write_text(RACY)
    every, known = both([str(compiled(source))], "preemption:2")
    assert every.result.counts.distinct_traces == known.result.counts.distinct_traces
    assert known.result.exhausted and known.result.executions > every.result.executions
    said = run_inside(compiled(source), options=["--bound=preemption:2", "--machine-code=off"]).report["statement"]
    assert "known steps given up: what a thread does after racy.c:9 in visit depends on more than its causal past" in said


def test_steps_are_known_unless_the_command_line_says_no(tmp_path: Path) -> None:
    source = tmp_path / "philosophers.c"
    source.write_text(PHILOSOPHERS)
    known, anew = (run_inside(compiled(source), options=["--bound=preemption:1", *more]).report for more in ((), ("--no-known-steps",)))
    assert known["distinct_traces"] == anew["distinct_traces"] == 62
    assert known["executions"] - known["checked"] == 62 and known["walked"] > 0
    assert anew["executions"] > 500 and anew["walked"] == anew["checked"] == 0


def test_several_processes_know_steps_too(tmp_path: Path) -> None:
    source = tmp_path / "philosophers.c"
    source.write_text(PHILOSOPHERS)
    every, known = (run("native", [str(compiled(source))], "preemption:1", 20_000, options) for options in (SEARCHED, CREW))
    assert known.result.exhausted and known.result.counts.distinct_traces == every.result.counts.distinct_traces == 62
    assert known.result.executions < every.result.executions / 2


def test_steps_that_turn_out_wrong_in_one_of_several_processes_are_wrong_for_all(tmp_path: Path) -> None:
    source = tmp_path / "racy.c"
    source.write_text(RACY)
    found = run_inside(compiled(source), options=["--bound=preemption:2", "-j", "2", "--machine-code=off"])
    assert found.exit_code == 0 and found.report["walked"] == 0
    assert "known steps given up" in found.report["statement"]


def test_the_benchmark_counts_one_execution_for_each_trace() -> None:
    words = [sys.executable, str(ROOT / "benchmarks" / "known_steps.py"), "--quick"]
    rows = json.loads(subprocess.run(words, check=True, capture_output=True, env=environment()).stdout)
    assert [(row["traces"], row["executions"] - row["checked"], row["without"]) for row in rows] == [(62, 62, 784), (32, 32, 68)]


@pytest.mark.parametrize("search", ["dfs", "delay"])
def test_a_search_without_reduction_executes_every_schedule(search: str) -> None:
    """Others are measured against it."""
    program = compiled(PROGRAMS / "correct/mutex/counter.c", ["-DTHREADS=2"])
    given = [f"--search={search}", "--bound=preemption:1" if search == "dfs" else "--bound=delta:1"]
    anew, default = (run_inside(program, options=[*given, *more]).report for more in (("--no-known-steps",), ()))
    assert default["executions"] == anew["executions"] > default["distinct_traces"] and default["walked"] == 0


def test_a_bug_outside_of_the_bound_is_none_though_the_search_begins_without_it() -> None:
    """The unbounded search that leads runs into a deadlock which takes a preemption, and gives up; nothing of it counts."""
    run = run_inside(compiled(PROGRAMS / "buggy/deadlock/bank.c"), options=["--bound=preemption:0"])
    assert (run.exit_code, run.report["findings"], run.report["over_bound"]) == (0, [], 1)


PHILOSOPHERS = r"""
#include <pthread.h>
enum { N = 6 };
static pthread_mutex_t fork_of[N];

static void *eat(void *number)
{
    long left = (long)number, right = (left + 1) % N;
    long first = left < right ? left : right, second = left < right ? right : left;
    pthread_mutex_lock(&fork_of[first]);
    pthread_mutex_lock(&fork_of[second]);
    pthread_mutex_unlock(&fork_of[second]);
    pthread_mutex_unlock(&fork_of[first]);
    return NULL;
}

int main(void)
{
    pthread_t thread[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_of[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&thread[i], NULL, eat, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""
YIELDS = r"""
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static void visit(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
}
static void *wait_for_it(void *unused)
{
    while (!atomic_load(&ready))
        sched_yield();
    visit(&one);
    return unused;
}
static void *tell(void *unused)
{
    visit(&one);
    visit(&other);
    atomic_store(&ready, 1);
    visit(&other);
    return unused;
}
int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, wait_for_it, NULL);
    pthread_create(&thread[1], NULL, tell, NULL);
    visit(&other);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""
RACY = r"""
#include <pthread.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER, third = PTHREAD_MUTEX_INITIALIZER;
static volatile int seen;

static void visit(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
}

static void *look(void *unused)
{
    visit(&other);
    if (seen)
        visit(&third);
    return unused;
}

static void *both(void *unused)
{
    visit(&other);
    visit(&one);
    return unused;
}

static void *tell(void *unused)
{
    visit(&one);
    seen = 1;
    return unused;
}

int main(void)
{
    void *(*body[])(void *) = {look, both, tell};
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, body[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""

LATE = """
#include <pthread.h>
#include <stdatomic.h>
enum { PHILOSOPHERS = 5 };
static pthread_mutex_t forks[PHILOSOPHERS];
static atomic_int counter;
static void *eat(void *place)
{
    long one = (long)place, other = (one + 1) % PHILOSOPHERS;
    pthread_mutex_t *low = &forks[one < other ? one : other], *high = &forks[one < other ? other : one];
    pthread_mutex_lock(low);
    pthread_mutex_lock(high);
    pthread_mutex_unlock(high);
    pthread_mutex_unlock(low);
    return NULL;
}
static void *lose(void *unused)
{
    for (int i = 0; i < 2; i++)
        counter = counter + 1;
    return unused;
}
static void run(long count, void *(*what)(void *))
{
    pthread_t thread[PHILOSOPHERS];
    for (long i = 0; i < count; i++)
        pthread_create(&thread[i], NULL, what, (void *)i);
    for (long i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}
int main(void)
{
    run(PHILOSOPHERS, eat);
    run(2, lose);
    return 0;
}
"""
