"""Best-first search beside the program runs the executions of the one in Python, in the same order; every priority has an effect."""

from __future__ import annotations

import errno
import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from bpor.api import check
from bpor.cli import main
from bpor.errors import Damaged
from bpor.lazy_dataclass import replace
from bpor.model.exploration import Shelved
from bpor.model.plan import Plan
from bpor.report.program_names import ProgramNames
from bpor.report.verdict import VerdictKind
from bpor.search.bounds import parse_bound
from bpor.search.budget import Budget
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native.compiled import compiled
from tests.native.engines import Recorder, Recording, random_scripts
from tests.native.test_engine_damage import SCRIBBLE, offset

SCRIPT = Path(__file__).with_name("script.c")
Program = Callable[..., Path]


def schedules(engine: str, argv: list[str], search: str, bound: str, most: int = 60) -> list[int]:
    """Hashes of the schedules that were executed, in their order."""
    recorder, options = Recorder(), TargetOptions(watchdog=5, stacks="method:" in search)
    with Recording(argv, options) if engine == "native" else NativeExecutor(argv, options) as executor:
        names = ProgramNames()
        names.attach(lambda: executor.describe(Plan(stop_after_prefix=True))[1])
        strategy = make_strategy(search, parse_bound(bound), SearchOptions(engine=engine, max_steps=500, naming=names))
        Explorer(executor, strategy, Budget(max_executions=most, max_findings=None), [recorder]).run()
    return [execution.schedule for execution in recorder.seen]


@pytest.mark.parametrize("seed", range(4))
def test_both_engines_run_the_same_executions_of_random_programs(seed: int) -> None:
    source = random.Random(seed)
    argv = [str(compiled(SCRIPT)), *random_scripts(source)]
    search, bound = source.choice(("best-first:random", "best-first:dpor,pb")), source.choice(("none", "preemption:1", "fair:1"))
    assert schedules("native", argv, search, bound) == schedules("python", argv, search, bound)


CALLS = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static __attribute__((noinline)) void take(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); __asm__ volatile(""); }
static __attribute__((noinline)) void give(pthread_mutex_t *mutex) { pthread_mutex_unlock(mutex); __asm__ volatile(""); }
static __attribute__((noinline)) void push(void) { take(&m); shared++; give(&m); }
static __attribute__((noinline)) void look(void) { take(&m); give(&m); take(&n); give(&n); }
static void *one(void *unused) { look(); look(); push(); return unused; }
static void *two(void *unused) { push(); look(); look(); return unused; }
int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, two, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
"""


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> str:
    source = tmp_path_factory.mktemp("calls") / "calls.c"
    source.write_text(CALLS)
    return str(compiled(source))


@pytest.mark.parametrize("name", ["best-first", "best-first-all"])
@pytest.mark.parametrize("priority", ["pb", "sleep", "method:push", "var:n"])
def test_every_priority_changes_the_order_and_nothing_else(calls: str, name: str, priority: str) -> None:
    """`push` is never the innermost function of an operation: any frame of the stack counts."""
    plain, ordered = (schedules("native", [calls], f"{name}:{words}", "preemption:2", 400) for words in ("random", f"{priority},random"))
    assert plain != ordered
    assert ordered[:40] == schedules("python", [calls], f"{name}:{priority},random", "preemption:2", 40)
    if name == "best-first-all":
        assert sorted(plain) == sorted(ordered)  # the reduced space may have other members in another order


@pytest.mark.parametrize("name", ["best-first", "best-first-all"])
def test_what_a_race_asks_for_comes_first(program: Program, name: str) -> None:
    """Before what is tried for the sake of the bound alone, or, without reduction, for no reason."""
    argv = [str(program("buggy/deadlock/philosophers.c", "-DN=3"))]
    plain, ordered = (schedules("native", argv, f"{name}:{words}", "preemption:1", 400) for words in ("random", "dpor,random"))
    assert plain != ordered == schedules("python", argv, f"{name}:dpor,random", "preemption:1", 400)


def test_known_steps_are_not_executed_again(program: Program, tmp_path: Path) -> None:
    found = {}
    for option in ("--no-known-steps", "--engine=auto"):
        path = tmp_path / "result.json"
        words = ["--search", "best-first:pb", "--bound", "preemption:1", "--keep-going", "--state", "none", "--json", str(path), option]
        main([*words, str(program("buggy/deadlock/philosophers.c", "-DN=5"))])
        found[option] = json.loads(path.read_text())
    without, known = found["--no-known-steps"], found["--engine=auto"]
    assert known["distinct_traces"] == without["distinct_traces"] and known["walked"] > 0
    assert known["executions"] <= 1.3 * known["distinct_traces"] < without["executions"]


def test_states_beyond_the_room_in_memory_lie_on_disk_and_come_back_in_order(program: Program) -> None:
    argv = [str(program("buggy/deadlock/philosophers.c", "-DN=5"))]
    plain, known = (_limited(argv, limit)[0] for limit in (0, 64))
    assert plain == known
    shelved = _limited(argv, 64)[1]
    assert shelved.written > 100 and shelved.states == 0 and 3 * shelved.bytes < shelved.plain_bytes


def _limited(argv: list[str], limit: int) -> tuple[list[int], Shelved]:
    recorder = Recorder()
    with Recording(argv, TargetOptions(watchdog=5)) as executor:
        options = SearchOptions(engine="native", max_steps=500, open_limit=limit)
        strategy = make_strategy("best-first:pb,random", parse_bound("preemption:2"), options)
        Explorer(executor, strategy, Budget(max_findings=None), [recorder]).run()
    return [execution.schedule for execution in recorder.seen], strategy.tree.shelved


def test_a_disk_that_is_full_ends_the_search_without_a_verdict(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*unused: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("bpor.target.shelf.os.pwrite", full)
    monkeypatch.setattr("bpor.searching.within", lambda options, memory: replace(options, open_limit=16))
    result = check([str(program("correct/mutex/counter.c", "-DTHREADS=3"))], search="best-first:random", bound="preemption:2")
    assert result.verdict.kind is VerdictKind.INCONCLUSIVE
    assert "the disk had no room" in result.verdict.reason


@pytest.mark.parametrize("where", [offset("tree", 0, "schedule"), offset("stack"), offset("answer", "tree")])
def test_a_program_that_writes_over_the_search_is_never_believed(where: str) -> None:
    with pytest.raises(Damaged):
        check([str(compiled(SCRIBBLE)), where, "8"], search="best-first:random", bound="none")
