"""A wrong footprint is caught: the search misses states, the oracle of events may not see it, the oracle of values does."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from bpor.model.operation import Footprint
from bpor.simulate.action import Action, Effect, reads
from bpor.simulate.memory import read, write
from bpor.simulate.mutex import TryLock, lock, unlock
from bpor.simulate.oracle import Oracle
from bpor.simulate.program import Program, program
from bpor.simulate.semaphore import Post, TryWait
from bpor.simulate.world import World
from tests.property.trial import judge

Code = Generator[Action, Any, None]


def write_that_claims_to_read(variable: str) -> Action:
    action = write(variable)
    action.footprint = reads(action.footprint[0].object)
    return action


class PostThatTouchesNothing(Post):
    footprint: Footprint = ()

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.footprint = ()


class TryThatTouchesNothing(TryLock):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.footprint = ()

    def run(self, world: World, thread: int) -> Effect:
        effect = super().run(world, thread)
        return Effect(effect.value, (), effect.failed)


def two(first: Action, second: Action) -> Program:
    def body(action: Action) -> Code:
        yield action

    return program("two", [lambda: body(first), lambda: body(second)])


def locking(attempt: Action) -> Program:
    def owner() -> Code:
        yield lock()
        yield unlock()

    def trying() -> Code:
        yield attempt

    return program("locking", [owner, trying])


WRONG = {
    "a write that claims to read": (two(write_that_claims_to_read("x"), read("x")), "none"),
    "a post that touches nothing": (two(PostThatTouchesNothing("s"), TryWait("s")), "preemption:0"),
    "a trylock that touches nothing": (locking(TryThatTouchesNothing("m")), "none"),
}
RIGHT = {
    "a write": (two(write("x"), read("x")), "none"),
    "a post": (two(Post("s"), TryWait("s")), "preemption:0"),
    "a trylock": (locking(TryLock("m")), "none"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_footprint_is_caught_by_values(name: str) -> None:
    verdict = judge(Oracle(WRONG[name][0]), WRONG[name][1])
    assert verdict.missing_values and not verdict.good


def test_a_wrong_footprint_may_escape_an_oracle_that_shares_it() -> None:
    verdict = judge(Oracle(WRONG["a write that claims to read"][0]), "none")
    assert not verdict.missing.local and not verdict.missing.final and not verdict.oracles_agree


@pytest.mark.parametrize("name", RIGHT)
def test_the_right_footprint_is_complete(name: str) -> None:
    assert judge(Oracle(RIGHT[name][0]), RIGHT[name][1]).good
