"""Cartesian search beside the program: the verdicts of the one in Python, by as many executions."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bpor.api import check
from bpor.errors import Damaged
from bpor.report.verdict import Verdict
from bpor.search.cartesian import beside
from bpor.search.result import SearchResult
from tests.native.compiled import PROGRAMS, compiled
from tests.native.engines import random_scripts
from tests.native.test_engine_damage import SCRIBBLE, offset


def run(path: str, search: str, engine: str) -> tuple[Verdict, SearchResult]:
    options = {"races": "off"} if search == "cartesian" else {}
    result = check(
        [str(compiled(PROGRAMS / path))],
        search=search, engine=engine, keep_going=True, max_steps=400, max_executions=400, machine_code="off", state="none", **options,
    )  # fmt: skip
    assert result.search is not None and bool(result.in_python) == (engine == "python")
    return result.verdict, result.search


@pytest.mark.parametrize("search", ["cartesian", "cartesian:happens-before"])
@pytest.mark.parametrize(
    "path",
    ["correct/mutex/counter.c", "buggy/deadlock/philosophers.c", "correct/semaphore/two_permits.c", "correct/thread/nested_create.c"],
)
def test_both_engines_run_as_many_executions(path: str, search: str) -> None:
    python, native = (run(path, search, engine) for engine in ("python", "native"))
    assert native[1].executions == python[1].executions
    assert native[1].exhausted == python[1].exhausted
    assert native[0].kind == python[0].kind
    assert bool(native[1].failures) == bool(python[1].failures)
    assert native[1].levels[-1].covers == python[1].levels[-1].covers


@pytest.mark.parametrize("workers", [2, 3])
@pytest.mark.parametrize(
    ("path", "flags", "search"),
    [
        (PROGRAMS / "buggy/deadlock/philosophers.c", [], "cartesian:happens-before"),
        (Path(__file__).with_name("rounds.c"), ["-DROUNDS=2"], "cartesian"),
        # More threads than there was room for at first: processes are started anew while they have states for others.
        (Path(__file__).with_name("rounds.c"), ["-DROUNDS=5"], "cartesian"),
    ],
)
def test_several_processes_reach_what_one_reaches(
    monkeypatch: pytest.MonkeyPatch, path: Path, flags: list[str], search: str, workers: int
) -> None:
    """States have one owner each, and go back and forth until it is known who that is; none is lost, and hardly one looked at twice."""
    monkeypatch.setattr(beside, "SHARED_AFTER", 0)
    one, several = (shared([str(compiled(path, flags))], search, count) for count in (1, workers))
    assert several[:2] == one[:2]
    assert several[2] <= 1.1 * one[2] + workers


@pytest.mark.parametrize("seed", (1, 2, 7, 9, 13))  # those without loops that take thousands of executions
def test_several_processes_reach_what_one_reaches_of_random_programs(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """By memory the causal pasts of local states are not all reached, whatever the number of processes: there deadlocks are compared."""
    monkeypatch.setattr(beside, "SHARED_AFTER", 0)
    argv = [str(compiled(Path(__file__).with_name("script.c"))), *random_scripts(random.Random(seed))]
    assert shared(argv, "cartesian:happens-before", 3)[:2] == shared(argv, "cartesian:happens-before", 1)[:2]
    assert shared(argv, "cartesian", 3)[0] == shared(argv, "cartesian", 1)[0]


def shared(argv: list[str], search: str, workers: int) -> tuple[set[str], int, int]:
    """What was found, and how many local states in how many executions."""
    result = check(argv, search=search, workers=workers, races="off", machine_code="off", keep_going=True, state="none", max_steps=150)
    assert result.search is not None and result.search.exhausted and not result.in_python
    return {finding.kind.value for finding in result.findings}, result.search.counts.local_states, result.search.executions


def test_what_the_search_leaves_in_wide_registers_is_no_part_of_a_state() -> None:
    """Machine code has all registers in its state: with halves of vectors that libc's functions had left, this took 1,665 executions."""
    argv = [str(compiled(PROGRAMS / "correct/semaphore/two_permits.c"))]
    python, native = (check(argv, search="cartesian", races="off", engine=engine).search for engine in ("python", "native"))
    assert python is not None and native is not None
    assert native.exhausted and native.executions == python.executions


def test_a_loop_that_comes_back_to_its_state_ends_there() -> None:
    _, found = run("correct/spin/trylock_back_off.c", "cartesian", "native")
    assert found.exhausted and found.counts.cut == 0


@pytest.mark.parametrize("where", [offset("tree", 0, "schedule"), offset("stack"), offset("answer", "tree")])
def test_a_program_that_writes_over_the_search_is_never_believed(where: str) -> None:
    with pytest.raises(Damaged):
        check([str(compiled(SCRIBBLE)), where, "8"], search="cartesian", bound="none")
