"""A search beside the program in parts: by several processes at once, and by one process after another."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bpor.api import check
from bpor.search.bounds import parse_bound
from bpor.search.budget import Budget, SearchStop
from bpor.search.engine import beside_tree
from bpor.search.engine.trunk import Trunk
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.result import SearchResult
from bpor.search.resume import freeze, load_search, save_search, thaw
from bpor.target.crew import crew_here
from bpor.target.executor import NativeExecutor
from bpor.target.exploring import ExploringExecutor
from tests.native.compiled import PROGRAMS, compiled
from tests.native.engines import difference, disagreement, run
from tests.native.tool import command, environment
from tests.patience import PATIENCE, eventually

COUNTER = PROGRAMS / "correct" / "mutex" / "counter.c"
SCRIPT = Path(__file__).with_name("script.c")
SPINNERS = ["ypwA", "wyp", "ayAw"]


def counter(threads: int = 3) -> list[str]:
    return [str(compiled(COUNTER, [f"-DTHREADS={threads}"]))]


def part(argv: list[str], bound: str | None, options: SearchOptions, most: int | None, saved: Any = None) -> tuple[SearchResult, Any]:
    """One process of a search: it goes on with what was saved, and saves again."""
    strategy = make_strategy(None, None if bound is None else parse_bound(bound), options)
    if options.engine == "python":
        opened: Any = NativeExecutor(argv)
    else:
        opened = ExploringExecutor(argv) if options.workers == 1 else crew_here(argv, None, None, options.workers)
    with opened as executor:
        explorer = Explorer(executor, strategy, Budget(max_executions=most, max_findings=None))
        if saved is not None:
            load_search(explorer, thaw(*saved), executor)
        result = explorer.run()
        return result, freeze(save_search(explorer) or {})


def facts(result: SearchResult) -> Any:
    return result.executions, result.counts, [(level.bound, level.counts, level.finished, level.refused) for level in result.levels]


PYTHON, NATIVE = SearchOptions(), SearchOptions(engine="native")
CREW = SearchOptions(engine="native", workers=2)
LEADING = replace(NATIVE, known_steps=True)  # first finds out whether a preemption bound matters at all


@pytest.mark.parametrize("bound", ["none", "preemption:1..2", None, "fair:2,preemption:2", "context:4", "delta:3", "local-context:3"])
@pytest.mark.parametrize(("first", "second"), [(NATIVE, NATIVE), (NATIVE, PYTHON), (PYTHON, NATIVE)], ids=["beside", "out", "in"])
def test_a_search_goes_on_wherever_it_was_saved_and_ends_as_one(bound: str | None, first: SearchOptions, second: SearchOptions) -> None:
    whole, _ = part(counter(), bound, PYTHON, None)
    _, saved = part(counter(), bound, first, 17)
    _, saved = part(counter(), bound, first, 50, saved)
    assert facts(part(counter(), bound, second, None, saved)[0]) == facts(whole)


def test_the_first_execution_of_a_part_may_fail() -> None:
    argv = [str(compiled(SCRIPT)), "abBA", "baAB"]
    whole, _ = part(argv, "none", PYTHON, None)
    assert whole.failing
    for most in range(1, whole.executions):
        _, saved = part(argv, "none", NATIVE, most)
        last, _ = part(argv, "none", NATIVE, None, saved)
        assert [failure.schedule for failure in last.failures] == [failure.schedule for failure in whole.failures], most


@pytest.mark.parametrize("second", [NATIVE, PYTHON, CREW], ids=["one", "python", "crew"])
@pytest.mark.parametrize("bound", ["none", "preemption:2"])
def test_a_search_that_several_had_parts_of_goes_on_with_all_of_them(bound: str, second: SearchOptions) -> None:
    whole, _ = part(counter(4), bound, NATIVE, None)
    saved = None
    for most in (150, 350, 600):
        _, saved = part(counter(4), bound, CREW, most, saved)
    limbs = json.loads(saved[0])["strategy"]["tree"].get("limbs", []) if saved else []
    last, _ = part(counter(4), bound, second, None, saved)
    assert len(limbs) > 1  # it was in parts
    assert last.exhausted and last.counts.distinct_traces == whole.counts.distinct_traces
    assert [level.finished for level in last.levels] == [level.finished for level in whole.levels]


@pytest.mark.parametrize("bound", ["none", "preemption:2", "fair:0,preemption:1", None, "context:4", "delta:3"])
def test_a_crew_reaches_the_traces_of_one(bound: str | None) -> None:
    python = run("python", counter(), bound, 10_000)
    for workers in (2, 3):
        crew = run("native", counter(), bound, 10_000, SearchOptions(max_steps=500, workers=workers))
        assert disagreement(python, crew) == "" or bound is None
        assert crew.result.exhausted and crew.result.counts.distinct_traces == python.result.counts.distinct_traces


@pytest.mark.parametrize(("bound", "matters"), [("preemption:20", False), ("fair:2,preemption:20", False), ("preemption:3", True)])
def test_a_crew_finds_out_whether_a_bound_matters_as_one_does(bound: str, matters: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for batch in ("BATCH_SECONDS", "_SHORT"):  # one execution, so that a machine of any speed gives parts away
        monkeypatch.setattr(beside_tree, batch, 0.0)
    rules = []
    split = Trunk.split

    def noted(self: Trunk, *arguments: Any) -> bool:
        rules.append(self.rule)
        return split(self, *arguments)

    monkeypatch.setattr(Trunk, "split", noted)
    one, _ = part(counter(4), bound, LEADING, None)
    crew, _ = part(counter(4), bound, replace(LEADING, workers=3), None)
    assert [level.whole for level in crew.levels] == [level.whole for level in one.levels] == [not matters]
    assert crew.exhausted and crew.counts.distinct_traces == one.counts.distinct_traces
    assert any((rule is beside_tree._LEADING) is not matters for rule in rules), "it was searched in parts"


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("most", [3, 40])
def test_a_search_that_finds_out_whether_a_bound_matters_goes_on_later(workers: int, most: int) -> None:
    options = replace(LEADING, workers=workers)
    _, saved = part(counter(), "preemption:20", options, most)
    last, _ = part(counter(), "preemption:20", options, None, saved)
    assert [level.whole for level in last.levels] == [True]
    assert (last.executions, last.counts.distinct_traces) == (90, 90), "nothing was executed again"
    elsewhere, _ = part(counter(), "preemption:20", PYTHON, None, saved)
    assert elsewhere.exhausted and elsewhere.counts.distinct_traces == 90, "who does not lead begins anew"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_search_that_found_that_a_bound_matters_goes_on_whenever_it_was_saved(workers: int) -> None:
    """The search within the bound begins when the one that leads has left it: then there is no stack, and not because nothing is left."""
    options = replace(LEADING, workers=workers)
    whole, _ = part(counter(), "preemption:1", options, None)
    assert not whole.levels[0].whole
    for most in range(1, 13):
        _, saved = part(counter(), "preemption:1", options, most)
        for second in (options, PYTHON):
            last, _ = part(counter(), "preemption:1", second, None, saved)
            assert (last.levels[0].whole, last.counts.distinct_traces) == (False, whole.counts.distinct_traces), most


def test_states_are_recognised_by_one_of_a_crew_as_by_one_alone() -> None:
    argv = [str(compiled(PROGRAMS / "correct" / "lockfree" / "peterson.c"))]
    one, crew = (check(argv, workers=workers) for workers in (1, 2))
    assert "the endless ones included" in str(one.verdict)
    assert str(crew.verdict) == str(one.verdict)


def test_a_crew_of_spinning_threads_agrees_within_every_bound() -> None:
    argv = [str(compiled(SCRIPT)), *SPINNERS]
    for bound in ("fair:2", "fair:2,preemption:2"):
        python = run("python", argv, bound, 20_000)
        assert disagreement(python, run("native", argv, bound, 20_000, SearchOptions(max_steps=500, workers=2))) == "", bound


def test_a_crew_finds_what_one_finds_and_goes_on() -> None:
    argv = [str(compiled(PROGRAMS / "buggy" / "deadlock" / "philosophers.c"))]
    one = check(argv, engine="native", bound="none", keep_going=True)
    crew = check(argv, engine="native", bound="none", keep_going=True, workers=2)
    assert [finding.summary for finding in crew.findings] == [finding.summary for finding in one.findings]
    assert crew.search is not None and crew.search.exhausted


def test_a_crew_keeps_to_the_budget_of_executions() -> None:
    for most in (1, 7, 100):
        result, _ = part(counter(4), "none", CREW, most)
        assert result.executions == most


def test_a_member_of_a_crew_that_is_killed_loses_nothing() -> None:
    strategy = make_strategy(None, parse_bound("none"), CREW)
    with crew_here(counter(4), None, None, 2) as crew:
        first = Explorer(crew, strategy, Budget(max_executions=300, max_findings=None))
        first.run()
        for member in crew._members:
            assert member._target is not None
            os.kill(member._target.process.pid, signal.SIGKILL)
        result = Explorer(crew, strategy, Budget(max_findings=None)).run()
    assert (result.counts.executions, result.counts.distinct_traces) == (2520, 2520)


def wait_for_checkpoint(state: Path) -> None:
    eventually(lambda: list(state.rglob("search.sqlite")), "a checkpoint")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_tells_what_was_done_and_the_search_can_go_on(workers: str, tmp_path: Path) -> None:
    state, report = tmp_path / "state", tmp_path / "report.json"
    words = [*command(), "--engine=native", "-j", workers, "--bound", "none", "--state", str(state), "--json", str(report)]
    program = counter(6)
    running = subprocess.Popen([*words, *program], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_checkpoint(state)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=PATIENCE)
    first = json.loads(report.read_text())
    assert (running.returncode, first["verdict"]) == (3, "inconclusive") and first["executions"] > 0
    more = first["executions"] + 100
    resumed = [*words, "--resume", "--max-executions", str(more), *program]
    again = subprocess.run(resumed, env=environment(), capture_output=True, text=True, timeout=PATIENCE)
    second = json.loads(report.read_text())
    assert (again.returncode, second["executions"]) == (3, more) and "begins anew" not in again.stderr
    assert second["distinct_traces"] == more  # nothing was run twice


def test_an_interrupt_while_work_is_given_out_waits_for_those_that_have_some(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = make_strategy(None, parse_bound("none"), CREW)
    with crew_here(counter(4), None, None, 2) as crew:
        submit, given = crew._threads.submit, itertools.count(1)

        def interrupted(*work: Any) -> Any:
            future = submit(*work)
            if next(given) == 3:
                signal.raise_signal(signal.SIGINT)
            return future

        monkeypatch.setattr(crew._threads, "submit", interrupted)
        first = Explorer(crew, strategy, Budget(max_findings=None))
        assert first.run().stop is SearchStop.INTERRUPTED
        rest = Explorer(crew, strategy, Budget(max_findings=None)).run()
        assert rest.exhausted and rest.counts.distinct_traces == 2520  # four threads, two turns each


def test_one_worker_is_the_search_as_it_was() -> None:
    options = SearchOptions(max_steps=500, workers=1)
    assert difference(run("python", counter(), None, 10_000), run("native", counter(), None, 10_000, replace(options))) == ""
