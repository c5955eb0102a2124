"""Each rule of the C engine, bent: a random program shows it. `make soak` finds out which, and after how many (engine_mutants.py)."""

from __future__ import annotations

import pytest

from bpor.engine.library import LIBRARY
from tests.property.engine_mutants import MUTANTS, Mutant, built, notices


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_bent_rule_of_the_c_engine_is_noticed(mutant: Mutant) -> None:
    assert notices(built(mutant), mutant.seed)


def test_the_engine_as_it_is_is_not() -> None:
    assert not any(notices(LIBRARY, mutant.seed) for mutant in MUTANTS)
