"""Races: told with both places, only where nothing orders the accesses, in whatever form the accesses come."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from bpor.model.schedule import Schedule
from tests.native.compiled import PROGRAMS, compiled
from tests.native.tool import Run, replay_inside, run_inside, run_replay, run_tool

pytestmark = pytest.mark.needs("gcc")

FRAME = """
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int data; static char text[16]; static struct { atomic_int a; int b; } pair;
static volatile int once; static atomic_int flag; static _Atomic(int *) shared; static sem_t sem; static int ends[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
#define SET(order) atomic_store_explicit(&flag, 1, memory_order_##order)
#define SEEN(order) atomic_load_explicit(&flag, memory_order_##order)
static void *first(void *unused) { (void)&data, (void)&text, (void)&shared, (void)&m, (void)&rw, (void)&c; %s; return unused; }
static void *second(void *unused) { %s; return unused; }
int main(void)
{
    pthread_t thread[2];
    sem_init(&sem, 0, 0);
    if (pipe(ends)) return 2;
    data = 0;
    pthread_create(&thread[0], NULL, first, NULL);
    pthread_create(&thread[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return data == 77 || pair.b == 77 || once == 77;
}
"""


def check(directory: Path, first: str, second: str, *options: str, bound: str = "none") -> Run:
    source = directory / "race.c"
    source.write_text(FRAME % (first, second))
    return run_tool(compiled(source, ["-Wno-unused-variable"], instrumented=True), options=["--bound", bound, *options])


RACES = {
    "two writes": ("data = 1", "data = 2"),
    "a write and a read": ("data = 1", "if (data) flag = 1"),
    "relaxed does not order": ("data = 1; SET(relaxed)", "if (SEEN(acquire)) data = 2"),
    "a relaxed load does not order": ("data = 1; SET(release)", "if (SEEN(relaxed)) data = 2"),
    "a store ends a release sequence": (
        "data = 1; SET(release); atomic_store_explicit(&flag, 2, memory_order_relaxed)",
        "if (SEEN(acquire) == 2) data = 2",
    ),
    "an atomic and a plain access": ("atomic_store(&pair.a, 1)", "memset(&pair, 0, sizeof pair)"),
    "memcpy": ('strcpy(text, "long enough")', "if (strlen(text) > 3) flag = 1"),
    "a byte of a word": ("data = 1", "((char *)&data)[3] = 1"),
    "two read locks": (
        "pthread_rwlock_rdlock(&rw); data = 1; pthread_rwlock_unlock(&rw)",
        "pthread_rwlock_rdlock(&rw); data = 2; pthread_rwlock_unlock(&rw)",
    ),
    "a failed trylock": ("pthread_mutex_lock(&m); data = 1; pthread_mutex_unlock(&m)", "if (pthread_mutex_trylock(&m)) data = 2"),
    "two volatile writes": ("once = 1", "once = 2"),
    "a volatile write and a volatile read": ("once = 1", "if (once) flag = 1"),
    "an access and the allocation of its block": (
        "int *block = calloc(4, sizeof *block); atomic_store_explicit(&shared, block, memory_order_relaxed)",
        "int *block = atomic_load_explicit(&shared, memory_order_relaxed); if (block) block[1] = 1",
    ),
    "an access and the allocation of its large block": (
        "int *block = malloc(1 << 20); atomic_store_explicit(&shared, block, memory_order_relaxed)",
        "int *block = atomic_load_explicit(&shared, memory_order_relaxed); if (block) block[1000] = 1",
    ),
    "an access of a stack and the end of its thread": (
        "int local = 0; shared = &local; sem_wait(&sem)",
        "int *there = shared; sem_post(&sem); if (there) *there = 1",
    ),
    "volatile does not order": ("data = 1; once = 1", "if (once) data = 2"),
    "the reader of an earlier reader": ("if (data) flag = 1; SET(release)", "data = 2"),
}
ORDERED = {
    "release and acquire": ("data = 1; SET(release)", "if (SEEN(acquire)) data = 2"),
    "a release sequence": (
        "data = 1; SET(release); atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed)",
        "if (SEEN(acquire) == 2) data = 2",
    ),
    "fences": (
        "data = 1; atomic_thread_fence(memory_order_release); SET(relaxed)",
        "if (SEEN(relaxed)) { atomic_thread_fence(memory_order_acquire); data = 2; }",
    ),
    "a mutex": (
        "pthread_mutex_lock(&m); data++; pthread_mutex_unlock(&m)",
        "pthread_mutex_lock(&m); data++; pthread_mutex_unlock(&m)",
    ),
    "a read lock and a write lock": (
        "pthread_rwlock_rdlock(&rw); if (data) flag = 1; pthread_rwlock_unlock(&rw)",
        "pthread_rwlock_wrlock(&rw); data = 2; pthread_rwlock_unlock(&rw)",
    ),
    "a semaphore": ("data = 1; sem_post(&sem)", "sem_wait(&sem); data = 2"),
    "a pipe": ('data = 1; if (write(ends[1], "x", 1) != 1) abort()', "char x; if (read(ends[0], &x, 1) == 1) data = 2"),
    "a condition's mutex": (
        "pthread_mutex_lock(&m); data = 1; flag = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m)",
        "pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m); data = 2; pthread_mutex_unlock(&m)",
    ),
    "two halves of a word": ("((char *)&data)[0] = 1", "((char *)&data)[3] = 1"),
    "two reads": ("if (data) flag = 1", "if (data) flag = 1"),
    "neighbours of an atomic": ("atomic_store(&pair.a, 1)", "pair.b = 1"),
    "volatile under a lock": (
        "pthread_mutex_lock(&m); once = 1; pthread_mutex_unlock(&m)",
        "pthread_mutex_lock(&m); once = 2; pthread_mutex_unlock(&m)",
    ),
    "two volatile reads": ("if (once) flag = 1", "if (once) flag = 1"),
    "a block that is published": (
        "int *block = calloc(4, sizeof *block); atomic_store(&shared, block)",
        "int *block = atomic_load(&shared); if (block) block[1] = 1",
    ),
    "a large block that is published": (
        "int *block = malloc(1 << 20); atomic_store(&shared, block)",
        "int *block = atomic_load(&shared); if (block) block[1000] = 1",
    ),
    "a local variable of a thread that waits": (
        "int local = 0; shared = &local; sem_wait(&sem); if (local == 7) abort()",
        "int *there = shared; if (there) *there = 1; sem_post(&sem)",
    ),
}


@pytest.mark.parametrize("case", RACES)
def test_what_nothing_orders_is_a_race(case: str, tmp_path: Path) -> None:
    run = check(tmp_path, *RACES[case])
    assert run.exit_code == 1, run
    assert run.kinds == {"race"}


def test_volatile_accesses_are_operations_so_their_races_can_be_meant(tmp_path: Path) -> None:
    bodies = ("once = 1; once = 0", "if (once) abort()")
    assert check(tmp_path, *bodies).kinds == {"race"}
    assert check(tmp_path, *bodies, "--races=explore", bound="preemption:0").exit_code == 0
    assert check(tmp_path, *bodies, "--races=explore", bound="preemption:1").kinds == {"crash"}


@pytest.mark.parametrize("case", ORDERED)
def test_what_is_ordered_is_no_race(case: str, tmp_path: Path) -> None:
    run = check(tmp_path, *ORDERED[case])
    assert run.exit_code == 0, run
    assert run.report["coverage"] == "memory"


def test_a_race_names_the_variable_and_both_places(tmp_path: Path) -> None:
    run = check(tmp_path, "data = 1", "data = 2")
    [finding] = run.report["findings"]
    assert "`data`" in finding["message"]
    assert " in second, thread T2 (second), after T1 (first) at race.c:" in finding["message"]
    assert finding["other_thread"] == 1
    assert [site["function"] for site in (finding["stack"][0], finding["other_stack"][0])] == ["second", "first"]


def test_a_race_comes_with_a_schedule_of_either_order(tmp_path: Path) -> None:
    run = check(tmp_path, "data = 1", "data = 2")
    writers = []
    for line in run.report["findings"][0]["orders"]:
        assert run_replay(line).exit_code == 0
        writers.append([int(run[0]) for run in shlex.split(line)[2].split(",") if run[0] != "0"])
    assert writers == [[1, 2], [2, 1]]


def test_the_orders_of_a_race_do_not_spin() -> None:
    """While one thread is held, or inside the broken lock, the other waits in a loop."""
    run = run_inside(compiled(PROGRAMS / "buggy/race/peterson_turn_first.c", instrumented=True), (), ["--bound=fair:2,preemption:2"])
    orders = run.report["findings"][0]["orders"]
    assert len(orders) == 2
    assert all(len(Schedule.parse(shlex.split(line)[2])) < 50 for line in orders), orders
    assert [replay_inside(line).exit_code for line in orders] == [0, 0]


def test_without_the_check_a_race_is_not_looked_for_and_the_verdict_says_so(tmp_path: Path) -> None:
    run = check(tmp_path, "data = 1", "data = 2", "--races=off")
    assert run.exit_code == 0, run
    assert run.report["coverage"] == "atomics"
    assert "assumes no data races" in run.report["statement"]


def test_a_double_free_without_quarantine_is_the_crash_that_libc_makes_of_it(tmp_path: Path) -> None:
    twice = "void *block = malloc(64); free(block); free(block)"
    flags = ["-Wno-unused-variable", "-Wno-use-after-free", "-O0"]  # optimised, the pair would vanish
    source = tmp_path / "twice.c"
    source.write_text(FRAME % (twice, ""))
    executable = compiled(source, flags, instrumented=True)
    assert run_tool(executable, options=["--bound", "preemption:0"]).kinds == {"memory"}
    assert run_tool(executable, options=["--bound", "preemption:0", "--quarantine=off"]).kinds == {"crash"}


def test_explored_races_become_operations_and_the_search_goes_on(tmp_path: Path) -> None:
    """Between the two writes the value is 1, which only a preemption at a plain access can show."""
    bodies = ("data = 1; SET(relaxed); data = 0", "if (data && SEEN(relaxed) == 0) abort()")
    assert check(tmp_path, *bodies, "--races=explore", bound="preemption:0").exit_code == 0
    found = check(tmp_path, *bodies, "--races=explore", bound="preemption:1")
    assert (found.exit_code, found.kinds) == (1, {"crash"}), found
    assert "--visible=" in found.report["findings"][0]["replay"]


def test_an_explored_bug_replays_from_its_line(tmp_path: Path) -> None:
    run = check(tmp_path, "data = 1; SET(relaxed)", "if (data && SEEN(relaxed) == 0) abort()", "--races=explore", bound="preemption:1")
    again = run_replay(run.report["findings"][0]["replay"])
    assert again.kinds == {"crash"}, again


def test_races_with_parts_of_a_place_are_explored_one_by_one(tmp_path: Path) -> None:
    """The first byte of the word is made an operation, and then the second: it is that one which races, not the first once more."""
    bodies = ("data = 1", "char *part = (char *)&data; if (part[0] + part[1] > 9) abort()")
    run = check(tmp_path, *bodies, "--races=explore", bound="preemption:1")
    assert (run.exit_code, run.kinds) == (0, frozenset()), run


def test_a_plain_spin_loop_ends_when_its_race_is_explored(tmp_path: Path) -> None:
    source = tmp_path / "spin.c"
    source.write_text(FRAME % ("data = 1", "while (!*(volatile int *)&data) ;"))
    executable = compiled(source, ["-Wno-unused-variable"], instrumented=True)
    run = run_tool(executable, options=["--bound", "fair:2,preemption:1", "--races=explore"])
    assert run.exit_code == 0, run
    assert "yields inferred at" in run.report["statement"]


TWO_LOOPS = """
#include <pthread.h>
static int first, second;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *look(void *unused)
{
    while (!first) __asm__("" ::: "memory");
    while (!second) __asm__("" ::: "memory");
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    first = 1;
    pthread_mutex_lock(&lock);
    second = 1;
    return pthread_join(thread, 0);
}
"""


def test_a_plain_loop_that_waits_behind_another_is_seen_too(tmp_path: Path) -> None:
    """With races off nothing but the rounds of a loop tells that it waits."""
    (tmp_path / "loops.c").write_text(TWO_LOOPS)
    executable = compiled(tmp_path / "loops.c", [], instrumented=True)
    run = run_tool(executable, options=["--races=off", "--watchdog=2s"])
    assert run.exit_code == 0, run
