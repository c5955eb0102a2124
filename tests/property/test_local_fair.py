"""Is there a local fair bound? Candidates, and the programs on which each loses what the fair bound keeps (docs/algorithm.md, section 6).

A fair bound is there to end loops that wait. A local one may look at nothing but the causal past of a step, so that equivalent executions
agree and plain race points do. These are oracles only: no search is built on a definition that loses states.
"""

from __future__ import annotations

from typing import Any

import pytest

from bpor.simulate.bounds import Combined, Move, OracleBound
from bpor.simulate.causality import Causality
from bpor.simulate.memory import read, write
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle, TracePrefix
from bpor.simulate.program import Program, program
from bpor.simulate.programs import Code, yield_
from bpor.simulate.world import World


class Rounds:
    """At most `limit` rounds of a loop in whose course a thread learned nothing: no step of another came into its causal past."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._rounds: dict[int, int] = {}  # up to each event: in a row

    def initial(self) -> Any:
        return ()

    def is_idle(self, state: Any, ready: int, waiters: int) -> bool:
        return bool(waiters) and not ready

    def after(self, state: Any, move: Move) -> Any | None:
        table = move.causality.table
        event = move.causality.last[move.world.paths[move.thread]]
        path, number, _, _ = table.keys[event]
        past = set(table.past(event))
        before = next((each for each in past if table.keys[each][:2] == (path, number - 1)), None)
        known = set(table.past(before)) if before is not None else set()
        learned = any(table.keys[each][0] != path for each in past - known)
        rounds = 0 if learned or before is None else self._rounds[before]
        if self.refuses(rounds, move):
            return None
        self._rounds[event] = rounds + (move.effect.yields and not move.effect.passing)
        return ()

    def refuses(self, rounds: int, move: Move) -> bool:
        return rounds > self.limit


class RoundsAtYields(Rounds):
    """The same, but only the yield is refused: whoever is in the midst of a round may end it."""

    def refuses(self, rounds: int, move: Move) -> bool:
        return move.effect.yields and super().refuses(rounds, move)


def two_flags() -> Program:
    """One thread waits for either of two flags, the other sets the second."""

    def waits() -> Code:
        while (yield read("x")) == 0 and (yield read("y")) == 0:
            yield yield_()

    def sets() -> Code:
        yield write("y", 1)

    return program("two flags", [waits, sets])


@pytest.mark.parametrize("candidate", (Rounds, RoundsAtYields))
@pytest.mark.parametrize(
    ("tested", "lost"),
    [
        (parse("5*yield; Wx | Rx"), "a loop of more rounds than the bound, which would have ended by itself, does so in no schedule"),
        (two_flags(), "a thread that looks at an unchanged object first never looks at the one that changed"),
    ],
    ids=["finite loop", "two flags"],
)
def test_a_bound_on_rounds_without_news_loses_what_the_fair_bound_keeps(candidate: type[Rounds], tested: Program, lost: str) -> None:
    oracle = Oracle(tested)
    fair, local = oracle.explore(Combined(fair=2)).coverage, oracle.explore(candidate(2)).coverage
    missing = local.lacks(fair)
    if candidate is RoundsAtYields and tested.name == "two flags":
        assert not missing.local  # here it is enough
    else:
        assert missing.local and missing.final, lost


def test_whether_a_yield_is_one_too_many_depends_on_steps_outside_of_its_causal_past() -> None:
    """The fair bound itself is no function of the trace: a yield and another thread's yield are independent, and their order decides."""
    allowed = {order: _allowed(order, Combined(fair=0)) for order in ((0, 0, 1), (0, 1, 0), (1, 0, 0))}
    assert allowed == {(0, 0, 1): False, (0, 1, 0): True, (1, 0, 0): True}


def _allowed(order: tuple[int, ...], bound: OracleBound) -> bool:
    """Is a schedule of two threads that only yield within the bound?"""
    oracle = Oracle(parse("3*yield | 3*yield"))
    prefix = TracePrefix(World(oracle.program, oracle.semantics, oracle.unrolling), Causality(oracle.events))
    state = bound.initial()
    for thread in order:
        ready, _ = prefix.world.enabledness()
        prefix, effect = oracle._successor(prefix, thread, 0)
        state = bound.after(state, Move(thread, ready, 0, effect, prefix.world, prefix.causality))
        if state is None:
            return False
    return True
