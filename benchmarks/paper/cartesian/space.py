"""A program of the paper as a space for the cartesian search of this tool, which also reaches deadlocks (erratum E17)."""

from __future__ import annotations

from collections.abc import Hashable

from benchmarks.paper.cartesian.system import Location, State, System, Transition
from bpor.model.operation import Footprint, ObjectAccess
from bpor.model.solo import Halt, Solo, SoloFuture, SoloMove


class PaperSpace:
    def __init__(self, system: System) -> None:
        self._system = system
        self._numbers: dict[Location, int] = {}

    def initial(self) -> State:
        return self._system.initial

    def key(self, state: State) -> Hashable:
        return state

    def threads(self, state: State) -> list[int]:
        return [thread for thread in range(self._system.threads) if self._system.step(thread, state) is not None]

    def alone(self, state: State, thread: int) -> Solo:
        """One that stays where it is waits for what it looks at, or has ended."""
        moves, met = list[SoloMove](), set[State]()
        while state not in met:
            met.add(state)
            taken = self._system.step(thread, state)
            if taken is None:
                return Solo(tuple(moves), Halt.ENDED)
            wanted = self._footprint(taken)
            if taken.after == state:
                return Solo(tuple(moves), Halt.WAITS, wanted) if wanted else Solo(tuple(moves), Halt.ENDED)
            moves.append(SoloMove(wanted))
            state = taken.after
        return Solo(tuple(moves), Halt.CIRCLE)

    def after(self, state: State, thread: int, moves: int) -> State:
        for _ in range(moves):
            taken = self._system.step(thread, state)
            assert taken is not None
            state = taken.after
        return state

    def future(self, state: State, thread: int) -> SoloFuture:
        raise NotImplementedError  # of the concurrent variant

    def is_deadlock(self, state: State) -> bool:
        taken = [found for thread in range(self._system.threads) if (found := self._system.step(thread, state)) is not None]
        return all(each.after == state for each in taken) and any(each.reads or each.writes for each in taken)

    def _footprint(self, taken: Transition) -> Footprint:
        numbers = {where: self._numbers.setdefault(where, len(self._numbers)) for where in taken.reads | taken.writes}
        return tuple(ObjectAccess(number, where in taken.writes) for where, number in numbers.items())
