"""Open inputs, assumptions and calls that may fail: both engines reach what brute force reaches, in every bound, whole and in parts; each
rule about alternatives, bent, is noticed. `python -m tests.property.soak_choices SECONDS` goes on for as long as one likes."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis.errors import UnsatisfiedAssumption

from bpor.model.trace import Outcome
from bpor.native_parts import part
from bpor.search.bounds.grammar import parse_bound
from bpor.search.options import SearchOptions
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from bpor.simulate.program import Semantics
from tests.property.choice_mutants import MUTANTS
from tests.property.engine_mutants import Mutant, built, notices
from tests.property.soak_choices import attempt, draw
from tests.property.test_subtrees import BOUNDS, Shuffled, Split, search
from tests.property.trial import judge, oracle_bound

SEEDS = range(1000, 1000 + 20)
IN_PARTS = range(8)


def test_random_programs_with_choices_are_searched_completely() -> None:
    wrong = [seed for seed in SEEDS if (verdict := attempt(seed)) is not None and not verdict.good]
    assert not wrong, [draw(seed) for seed in wrong]


def in_parts(seed: int, kind: type[Split]) -> bool | None:
    """Is a program that is searched subtree by subtree searched completely? None: it is too large."""
    sample, _, options = draw(seed)
    bound = random.Random(seed).choice(BOUNDS)
    oracle = Oracle(sample.program, sample.semantics, max_prefixes=3_000, max_steps=100)
    Split.source = random.Random(seed)
    try:
        truth = oracle.explore(oracle_bound(parse_bound(bound))).coverage
        chosen = replace(options, check_postconditions=False, alternatives=True, any_order=kind is Shuffled)
        _, coverage, _ = search(oracle, bound, chosen, kind)
    except (TooManyPrefixes, UnsatisfiedAssumption):
        return None
    return not (coverage.lacks(truth) or truth.lacks(coverage))


@pytest.mark.filterwarnings("ignore:Using `assume` outside")
@pytest.mark.parametrize("kind", [Split, Shuffled])
def test_random_programs_with_choices_are_searched_completely_in_parts(kind: type[Split]) -> None:
    judged = {seed: in_parts(seed, kind) for seed in IN_PARTS}
    assert False not in judged.values() and True in judged.values(), judged


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_bent_rule_about_alternatives_is_noticed(mutant: Mutant) -> None:
    assert notices(built(mutant), mutant.seed, draw)
    assert not notices(part("libbpor_engine.so"), mutant.seed, draw)


@pytest.mark.parametrize("bound", ["none", "preemption:0", "fair:1,preemption:1", "context:2", "delta:1"])
@pytest.mark.parametrize(
    ("text", "traces", "assumed"),
    [
        ("choose 3; assume | Wx", 2, 1),
        ("Rx; assume | Wx", 1, 1),
        ("Rx; assume | Wy; Wx", 1, 1),  # the write that makes it hold is not the other thread's next step
        ("choose 2; assume; post | sem_wait", 1, 1),  # nobody is stuck who waits for a thread that is not let go on
        ("choose 2; assume; post | sem_timedwait; unless RMW x", 1, 1),  # nor is its time up
        ("lock; choose 2; assume; unlock | lock; unlock", None, None),
    ],
)
def test_an_execution_in_which_an_assumption_does_not_hold_is_counted_apart(
    text: str, traces: int | None, assumed: int | None, bound: str
) -> None:
    oracle = Oracle(parse(text))
    verdict = judge(oracle, bound, SearchOptions(max_steps=100))
    assert verdict.good, verdict
    truth = oracle.explore(oracle_bound(parse_bound(bound)))
    assert not any(outcome is Outcome.DEADLOCK for outcome, _ in truth.coverage.final)
    if traces is not None and bound in ("none", "preemption:0"):
        assert (verdict.traces, len(truth.coverage.final) - verdict.traces) == (traces, assumed)


@pytest.mark.parametrize(("limit", "traces"), [(0, 1), (1, 4), (2, 7), (3, 8)])
def test_so_many_faults_are_injected_and_no_more(limit: int, traces: int) -> None:
    oracle = Oracle(parse("fault; fault | fault"), Semantics(faults=limit))
    assert judge(oracle, "none").good
    assert oracle.explore().traces == traces


def test_each_kind_of_fault_has_its_own_limit() -> None:
    oracle = Oracle(parse("fault malloc; fault eintr | fault malloc; fault eintr"))
    assert judge(oracle, "preemption:1").good
    assert oracle.explore().traces == 9


def test_an_interrupted_call_has_waited_so_that_leaving_it_is_free() -> None:
    interrupted, failed = (
        Oracle(parse(f"fault {kind}; if Wx | Rx; Ry")).explore(oracle_bound(parse_bound("preemption:0"))) for kind in ("eintr", "malloc")
    )
    assert interrupted.schedules > failed.schedules
