"""The fair bound keeps threads waiting that go round in circles, and nobody else."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

import bpor
from bpor.search.options import SearchOptions
from bpor.target.options import TargetOptions
from tests.native.compiled import compiled
from tests.native.engines import Recording, difference, run_on
from tests.native.random_c import Sentence, c_source
from tests.native.tool import run_tool

pytestmark = pytest.mark.needs("gcc")

GTEST = """
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
static std::mutex mutex;
static int balance = 20;
static int get() { std::lock_guard<std::mutex> lock(mutex); return balance; }
static void set(int value) { std::lock_guard<std::mutex> lock(mutex); balance = value; }
static void withdraw() { int value = get(); if (value >= 10) set(value - 10); }
TEST(Account, IsOpen) { EXPECT_EQ(get(), 20); }
TEST(Account, TwoWithdraw) { std::thread other(withdraw); withdraw(); other.join(); EXPECT_EQ(balance, 0); }
"""


def test_the_command_of_the_front_page_finds_a_bug_with_one_preemption_in_a_googletest_program(tmp_path: Path) -> None:
    (tmp_path / "account.cpp").write_text(GTEST)
    build = ["g++", "-g", "-o", "account", "account.cpp", "-lgtest", "-lgtest_main", "-pthread"]
    built = subprocess.run(build, cwd=tmp_path, capture_output=True)
    if b"gtest/gtest.h" in built.stderr:
        pytest.skip("needs libgtest-dev")
    assert built.returncode == 0, built.stderr
    run = run_tool(tmp_path / "account", options=["--state=none", "--bound", "fair:2,preemption:2"])
    assert run.exit_code == 1, run
    assert run.report["findings"][0]["preemptions"] == 1


_PAUSES = ("sched_yield();", "usleep(1);", "stamp();", "stamp();", "(void)pthread_mutex_trylock(&held);", "quick();")
_HELPERS = """
#include <stdio.h>
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static void stamp(void) { struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now); fprintf(stderr, "%ld", now.tv_nsec); }
static void quick(void) { struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now); }
"""


def straight_line(seed: int) -> str:
    """A random C program without any loop, with calls between its operations that would be yields in a loop."""
    source = random.Random(seed)
    text = c_source(Sentence(seed).threads())
    before, main = text.split("int main(void) {")
    before = before.replace("static void *t0", _HELPERS + "static void *t0", 1)

    def padded(code: str) -> str:
        *parts, last = code.split("; ")
        return "".join(f"{part}; {''.join(source.choices(_PAUSES, k=source.randint(0, 2)))} " for part in parts) + last

    bodies = [padded(line) if line.startswith("static void *t") else line for line in before.split("\n")]
    start = "pthread_mutex_lock(&held); " + "".join(source.choices(_PAUSES, k=6))
    return "\n".join(bodies) + "int main(void) { " + start + main


@pytest.mark.parametrize("seed", range(4))
def test_in_straight_line_code_nobody_is_ever_kept_waiting(seed: int, tmp_path: Path) -> None:
    source = tmp_path / f"straight{seed}.c"
    source.write_text(straight_line(seed))
    program = str(compiled(source, ["-Wno-unused-variable", "-Wno-unused-function", "-Wno-unused-result"]))
    found = [bpor.check([program], bound=bound, keep_going=True, state="none").search for bound in ("preemption:1", "fair:0,preemption:1")]
    assert found[0] is not None and found[1] is not None
    assert found[0].counts.distinct_traces == found[1].counts.distinct_traces


@pytest.mark.parametrize("seed", (1001, 1007))
def test_in_straight_line_code_the_default_search_loses_no_schedule(seed: int, tmp_path: Path) -> None:
    source = tmp_path / f"straight{seed}.c"
    source.write_text(straight_line(seed))
    program = str(compiled(source, ["-Wno-unused-variable", "-Wno-unused-function", "-Wno-unused-result"]))
    with Recording([program], TargetOptions(watchdog=20)) as executor:
        every = run_on(executor, "native", "none", 5_000, SearchOptions(), "dfs")
        usual = run_on(executor, "native", None, 5_000, SearchOptions())
    assert every.result.exhausted and any(level.whole for level in usual.levels)
    assert every.result.counts.distinct_traces == usual.result.counts.distinct_traces


_BESIDE_TIMED_WAITS = (
    ("fair:1", "v", "yyp", "yy"),
    ("fair:1", "lyA", "adA", "ys"),
    ("fair:0", "vp", "m", "y"),
    ("fair:1,preemption:1", "adA", "lA", "mp", "p"),
    ("fair:0,preemption:1", "lAaA", "vv", "lydA"),
)


@pytest.mark.parametrize("bound_and_threads", _BESIDE_TIMED_WAITS, ids=" ".join)
def test_timed_waits_beside_loops_that_yield_reach_what_plain_search_reaches(bound_and_threads: tuple[str, ...]) -> None:
    bound, *threads = bound_and_threads
    program = str(compiled(Path(__file__).parent / "script.c"))
    options = SearchOptions(max_steps=80)
    with Recording([program, *threads], TargetOptions(watchdog=20)) as executor:
        every, native, python = (
            run_on(executor, engine, bound, 5_000, options, search)
            for engine, search in (("native", "dfs"), ("native", None), ("python", None))
        )
    assert not difference(python, native)
    assert every.result.exhausted and native.result.exhausted
    assert every.result.counts.distinct_traces == native.result.counts.distinct_traces


COUNTS_DOWN = """
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static atomic_int coming = 2;
static void *come(void *unused) {
    struct timespec end;
    coming--;
    clock_gettime(CLOCK_REALTIME, &end), end.tv_sec += 5;
    assert(pthread_mutex_timedlock(&held, &end) == 0);
    pthread_mutex_unlock(&held);
    return unused; }
int main(void) {
    pthread_t thread[2];
    pthread_mutex_lock(&held);
    for (int i = 0; i < 2; i++) pthread_create(&thread[i], 0, come, 0);
    while (coming > 0) sched_yield();
    pthread_mutex_unlock(&held);
    for (int i = 0; i < 2; i++) pthread_join(thread[i], 0);
    return 0; }
"""


def test_a_schedule_that_is_made_smaller_lets_no_time_be_up_beside_more_threads_that_can_go_on(tmp_path: Path) -> None:
    """The fair bound kept main waiting when the time was up; it was shown to be up beside a thread that nothing kept."""
    source = tmp_path / "counts_down.c"
    source.write_text(COUNTS_DOWN)
    run = run_tool(compiled(source, []), options=["--state=none", "--bound", "fair:2"])
    assert {step["thread"] for step in run.report["findings"][0]["steps"]} == {0, 1, 2}, run
