"""The lock-free classics: each is there right and wrong, and both say what must come of them at every preemption bound from 0 to 3.

The runs themselves are test_programs.py's, as for every program; on top of a wrong one stands the interleaving that breaks it.
"""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.native.compiled import PROGRAMS, compiled
from tests.native.expectations import Expectation, Program, read_program
from tests.native.tool import run_inside

BOUNDS = range(4)
CLASSICS = {
    "Treiber's stack": ("lockfree/treiber_tagged", ["assertion/treiber_aba"]),
    "Chase and Lev's deque": ("lockfree/chase_lev", ["assertion/chase_lev_last_item"]),
    "Michael and Scott's queue": ("lockfree/michael_scott", ["assertion/michael_scott_tail_first", "memory/michael_scott_freed_early"]),
    "ticket lock": ("lockfree/ticket_lock", ["livelock/ticket_load_store"]),
    "MCS lock": ("lockfree/mcs_lock", ["livelock/mcs_store_for_exchange"]),
    "Peterson's lock": ("lockfree/peterson", ["race/peterson_turn_first"]),
    "Dekker's lock": ("lockfree/dekker", ["livelock/dekker_without_turn", "race/dekker_flag_left_down"]),
    "bakery": ("lockfree/bakery", ["race/bakery_without_choosing"]),
    "seqlock": ("spin/seqlock", ["assertion/seqlock_one_look"]),
    "hazard pointer": ("lockfree/hazard_pointer", ["memory/hazard_pointer_one_look"]),
    "double-checked locking": ("lockfree/double_checked", ["race/double_checked"]),
    "reference count": ("lockfree/reference_count", ["memory/reference_count_twice", "race/reference_count_relaxed"]),
}


def by_bound(program: Program) -> dict[int, Expectation]:
    found = ((re.search(r"preemption:(\d+)", one.bound or ""), one) for one in program.expectations)
    return {int(match[1]): one for match, one in found if match}


@pytest.mark.parametrize("name", CLASSICS)
def test_a_classic_passes_at_every_bound(name: str) -> None:
    right, _ = CLASSICS[name]
    stated = by_bound(read_program(PROGRAMS / f"correct/{right}.c"))
    assert [stated[bound].verdict for bound in BOUNDS] == ["pass"] * len(BOUNDS)


@pytest.mark.parametrize("wrong", [one for _, variants in CLASSICS.values() for one in variants])
def test_a_wrong_variant_is_found_from_some_bound_on(wrong: str) -> None:
    """What a bound shows, every larger one does."""
    stated = by_bound(read_program(PROGRAMS / f"buggy/{wrong}.c"))
    kinds = [stated[bound].kinds for bound in BOUNDS]
    assert all(fewer <= more for fewer, more in pairwise(kinds)) and kinds[-1]


def test_every_classic_in_the_folder_stands_here() -> None:
    assert {f"lockfree/{path.stem}" for path in (PROGRAMS / "correct/lockfree").iterdir()} <= {right for right, _ in CLASSICS.values()}


@pytest.mark.needs("gcc")
def test_a_loop_that_waits_is_named_by_its_own_line_wherever_it_was_inlined() -> None:
    """Peterson's lock() is inlined into work(), whose line is no loop."""
    run = run_inside(compiled(PROGRAMS / "correct/lockfree/peterson.c", instrumented=True), (), ["--bound=fair:2,preemption:1"])
    assert run.report["statement"].endswith("yields inferred at peterson.c:16"), run
