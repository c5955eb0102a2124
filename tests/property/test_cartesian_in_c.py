"""Cartesian search in C reaches every local state and every deadlock, as in Python; bent rules are noticed."""

from __future__ import annotations

import pytest

from bpor.search.budget import Budget
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.strategies.cartesian import Cartesian
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.program import Program
from bpor.simulate.programs import file_system, mutex_counter, philosophers, spinners
from tests.property.cartesian_mutants import LONG, MUTANTS, notices
from tests.property.engine_mutants import Mutant, built
from tests.property.exact_space import unreached_by_executions

LONG_RUNS = ("; ".join(["Wx"] * 70) + "; Wy | Ry", "Ry; if Wx | " + "; ".join(["RMWz"] * 300) + "; Wy")


def test_random_programs_show_all_their_local_states_and_deadlocks() -> None:
    verdicts = [notices(None, seed) for seed in range(1, 30)]
    assert verdicts.count(False) > 14
    assert not any(verdicts)


@pytest.mark.parametrize(
    ("program", "known_by"),
    [
        *(
            (program, known_by)
            for program in (philosophers(3), mutex_counter(3), file_system(14))
            for known_by in ("memory", "happens-before")
        ),
        (spinners(), "memory"),
    ],
    ids=lambda one: getattr(one, "name", one),
)
def test_both_engines_run_as_many_executions(program: Program, known_by: str) -> None:
    found = []
    for engine in ("python", "library"):
        search = Cartesian(SearchOptions(max_steps=200, engine=engine), known_by)
        result = Explorer(SimulatedExecutor(program), search, Budget(max_executions=4_000, max_findings=None)).run()
        found.append((result.executions, result.exhausted, result.counts.cut, bool(result.failures)))
    assert found[0] == found[1]


@pytest.mark.parametrize("text", LONG_RUNS)
def test_runs_that_are_longer_than_the_first_reach_are_gone_on_with(text: str) -> None:
    assert unreached_by_executions(parse(text), engine="library") == 0
    assert unreached_by_executions(parse(text), engine="library", library=built(LONG)) > 0


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_bent_rule_is_noticed(mutant: Mutant) -> None:
    assert notices(built(mutant), mutant.seed)
    assert not notices(None, mutant.seed)
