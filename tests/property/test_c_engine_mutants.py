"""Each rule of the C engine, bent: a random program shows it. `make soak` finds out which, and after how many (engine_mutants.py)."""

from __future__ import annotations

import pytest

from bpor.native_parts import part
from bpor.search.options import SearchOptions
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from tests.property.engine_mutants import MUTANTS, Mutant, built, notices
from tests.property.trial import compare, search, search_with


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_bent_rule_of_the_c_engine_is_noticed(mutant: Mutant) -> None:
    assert notices(built(mutant), mutant.seed)


# What random programs are too rarely made of: a program by hand shows it.
BY_HAND = Mutant(
    "a trylock that failed has taken the lock",
    "release optimisation",
    "locks.c",
    "!in_vain;",
    "(!in_vain || in_vain);",
    0,
)


def test_a_failed_try_that_counts_as_taking_the_lock_is_noticed() -> None:
    oracle, options = Oracle(parse("lock; unlock; Wx | trylock; unlock | lock; Rx")), SearchOptions(engine="library", max_steps=60)
    assert compare(oracle, "none", search(oracle, "none", options)).good
    assert not compare(oracle, "none", search_with(oracle, "none", options, built(BY_HAND), 1_000)).good


OF_ANY_MUTEX = Mutant(
    "a wait for one mutex moves to the acquisition of another",
    "E49",
    "locks.c",
    "    return (uint32_t)wanted < operation->count",
    "    return true || (uint32_t)wanted < operation->count",
    0,
)


def test_a_race_that_moves_to_another_mutex_is_noticed() -> None:
    oracle = Oracle(parse("lock a; wait(c, a) | lock b; wait(c, b); unlock b | signal c"))
    options = SearchOptions(engine="library", max_steps=60)
    assert not compare(oracle, "none", search_with(oracle, "none", options, built(OF_ANY_MUTEX), 1_000)).good


IDLE_BY_YIELDS = Mutant(
    "a timeout beside fair-blocked threads is an ordinary step",
    "E48",
    "tree.c",
    "return frame->timed & bit(step->thread) && frame->enabled & ~frame->timed;",
    "(void)frame;\n    return false;",
    0,
)


def test_a_timeout_beside_fair_blocked_threads_that_is_an_ordinary_step_is_noticed() -> None:
    oracle = Oracle(parse("yield; Wx | lock; timedwait | pause; yield; signal"))
    options = SearchOptions(engine="library", max_steps=60)
    assert compare(oracle, "fair:1", search(oracle, "fair:1", options)).good
    assert not compare(oracle, "fair:1", search_with(oracle, "fair:1", options, built(IDLE_BY_YIELDS), 1_000)).good


LATE_JOIN = Mutant(
    "an end before the join adds no point",
    "E69",
    "runahead.c",
    "        want_all_before(tree, ended->last - 1);",
    "        ;",
    0,
)


def test_an_end_before_its_join_that_adds_no_point_is_noticed() -> None:
    oracle = Oracle(parse("Wx; join 2; leave | 2*yield | Rx; yield"))
    options = SearchOptions(engine="library", max_steps=60)
    assert compare(oracle, "fair:1", search(oracle, "fair:1", options)).good
    assert not compare(oracle, "fair:1", search_with(oracle, "fair:1", options, built(LATE_JOIN), 1_000)).good


def test_the_engine_as_it_is_is_not() -> None:
    assert not any(notices(part("libbpor_engine.so"), mutant.seed) for mutant in MUTANTS)
