"""Simulated programs as a space of true states, for searches that recognise states: a state is a World, two are the same if their threads
are at the same places (place.py) and their objects equal. Loops that change nothing come back to a state, so programs that never end
have finitely many.
"""

from __future__ import annotations

from collections.abc import Hashable

from bpor.model.operation import Footprint
from bpor.model.solo import Halt, Solo, SoloFuture, SoloMove, with_join
from bpor.simulate.action import Effect
from bpor.simulate.futures import Futures, Spot
from bpor.simulate.program import DEFAULT, Program, Semantics
from bpor.simulate.unroll import UnrolledNode, Unrolling
from bpor.simulate.world import World, true_state


class SimulatedSpace:
    def __init__(
        self, program: Program, semantics: Semantics = DEFAULT, max_moves: int = 2_000, unrolling: Unrolling | None = None
    ) -> None:
        self._program = program
        self._semantics = semantics
        self.unrolling = unrolling if unrolling is not None else Unrolling()  # places compare within one
        self._max_moves = max_moves
        self.local: set[Spot] = set()  # every thread at every place, in every state that was looked at
        self._futures = Futures()
        self._known: dict[Hashable, UnrolledNode] = {}  # by place

    def initial(self) -> World:
        return World(self._program, self._semantics, self.unrolling)

    def key(self, state: World) -> Hashable:
        for thread, node in enumerate(state.nodes):
            self._note(self._spot(state, thread), node)
        return true_state(state)

    def threads(self, state: World) -> list[int]:
        return [thread for thread, node in enumerate(state.nodes) if node.action is not None and state.ending is None]

    def alone(self, state: World, thread: int) -> Solo:
        world, moves = state.copy(), list[SoloMove]()
        seen: set[Hashable] = set()
        while len(moves) < self._max_moves:
            node = world.nodes[thread]
            spot = self._spot(world, thread)
            self._note(spot, node)
            if node.action is None:
                return Solo(tuple(moves), Halt.OVER if world.ending is not None else Halt.ENDED)
            wanted = self._footprint(world, thread, node)
            if not self._enabled(world, thread):
                return Solo(tuple(moves), Halt.WAITS, wanted)
            key = self.key(world)
            if key in seen:
                return Solo(tuple(moves), Halt.CIRCLE)
            seen.add(key)
            effect = self._perform(world, thread)
            executed = with_join(node.action.kind, effect.footprint, world.numbers.get(node.action.target or ()))
            moves.append(SoloMove(executed, world.ending is not None, bool(world.fresh)))
            following = [self._spot(world, each) for each in (thread, *world.fresh)]
            self._futures.stepped(spot, effect.footprint, world.ending is not None, following)
            if world.ending is not None:
                return Solo(tuple(moves), Halt.OVER)
        return Solo(tuple(moves), Halt.CUT)

    def after(self, state: World, thread: int, moves: int) -> World:
        world = state.copy()
        for _ in range(moves):
            self._perform(world, thread)
        return world

    def future(self, state: World, thread: int) -> SoloFuture:
        return self._futures.of(self._spot(state, thread))

    def is_deadlock(self, state: World) -> bool:
        ready, waiters = state.enabledness()
        return not ready | waiters and bool(state.live) and state.ending is None

    def successors(self, state: World) -> list[World]:
        """Every step of every thread: for the search without reduction."""
        return [self.after(state, thread, 1) for thread in self.threads(state) if self._enabled(state, thread)]

    def _perform(self, world: World, thread: int) -> Effect:
        """One step. Whoever comes to a known place goes on from the way known there: ways do not grow with every round of a loop."""
        effect = world.perform(thread)
        for each in (thread, *world.fresh):
            node = world.nodes[each]
            world.nodes[each] = self._known.setdefault(node.place, node)
        return effect

    def _note(self, spot: Spot, node: UnrolledNode) -> None:
        self.local.add(spot)
        self._futures.stands(spot, node)

    def _spot(self, world: World, thread: int) -> Spot:
        return world.paths[thread], world.nodes[thread].place

    def _enabled(self, world: World, thread: int) -> bool:
        ready, waiters = world.enabledness()
        return bool((ready | (0 if ready else waiters)) >> thread & 1)

    def _footprint(self, world: World, thread: int, node: UnrolledNode) -> Footprint:
        assert node.action is not None
        return with_join(node.action.kind, node.action.footprint, world.numbers.get(node.action.target or ()))


def count_states(space: SimulatedSpace, max_states: int = 100_000) -> tuple[int, int, bool]:
    """(states, transitions, all of them) of the search without any reduction."""
    waiting, transitions = [space.initial()], 0
    covered: set[Hashable] = set()
    while waiting:
        state = waiting.pop()
        key = space.key(state)
        if key in covered:
            continue
        if len(covered) >= max_states:
            return len(covered), transitions, False
        covered.add(key)
        following = space.successors(state)
        transitions += len(following)
        waiting += following
    return len(covered), transitions, True
