"""The bounds as the oracle defines them, written from their definitions, apart from the search and the policy: so they can disagree.

A bound is a little machine: `after` gives the bound state after a move, or None if the bound refuses it. States are hashable values.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from bpor.lazy_dataclass import dataclass
from bpor.model.policy import threads_in
from bpor.protocol.ops import Op
from bpor.simulate.action import Effect
from bpor.simulate.causality import Causality, EventTable, number_of
from bpor.simulate.world import World


class Move(NamedTuple):
    """One step: the state before it (`enabled`, `timed`) and after it (`world`, `causality`)."""

    thread: int
    enabled: int
    timed: int  # threads enabled by their timeout alone; the state before is idle iff there are any
    effect: Effect
    world: World
    causality: Causality
    alternative: int = 0
    weak: bool = False  # memory offered it


class OracleBound(Protocol):
    def initial(self) -> Any: ...

    def is_idle(self, state: Any, ready: int, waiters: int) -> bool: ...

    def after(self, state: Any, move: Move) -> Any | None: ...


class _IdleWhenNobodyIsReady:
    def is_idle(self, state: Any, ready: int, waiters: int) -> bool:
        return bool(waiters) and not ready


class Unbounded(_IdleWhenNobodyIsReady):
    def initial(self) -> Any:
        return ()

    def after(self, state: Any, move: Move) -> Any | None:
        return ()


class _Running(NamedTuple):
    """Who ran last, whether it may be left for nothing, what was spent; yields per thread if a fair bound counts them."""

    last: int = -1
    cut: bool = False
    spent: int = 0
    yields: tuple[int, ...] = ()
    circling: int = 0  # mask

    def count(self, thread: int) -> int:
        return self.yields[thread] if thread < len(self.yields) else 0

    def counted(self, move: Move) -> tuple[int, ...]:
        """With a step that may yield; whom it creates has yielded as often as its creator."""
        counts = [self.count(each) for each in range(len(move.world.nodes))]
        counts[move.thread] += move.effect.yields
        for created in move.world.fresh:
            counts[created] = counts[move.thread]
        return tuple(counts)

    def rounds(self, move: Move) -> int:
        if not move.effect.yields:
            return self.circling
        circles = not move.effect.passing
        return self.circling & ~(1 << move.thread) | circles << move.thread


@dataclass(frozen=True, slots=True)
class Combined:
    """At most `preemption` preemptions, and nobody runs who goes round in a loop and has yielded more than `fair` times more than another
    enabled thread.

    A switch away from a thread is free if it is disabled or fair-blocked, if its last step was a yield or a voluntary switch, or if
    the state is idle. None: that bound is off.
    """

    preemption: int | None = None
    fair: int | None = None

    def initial(self) -> _Running:
        return _Running()

    def is_idle(self, state: _Running, ready: int, waiters: int) -> bool:
        return bool(waiters) and all(self.keeps_waiting(state, thread, ready | waiters) for thread in threads_in(ready))

    def keeps_waiting(self, state: _Running, thread: int, enabled: int) -> bool:
        if self.fair is None or not state.circling >> thread & 1:
            return False
        return max(state.count(thread) - state.count(other) for other in threads_in(enabled)) > self.fair

    def after(self, state: _Running, move: Move) -> _Running | None:
        if self.keeps_waiting(state, move.thread, move.enabled):
            return None
        spent = state.spent + (self.preemption is not None and self._preempts(state, move))
        if self.preemption is not None and spent > self.preemption:
            return None
        yields, circling = ((), 0) if self.fair is None else (state.counted(move), state.rounds(move))
        if self.preemption is None:
            return _Running(yields=yields, circling=circling)  # who ran last does not matter
        return _Running(move.thread, move.effect.yields or move.effect.cuts, spent, yields, circling)

    def _preempts(self, state: _Running, move: Move) -> bool:
        if state.last < 0 or state.last == move.thread or state.cut or move.timed:
            return False
        return bool(move.enabled >> state.last & 1) and not self.keeps_waiting(state, state.last, move.enabled)


@dataclass(frozen=True, slots=True)
class OracleContext(_IdleWhenNobodyIsReady):
    """At most `limit` context switches, whatever their reason."""

    limit: int

    def initial(self) -> tuple[int, int]:
        return -1, 0

    def after(self, state: tuple[int, int], move: Move) -> tuple[int, int] | None:
        last, spent = state
        spent += last not in (-1, move.thread)
        return (move.thread, spent) if spent <= self.limit else None


@dataclass(frozen=True, slots=True)
class OracleDelta(_IdleWhenNobodyIsReady):
    """At most `limit` deviations from round robin: a choice costs the enabled threads passed over, from the thread that ran last on."""

    limit: int

    def initial(self) -> tuple[int, int]:
        return 0, 0

    def after(self, state: tuple[int, int], move: Move) -> tuple[int, int] | None:
        head, spent = state
        threads = max(move.enabled.bit_length(), head + 1)
        distance = (move.thread - head) % threads
        spent += sum(move.enabled >> (head + step) % threads & 1 for step in range(distance))
        return (move.thread, spent) if spent <= self.limit else None


@dataclass(frozen=True, slots=True)
class BesideFair:
    """A fair bound and one of context switches or delays. Who is kept waiting by the fair bound is passed over without a delay."""

    fair: int
    other: OracleContext | OracleDelta

    def initial(self) -> tuple[_Running, tuple[int, int]]:
        return _Running(), self.other.initial()

    def is_idle(self, state: tuple[_Running, tuple[int, int]], ready: int, waiters: int) -> bool:
        return Combined(fair=self.fair).is_idle(state[0], ready, waiters)

    def after(self, state: tuple[_Running, tuple[int, int]], move: Move) -> tuple[_Running, tuple[int, int]] | None:
        running, counted = state
        fair = Combined(fair=self.fair)
        blocked = sum(1 << thread for thread in threads_in(move.enabled) if fair.keeps_waiting(running, thread, move.enabled))
        yielded = fair.after(running, move)
        spent = self.other.after(counted, move._replace(enabled=move.enabled & ~blocked))
        return None if yielded is None or spent is None else (yielded, spent)


@dataclass(frozen=True, slots=True)
class BesideStale:
    """At most `limit` alternatives of weak memory, and another bound."""

    limit: int
    other: OracleBound

    def initial(self) -> tuple[int, Any]:
        return 0, self.other.initial()

    def is_idle(self, state: tuple[int, Any], ready: int, waiters: int) -> bool:
        return self.other.is_idle(state[1], ready, waiters)

    def after(self, state: tuple[int, Any], move: Move) -> tuple[int, Any] | None:
        taken = state[0] + (move.alternative > 0 and move.weak)
        other = self.other.after(state[1], move)
        return None if other is None or taken > self.limit else (taken, other)


@dataclass(frozen=True, slots=True)
class OracleDepth(_IdleWhenNobodyIsReady):
    """At most `limit` steps."""

    limit: int

    def initial(self) -> int:
        return 0

    def after(self, state: int, move: Move) -> int | None:
        return state + 1 if state < self.limit else None


@dataclass(frozen=True, slots=True)
class OracleLocalDepth(_IdleWhenNobodyIsReady):
    """No step has more than `limit` steps in its causal past, itself included."""

    limit: int

    def initial(self) -> Any:
        return ()

    def after(self, state: Any, move: Move) -> Any | None:
        event = move.causality.last[move.world.paths[move.thread]]
        return () if move.causality.table.depth(event) <= self.limit else None


class _ByCauses(_IdleWhenNobodyIsReady):
    """A measure of each event by its causal past, summed up along the causal chain for which it is largest; written recursively."""

    limit: int

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._known: dict[int, int] = {}

    def initial(self) -> Any:
        return ()

    def after(self, state: Any, move: Move) -> Any | None:
        event = move.causality.last[move.world.paths[move.thread]]
        if event not in self._known:
            self._learn(event, move)
        return () if self._known[event] <= self.limit else None

    def _learn(self, event: int, move: Move) -> None:
        table = move.causality.table
        path, _, _, before = table.keys[event]
        changes = {each: table.keys[each][0] != path and self._counts(each, event, table) for each in before}
        self._known[event] = max((self._known[each] + changes[each] for each in before), default=0)

    def _counts(self, cause: int, event: int, table: EventTable) -> bool:
        return True


class OracleLocalContext(_ByCauses):
    """Changes of thread along a causal chain."""


class OracleLocalPreemption(_ByCauses):
    """Changes of thread along a causal chain by which a thread was left for certain while it could go on."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self._cuts: set[int] = set()  # events after which leaving their thread is free

    def _learn(self, event: int, move: Move) -> None:
        if move.effect.cuts or move.effect.yields:
            self._cuts.add(event)
        super()._learn(event, move)

    def _counts(self, cause: int, event: int, table: EventTable) -> bool:
        """The thread had moved before the cause; neither could what it did since block, nor had it yielded."""
        path = table.keys[event][0]
        own = sorted((table.keys[each][1], each) for each in table.past(event) if table.keys[each][0] == path)
        seen = [each for each in table.past(cause) if table.keys[each][0] == path]
        if not seen:
            return False
        first = max(table.keys[each][1] for each in seen)
        blocks = any(kind_blocks(table.keys[each][2]) for number, each in own if number > first)
        return not blocks and not any(each in self._cuts for number, each in own if first <= number and each != event)


def kind_blocks(number: int) -> bool:
    return next(kind for kind in Op if kind.number == number_of(number)).blocks


def preemption(limit: int) -> Combined:
    return Combined(preemption=limit)


def fair(limit: int) -> Combined:
    return Combined(fair=limit)
