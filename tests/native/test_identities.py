"""A state's identity: states that have the same one go on alike, and those that differ only in how they came about have the same one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bpor.cli import main
from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.search.budget import Budget, SearchStop
from bpor.search.explorer import Explorer
from bpor.search.livelock import Nature
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.strategies.cartesian import Cartesian
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native.compiled import compiled
from tests.native.state_graph import StateGraph
from tests.native.test_programs_against_model import build

pytestmark = pytest.mark.needs("gcc")

Program = Callable[..., Path]
Source = Callable[..., NativeExecutor]

UNUSED = ["-Wno-unused-variable", "-Wno-unused-function"]  # a program need not use everything of the head
HEAD = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile char *room;
static int chosen;
static void *one(void *);
static void *two(void *);
int main(int count, char **word)
{
    pthread_t t[2];
    volatile char large[1 << 20];
    room = large;
    chosen = count > 1 ? atoi(word[1]) : -1;
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Source]:
    """Runs a program that is given by its two threads."""
    started: list[NativeExecutor] = []

    def start(text: str, *words: str, signal: str = "any") -> NativeExecutor:
        path = tmp_path / "program.c"
        path.write_text(HEAD + text)
        started.append(NativeExecutor([str(compiled(path, UNUSED)), *words], TargetOptions(signal=signal)))
        return started[-1]

    yield start
    for executor in started:
        executor.close()


def identity(executor: NativeExecutor, *schedule: int, lasso: bool = False) -> int:
    """Of the state that a schedule leads to."""
    trace = executor.run(Plan(prefix=schedule, report_from=len(schedule), stop_after_prefix=True, identify=True, lasso=lasso))
    assert not trace.unidentified
    found = trace.states[0]
    assert found is not None
    return found


def search(executor: NativeExecutor, name: str) -> tuple[Cartesian, set[tuple[Outcome, int]]]:
    """A finished search and the bugs it met."""
    strategy = make_strategy(name, None, SearchOptions(max_steps=500))
    result = Explorer(executor, strategy, Budget(max_executions=3_000, max_findings=None)).run()
    assert result.stop is SearchStop.EXHAUSTED and result.counts.cut == 0
    return strategy, {(failure.trace.end.outcome, failure.trace.end.code) for failure in result.failures}  # type: ignore[return-value]


# ---- the same identity: the same future ----


@pytest.mark.parametrize("seed", range(4))
def test_states_of_one_identity_go_on_alike_in_random_programs(seed: int, tmp_path: Path) -> None:
    with NativeExecutor([build(seed, tmp_path)[1]], TargetOptions(timeouts="explore")) as executor:
        graph = StateGraph(executor)
        graph.walk(400)
    assert graph.contradictions == []
    assert graph.schedules > len(graph.ways), "no state was entered twice, so nothing was compared"


@pytest.mark.parametrize(
    "name",
    [
        "buggy/deadlock/lost_wakeup.c",
        "buggy/assertion/owner_death_ignored.c",
        "correct/barrier/two_rounds.c",
        "correct/reset/data_and_heap.c",
    ],
)
def test_states_of_one_identity_go_on_alike(name: str, program: Program) -> None:
    with NativeExecutor([str(program(name))]) as executor:
        graph = StateGraph(executor)
        graph.walk(150)
    assert graph.contradictions == [] and not graph.unidentified
    assert graph.schedules > len(graph.ways)


WAITS = "static void *one(void *u) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return u; }"


def test_a_signal_that_is_pending_is_part_of_the_state(source: Source) -> None:
    """The bytes of a condition are the same before and after a signal, and nothing else of the program's memory changes."""
    executor = source(WAITS + "static void *two(void *u) { pthread_cond_signal(&c); return u; }")
    signalled, too_early = (0, 0, 1, 1, 2), (0, 0, 1, 2, 1)
    assert identity(executor, *signalled) != identity(executor, *too_early)
    assert search(executor, "cartesian")[1] == {(Outcome.DEADLOCK, 0)}


def test_who_came_first_to_a_condition_is_part_of_the_state_where_it_matters(source: Source) -> None:
    executor = source(WAITS.replace("one", "two") + WAITS, signal="fifo")
    assert identity(executor, 0, 0, 1, 1, 2, 2) != identity(executor, 0, 0, 2, 2, 1, 1)


# What the first thread may do with having seen, or not, a mark that the second one leaves. In the end the mark is there.
EFFECTS = {
    "static": "static volatile int kept; kept += seen;",
    "heap": "static volatile char *block; block = malloc(40); *block = (char)seen;",
    "mapping": "static volatile char *page; page = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); *page = (char)seen;",
    "protection": "(void)!mmap(0, 5000, seen ? 3 : 1, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);",
    "stack": "*room = (char)seen;",
    "errno": "errno = seen;",
    "file": 'if (seen) open("/proc/self/exe", O_RDONLY);',
    "offset": 'lseek(open("/proc/self/exe", O_RDONLY), seen, SEEK_SET);',
    "disposition": "signal(SIGUSR1, seen ? SIG_IGN : SIG_DFL);",
    "mask": "sigset_t s; sigemptyset(&s); sigaddset(&s, seen ? SIGUSR1 : SIGUSR2); pthread_sigmask(SIG_BLOCK, &s, 0);",
    "name": 'if (seen) pthread_setname_np(pthread_self(), "x");',
    "time": "if (seen) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); }",
    "random": "if (seen) { char byte; (void)!getrandom(&byte, 1, 0); }",
    "rounding": 'if (seen) { unsigned control = 0x3f80; asm volatile("ldmxcsr %0" : : "m"(control)); }',
}
CASES = "".join(f"case {number}: {{ {effect} break; }}\n" for number, effect in enumerate(EFFECTS.values()))
LOOKS = f"""
static volatile int mark;
static __attribute__((noinline)) void effect(int seen) {{ switch (chosen) {{ {CASES} }} }}
static void *one(void *u)
{{
    sched_yield();
    effect(mark);
    sched_yield();
    return u;
}}
static void *two(void *u) {{ sched_yield(); mark = 1; sched_yield(); return u; }}
"""
LOOKED_FIRST, LOOKED_LAST = (0, 0, 1, 2), (0, 0, 2, 1)


def test_what_a_thread_saw_and_forgot_is_not_part_of_the_state(source: Source) -> None:
    executor = source(LOOKS)
    assert identity(executor, *LOOKED_FIRST) == identity(executor, *LOOKED_LAST)


@pytest.mark.parametrize("effect", EFFECTS)
def test_what_a_thread_did_with_what_it_saw_is_part_of_the_state(effect: str, source: Source) -> None:
    executor = source(LOOKS, str(list(EFFECTS).index(effect)))
    assert identity(executor, *LOOKED_FIRST) != identity(executor, *LOOKED_LAST)


def test_a_page_that_nobody_may_touch_is_not_looked_into(source: Source) -> None:
    """MADV_GUARD_INSTALL; kernels before 6.13 refuse it, and the page is an ordinary one."""
    guards = "static void *one(void *u) { char *page = mmap(0, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); madvise(page, 4096, 102);"
    executor = source(guards + "sched_yield(); return u; } static void *two(void *u) { return u; }")
    assert identity(executor, 0, 0) == identity(executor, 0, 0)


def test_a_register_that_a_thread_goes_on_with_is_part_of_the_state(source: Source) -> None:
    keeps = """
    register long kept asm("r13") = mark;
    asm volatile("" : "+r"(kept));
    sched_yield();
    asm volatile("" : : "r"(kept));
"""
    executor = source(LOOKS.replace("    sched_yield();\n    return u;\n", keeps + "    return u;\n"))
    assert identity(executor, *LOOKED_FIRST) != identity(executor, *LOOKED_LAST)


# ---- what is dead ----

ENDS = LOOKS.replace("    effect(mark);\n    sched_yield();\n", "    effect(mark);\n")


@pytest.mark.parametrize("effect", ["errno", "mask", "name", "random", "rounding"])
def test_of_a_thread_that_has_ended_nothing_is_part_of_the_state_but_what_it_left(effect: str, source: Source) -> None:
    executor = source(ENDS, str(list(EFFECTS).index(effect)))
    assert identity(executor, *LOOKED_FIRST, 2) == identity(executor, *LOOKED_LAST, 2)


@pytest.mark.parametrize("effect", ["static", "heap", "stack", "disposition", "file"])
def test_what_a_thread_left_behind_stays_part_of_the_state(effect: str, source: Source) -> None:
    executor = source(ENDS, str(list(EFFECTS).index(effect)))
    assert identity(executor, *LOOKED_FIRST, 2) != identity(executor, *LOOKED_LAST, 2)


def test_its_return_value_is_what_a_join_tells(source: Source) -> None:
    executor = source(ENDS.replace("    effect(mark);\n    return u;", "    return u ? u : (void *)(intptr_t)mark;"))
    assert identity(executor, *LOOKED_FIRST, 2) != identity(executor, *LOOKED_LAST, 2)


def test_its_thread_local_memory_and_its_stack_are_dead(source: Source) -> None:
    leaves = "static __thread volatile int own[1000]; volatile int mine[1000];"
    leaves += "own[mark] = mine[mark * 10] = 1 + mark; (void)mine[0]; (void)own[0];"
    executor = source(ENDS.replace("    effect(mark);\n", leaves))
    assert identity(executor, *LOOKED_FIRST, 2) == identity(executor, *LOOKED_LAST, 2)


def test_where_a_try_was_last_in_vain_is_part_of_the_state(tmp_path: Path) -> None:
    """It decides whether the next one is a yield."""
    path = tmp_path / "tries.c"
    tries = "static _Atomic int n; if (seen) { int e = 5; __atomic_compare_exchange_n((int *)&n, &e, 7, 0, 5, 5); }"
    path.write_text(HEAD + LOOKS.replace("switch (chosen)", f"{tries} switch (chosen)"))
    with NativeExecutor([str(compiled(path, UNUSED, instrumented=True))], TargetOptions(races="off")) as executor:
        assert identity(executor, *LOOKED_FIRST) != identity(executor, *LOOKED_LAST, 1)


NAPS = "static __attribute__((noinline)) void nap(int times) { while (times--) usleep(1000); }\n"
SLEEPS = NAPS + LOOKS.replace("    effect(mark);\n", "    nap(1 + mark);\n")
SLEPT_ONCE, SLEPT_TWICE = (0, 0, 1, 1, 2), (0, 0, 2, 1, 1, 1)


def test_clocks_are_part_of_a_lassos_states_only_where_somebody_has_read_one(source: Source) -> None:
    executor = source(SLEEPS)
    assert identity(executor, *SLEPT_ONCE, lasso=True) == identity(executor, *SLEPT_TWICE, lasso=True)
    assert identity(executor, *SLEPT_ONCE) != identity(executor, *SLEPT_TWICE)


@pytest.mark.parametrize("reads", ["clock_gettime(CLOCK_MONOTONIC, &(struct timespec){0});", "time(0);"])
def test_a_clock_that_was_read_in_any_execution_makes_them_count(reads: str, source: Source) -> None:
    executor = source(SLEEPS.replace("mark = 1;", f"mark = 1; {reads}"))
    identity(executor, *SLEPT_ONCE, 2, lasso=True)
    assert identity(executor, *SLEPT_ONCE, lasso=True) != identity(executor, *SLEPT_TWICE, lasso=True)


def test_a_lasso_has_states_while_races_are_looked_for(tmp_path: Path) -> None:
    """What was ordered before decides which accesses race, not how the program goes on."""
    path = tmp_path / "counts.c"
    adds = "static void *{}(void *u) {{ n++; return u; }}"
    path.write_text(HEAD + "static _Atomic int n;" + adds.format("one") + adds.format("two"))
    with NativeExecutor([str(compiled(path, UNUSED, instrumented=True))]) as executor:
        assert identity(executor, 0, 0, 1, 2, lasso=True) == identity(executor, 0, 0, 2, 1, lasso=True)


# ---- another past, the same state ----


def test_the_order_of_two_critical_sections_that_commute_is_forgotten(source: Source) -> None:
    adds = "pthread_mutex_lock(&m); sum += 1; pthread_mutex_unlock(&m); return u;"
    executor = source(f"static int sum; static void *one(void *u) {{ {adds} }} static void *two(void *u) {{ {adds} }}")
    assert identity(executor, 0, 0, 1, 1, 2, 2) == identity(executor, 0, 0, 2, 2, 1, 1)


def test_the_order_in_which_objects_were_met_is_forgotten(source: Source) -> None:
    locks = "static void *{}(void *u) {{ sched_yield(); pthread_mutex_lock({}); return u; }}"
    executor = source("static pthread_mutex_t n;" + locks.format("one", "&m") + locks.format("two", "&n"))
    assert identity(executor, 0, 0, 1, 2) == identity(executor, 0, 0, 2, 1)


ROUNDS = """
static char page[2 * 4096];
static void *one(void *u)
{
    for (;;) {
        sched_yield();
        memset(page, 1, sizeof page);
        asm volatile("" : : "r"(page) : "memory");
        memset(page, 0, sizeof page);
    }
    return u;
}
static void *two(void *u) { return u; }
"""


def test_a_page_that_was_written_back_counts_as_unwritten(source: Source) -> None:
    executor = source(ROUNDS)
    never_written = identity(executor, 0, 0)
    assert identity(executor, 0, 0, 1) == never_written
    assert identity(executor, 0, 0, 1, 1, 1) == never_written


def test_a_thread_that_goes_round_for_ever_where_nobody_else_can_move_is_a_livelock(source: Source) -> None:
    strategy = make_strategy("cartesian", None, SearchOptions(max_steps=200))
    result = Explorer(source(ROUNDS), strategy, Budget(max_executions=100)).run()
    assert result.stop is SearchStop.FINDINGS and result.counts.cut == 0  # the run was for main, which only joins
    (failure,) = result.failures
    assert failure.livelock is not None and failure.livelock.nature is Nature.WAITS
    assert failure.schedule.round == (1,)


# ---- cartesian search ----


@pytest.mark.parametrize(
    "name", ["correct/mutex/counter.c", "correct/condition/ping_pong.c", "correct/semaphore/two_permits.c", "buggy/deadlock/bank.c"]
)
def test_fewer_states_are_told_apart_by_memory_than_by_happens_before(name: str, program: Program) -> None:
    with NativeExecutor([str(program(name))]) as executor:
        by_graph, bugs = search(executor, "cartesian:happens-before")
        by_memory, same_bugs = search(executor, "cartesian")
    assert by_memory.walk.states < by_graph.walk.states and bugs == same_bugs


@pytest.mark.parametrize("seed", (16, 18, 19, 20))
def test_a_random_program_has_the_same_bugs_by_either_identity_and_without_reduction(seed: int, tmp_path: Path) -> None:
    with NativeExecutor([build(seed, tmp_path)[1]], TargetOptions(timeouts="explore")) as executor:
        found = [search(executor, name)[1] for name in ("cartesian", "cartesian:happens-before", "dfs")]
    assert found[0] == found[1] == found[2]


def test_a_loop_that_waits_by_looking_again_ends_where_states_are_known_by_memory(program: Program) -> None:
    with NativeExecutor([str(program("correct/spin/bare_trylock.c"))]) as executor:
        assert search(executor, "cartesian")[1] == set()


@pytest.mark.parametrize(
    ("name", "flags", "reason"),
    [
        ("correct/process/child_over_pipe.c", (), "the program calls clone (system call 56), an effect outside memory"),
        ("correct/mutex/counter.c", ("--carrier", "threads"), "reset neither by rollback nor by a fork of fibers"),
    ],
)
def test_the_verdict_says_why_states_are_not_known_by_memory(
    name: str, flags: tuple[str, ...], reason: str, program: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--search", "cartesian", "--state", "none", *flags, str(program(name))]) == 0
    assert reason in " ".join(capsys.readouterr().out.split())


def test_a_program_that_is_checked_for_races_is_known_by_happens_before(tmp_path: Path) -> None:
    """Two states of one memory may differ in what is ordered before what, and so in the races to come."""
    path = tmp_path / "counts.c"
    adds = "static void *{}(void *u) {{ n++; return u; }}"
    path.write_text(HEAD + "static _Atomic int n;" + adds.format("one") + adds.format("two"))
    command = [str(compiled(path, UNUSED, instrumented=True))]
    for races, known in (("report", False), ("off", True)):
        with NativeExecutor(command, TargetOptions(races=races)) as executor:
            strategy, _ = search(executor, "cartesian")
        assert ("races" in strategy.walk.unidentified) is not known


def test_another_way_to_know_states_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--search", "cartesian:colour", "/bin/true"]) == 2
    assert "states are known by memory or by happens-before, not by 'colour'" in capsys.readouterr().err
