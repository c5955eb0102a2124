"""Each rule of known steps, bent: a random program shows it, or one that was made for it."""

from __future__ import annotations

import pytest

from bpor.errors import InternalError
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from tests.property.engine_mutants import Mutant, built
from tests.property.known_mutants import BY_OBJECTS, KNOWN_MUTANTS, UNSTRANDED, notices
from tests.property.soak_known_steps import KNOWN
from tests.property.test_known_steps import misses_stranded
from tests.property.trial import search_with


@pytest.mark.parametrize("mutant", KNOWN_MUTANTS, ids=lambda mutant: mutant.name)
def test_a_bent_rule_of_known_steps_is_noticed(mutant: Mutant) -> None:
    assert notices(built(mutant), mutant.seed)
    assert not notices(None, mutant.seed)


def test_of_two_threads_that_wait_for_the_same_condition_one_can_go_on() -> None:
    oracle = Oracle(parse("lock; wait c; unlock | lock; wait c; unlock | lock; signal c; unlock"))
    assert search_with(oracle, "none", KNOWN, None, 100).result.exhausted
    with pytest.raises(InternalError, match="more than its causal past"):
        search_with(oracle, "none", KNOWN, built(BY_OBJECTS), 100)


def test_runs_that_are_stranded_would_be_missed() -> None:
    assert misses_stranded(range(12), built(UNSTRANDED))
