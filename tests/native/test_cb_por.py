"""CB-POR beside the program: one complete execution for each trace, as in Python, whatever the program; and few in vain."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from bpor.api import check
from bpor.errors import Damaged
from bpor.search.result import SearchResult
from tests.native.compiled import PROGRAMS, compiled
from tests.native.engines import random_scripts
from tests.native.test_engine_damage import SCRIBBLE, offset

SCRIPT = Path(__file__).with_name("script.c")
PHILOSOPHERS = PROGRAMS / "buggy" / "deadlock" / "philosophers.c"
ALL = os.environ.get("BPOR_ENGINE_PROGRAMS") == "all"


def run(engine: str, argv: list[str], bound: str) -> SearchResult:
    result = check(argv, search="cb-por", bound=bound, engine=engine, keep_going=True, max_executions=120, max_steps=200, state="none")
    assert result.search is not None and bool(result.in_python) == (engine == "python")
    return result.search


@pytest.mark.parametrize("seed", range(200 if ALL else 6))
def test_both_engines_execute_the_same_traces_once_each(seed: int) -> None:
    source, compared = random.Random(seed), False
    while not compared:
        argv, bound = (
            [str(compiled(SCRIPT)), *random_scripts(source)],
            source.choice(("none", "preemption:0", "preemption:1", "preemption:1..2")),
        )
        native = run("native", argv, bound)
        if not native.exhausted:
            continue
        python = run("python", argv, bound)
        compared = python.exhausted and not python.counts.cut
        if compared:
            assert alike(native, python, levels=".." in bound), (argv, bound)


def alike(native: SearchResult, python: SearchResult, levels: bool) -> bool:
    """Levels share what they know beside the program."""
    native_levels, python_levels = ([(level.bound, level.refused, level.whole) for level in each.levels] for each in (native, python))
    same = native.counts.distinct_traces == python.counts.distinct_traces and native_levels == python_levels
    return same and (levels or (native.counts.complete == python.counts.complete and native.failing == python.failing))


def test_of_five_philosophers_one_execution_is_in_vain() -> None:
    result = check([str(compiled(PHILOSOPHERS, ["-DN=5"]))], search="cb-por", bound="none", keep_going=True, state="none")
    assert result.search is not None and not result.in_python and result.search.exhausted
    counts = result.search.counts
    assert (counts.complete, counts.redundant, counts.distinct_traces) == (31, 1, 31)


@pytest.mark.parametrize("where", [offset("tree", 0, "schedule"), offset("stack"), offset("answer", "tree")])
def test_a_program_that_writes_over_the_search_is_never_believed(where: str) -> None:
    with pytest.raises(Damaged):
        check([str(compiled(SCRIBBLE)), where, "8"], search="cb-por", bound="none")
