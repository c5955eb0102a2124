"""Random, PCT and POS beside the program draw the executions that they draw in Python, and count the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bpor.api import check
from bpor.errors import UsageError
from bpor.report.json_report import to_json
from bpor.search.options import SearchOptions
from bpor.search.strategies import share
from tests.native.compiled import compiled
from tests.native.engines import difference, random_scripts, run

SCRIPT = Path(__file__).with_name("script.c")
WIDE = Path(__file__).with_name("wide.c")
ALONE_FIRST = Path(__file__).with_name("alone_first.c")
SEARCHES = ("random", "pct", "pos")


@pytest.mark.parametrize("seed", range(6))
def test_both_engines_draw_the_same_executions(seed: int) -> None:
    source = random.Random(seed)
    argv, name = [str(compiled(SCRIPT)), *random_scripts(source)], SEARCHES[seed % 3]
    options = SearchOptions(max_steps=300, pct_depth=source.randint(1, 4))
    python, native = (run(engine, argv, None, 40, options, search=name) for engine in ("python", "native"))
    assert difference(python, native) == ""
    assert len({one.schedule for one in native.executions}) > 1 or native.result.counts.distinct_traces == 1


@pytest.mark.parametrize("name", SEARCHES)
def test_steps_that_are_forced_are_drawn_all_the_same(name: str) -> None:
    """Beside the program an execution tells nothing of the steps that all begin with; priorities fall in them as in any other."""
    options = SearchOptions(max_steps=300, pct_depth=4)
    python, native = (run(engine, [str(compiled(ALONE_FIRST))], None, 60, options, search=name) for engine in ("python", "native"))
    assert difference(python, native) == ""
    assert python.result.counts.steps == native.result.counts.steps == native.result.counts.made


@pytest.mark.parametrize("name", SEARCHES)
def test_forced_steps_that_do_not_repeat_are_noticed(name: str) -> None:
    result = check([str(compiled(ALONE_FIRST)), "differs"], search=name, max_executions=400, keep_going=True, machine_code="off")
    assert result.verdict.kind.value == "nondeterministic"


@pytest.mark.parametrize("name", SEARCHES)
def test_a_bug_that_was_drawn_is_found_beside_the_program_and_repeats(name: str) -> None:
    argv = [str(compiled(SCRIPT)), "abBA", "baAB"]
    result = check(argv, search=name, max_executions=2_000)
    assert to_json(result)["engine"]["beside_the_program"]
    (finding,) = result.findings
    assert str(finding.kind) == "deadlock"
    assert result.verdict.kind.value == "bug"


def test_another_seed_draws_other_executions() -> None:
    argv = [str(compiled(SCRIPT)), "aAbB", "bBaA", "aAw"]
    first, second = (check(argv, search="random", seed=seed, max_executions=50, keep_going=True) for seed in (1, 2))
    assert first.search is not None and second.search is not None
    assert first.search.counts.steps != second.search.counts.steps or first.search.counts != second.search.counts


@pytest.mark.parametrize("name", ["optimal", "random", "pct", "pos", "cb-por", "best-first"])
def test_a_search_that_one_process_runs_says_so_before_it_begins(name: str) -> None:
    with pytest.raises(UsageError, match=f"-j 2: --search {name} is run by one process"):
        check(["/bin/true"], search=name, workers=2)


def test_the_default_search_draws_a_share_once_it_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bug lies where a search comes last."""
    argv = [str(compiled(WIDE, instrumented=True))]
    for after, bug in ((500, True), (1 << 60, False)):
        monkeypatch.setattr(share, "AFTER", after)
        result = check(argv, max_executions=1_500)
        assert to_json(result)["engine"]["beside_the_program"]
        assert bool(result.findings) is bug
