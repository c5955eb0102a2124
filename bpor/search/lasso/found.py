"""What was found of rounds: values only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bpor.lazy_dataclass import dataclass
from bpor.model.schedule import Schedule

if TYPE_CHECKING:
    from bpor.search.lasso.check import CheckedLasso

Excused = Callable[[tuple[int, ...]], bool]  # is a round at these call sites no bug, because everybody takes it for granted?


def nothing_excused(sites: tuple[int, ...]) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Polling:
    """A loop that ends only under a scheduler that is good enough: no bug, and not to be silent about."""

    sites: tuple[int, ...]
    yields: bool  # the program says so itself
    bare: int = 0  # nothing in it is a yield, not even an inferred one: a call site in it at which one could be; 0: something is
    in_step: bool = False  # it goes on for ever under a fair scheduler too, one that keeps its threads in step, and that is excused
    guessed: bool = False  # the states of the program cannot be compared: its last steps look like a loop


@dataclass(frozen=True, slots=True)
class Found:
    lasso: Schedule | None = None
    checked: CheckedLasso | None = None  # of the lasso
    polling: tuple[Polling, ...] = ()  # in rounds that are unfair
