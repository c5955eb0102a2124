"""The exact oracle: everything a program can do within a bound, by brute force without any reduction.

A dynamic programme over (trace prefix x bound state), one layer per number of steps. `explore` identifies prefixes by hash-consed
events and shares the dependence relation with the search; `explore_values` identifies states by the values each thread observed and by
the contents of the objects, so that it also sees a wrong dependence relation.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from bpor.lazy_dataclass import dataclass, field, replace
from bpor.model.trace import Outcome
from bpor.simulate.action import Effect
from bpor.simulate.bounds import Move, OracleBound, OracleLocalContext, OracleLocalDepth, OracleLocalPreemption, Unbounded
from bpor.simulate.causality import Causality, EventTable, event_kind
from bpor.simulate.coverage import Coverage
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.program import DEFAULT, Program, Semantics
from bpor.simulate.unroll import Unrolling
from bpor.simulate.world import World


class TooManyPrefixes(Exception):
    """The program has more prefixes than allowed, or an execution that does not end."""


@dataclass(slots=True)
class TracePrefix:
    """One trace prefix (or one value state): a world, its events, and for each bound state the number of schedules that lead there."""

    world: World
    causality: Causality
    schedules: dict[Any, int] = field(default_factory=dict)


@dataclass(slots=True)
class Truth:
    coverage: Coverage
    schedules: int = 0  # complete ones within the bound: what plain bounded search runs
    prefixes: int = 0

    @property
    def traces(self) -> int:
        return self.coverage.traces

    @property
    def deadlocks(self) -> int:
        return self.coverage.deadlocks


Identity = Callable[[TracePrefix], Hashable]


class Oracle:
    """One program under one semantics."""

    def __init__(
        self,
        program: Program,
        semantics: Semantics = DEFAULT,
        max_prefixes: int = 200_000,
        max_steps: int = 400,
    ) -> None:
        self.program = program
        self.semantics = semantics
        self.unrolling = Unrolling()
        self.max_prefixes = max_prefixes
        self.max_steps = max_steps
        self.events = EventTable()

    def explore(self, bound: OracleBound | None = None) -> Truth:
        """Local states, final states and deadlocks by events."""
        # Bound states speak of thread numbers, so prefixes that number their threads differently stay apart.
        return self._layers(bound or Unbounded(), lambda prefix: (prefix.causality.key(), tuple(prefix.world.paths)), by_events=True)

    def explore_values(self, bound: OracleBound | None = None) -> Truth:
        """Local and final states by observed values; uses no footprint, unless the bound itself is defined by causality."""
        if isinstance(bound, OracleLocalDepth | OracleLocalContext | OracleLocalPreemption):
            return self._layers(bound, lambda prefix: (prefix.world.key(), prefix.causality.key()), by_events=False)
        return self._layers(bound or Unbounded(), lambda prefix: prefix.world.key(), by_events=False)

    def executor(self) -> SimulatedExecutor:
        """An executor of the same program whose coverage compares with what the oracle says."""
        return SimulatedExecutor(self.program, self.semantics, Coverage(self.events), self.unrolling)

    def _layers(self, bound: OracleBound, identity: Identity, by_events: bool) -> Truth:
        truth = Truth(Coverage(self.events))
        # Bounds are defined by the steps of this machine; under TSO its filter is part of the model.
        everything = self.semantics.memory == "c11" and isinstance(bound, Unbounded)
        world = World(self.program, replace(self.semantics, offer_all=everything), self.unrolling)
        truth.coverage.local_values.update(world.observed())
        first = TracePrefix(world, Causality(truth.coverage.events), {bound.initial(): 1})
        layer: dict[Hashable, TracePrefix] = {identity(first): first}
        steps = 0
        while layer:
            truth.prefixes += len(layer)
            if truth.prefixes > self.max_prefixes or steps > self.max_steps:
                raise TooManyPrefixes(f"{self.program.name}: {truth.prefixes} prefixes, {steps} steps")
            following: dict[Hashable, TracePrefix] = {}
            for prefix in layer.values():
                self._expand(prefix, bound, identity, by_events, following, truth)
            layer = following
            steps += 1
        return truth

    def _expand(
        self,
        prefix: TracePrefix,
        bound: OracleBound,
        identity: Identity,
        by_events: bool,
        following: dict[Hashable, TracePrefix],
        truth: Truth,
    ) -> None:
        ready, waiters = prefix.world.enabledness()
        if not ready | waiters:
            self._finish(prefix, by_events, truth)
            return
        idle = {state: bound.is_idle(state, ready, waiters) for state in prefix.schedules}
        for thread in range(len(prefix.world.nodes)):
            timed = waiters >> thread & 1
            if not (ready >> thread & 1 or (timed and any(idle.values()))):
                continue
            action = prefix.world.nodes[thread].action
            weak = action is not None and action.is_atomic
            for alternative in range(prefix.world.alternatives(thread)):
                successor, effect = self._successor(prefix, thread, alternative)
                for state, schedules in prefix.schedules.items():
                    if timed and not idle[state]:
                        continue
                    enabled = ready | waiters if idle[state] else ready
                    by_timeout = waiters if idle[state] else 0
                    move = Move(thread, enabled, by_timeout, effect, successor.world, successor.causality, alternative, weak)
                    after = bound.after(state, move)
                    if after is not None:
                        successor.schedules[after] = successor.schedules.get(after, 0) + schedules
                if successor.schedules:
                    self._reach(successor, thread, identity(successor), by_events, following, truth)

    def _successor(self, prefix: TracePrefix, thread: int, alternative: int) -> tuple[TracePrefix, Effect]:
        world, causality = prefix.world.copy(), prefix.causality.copy()
        action = world.nodes[thread].action
        assert action is not None
        effect = world.perform(thread, alternative)
        causality.add(world, thread, event_kind(action.kind, alternative), effect.footprint, action.target, world.ending is not None)
        return TracePrefix(world, causality), effect

    def _reach(
        self, successor: TracePrefix, thread: int, key: Hashable, by_events: bool, following: dict[Hashable, TracePrefix], truth: Truth
    ) -> None:
        coverage, world = truth.coverage, successor.world
        if by_events:
            coverage.local.add(successor.causality.last[world.paths[thread]])
        for each in (thread, *world.fresh):
            coverage.local_values.add((world.paths[each], world.nodes[each].number))
        known = following.setdefault(key, successor)
        if known is not successor:
            for state, schedules in successor.schedules.items():
                known.schedules[state] = known.schedules.get(state, 0) + schedules

    def _finish(self, prefix: TracePrefix, by_events: bool, truth: Truth) -> None:
        outcome: Outcome = prefix.world.outcome_if_stuck().outcome
        if by_events:
            truth.coverage.final.add((outcome, prefix.causality.key()))
        truth.coverage.add_final_values(prefix.world, outcome)
        truth.schedules += sum(prefix.schedules.values())
