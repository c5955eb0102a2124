"""The exact oracle of programs with loops: the whole graph of states and bound states, and the fair components of it.

Two states are one if everything that decides the future is equal: where each thread stands, the objects, and the site of each thread's last
failed try, which decides what is a yield. A bound state is who ran last (nobody, if leaving it is free), the preemptions spent, and under a
fair bound the yields of each thread. The bounds are defined here once more, apart from those of the search, because where states are
recognised they differ from bounds.py in two ways (they have to, for the graph to be finite and for loops not to hide others):
* yields are normalised after each step: threads that ended count 0, the smallest count of a live thread becomes 0, and a gap between
  neighbouring counts that is larger than fair + 1 becomes fair + 1;
* leaving a thread is also free where it comes back to the very same state if it runs on alone (erratum E37). Under a fair bound a round
  in which it yields is none: that bound may end the round before anybody has seen it close, and the yield can be left freely anyway.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from bpor.lazy_dataclass import dataclass, field
from bpor.model.components import fair_components
from bpor.model.policy import threads_in
from bpor.model.trace import Outcome
from bpor.simulate.oracle import TooManyPrefixes
from bpor.simulate.program import DEFAULT, Program, Semantics
from bpor.simulate.unroll import Unrolling
from bpor.simulate.world import Path, World, identity_of


class Successor(NamedTuple):
    state: int
    yields: bool
    cuts: bool
    circles: bool


class ProgramStates:
    """The states of one program by number, each looked at once."""

    def __init__(self, program: Program, semantics: Semantics = DEFAULT, max_states: int = 100_000) -> None:
        self._max_states = max_states
        self._numbers: dict[Hashable, int] = {}
        self.worlds: list[World] = []
        self.masks: list[tuple[int, int]] = []  # ready, and those who may time out where that makes the state idle
        self._after: dict[tuple[int, int], Successor] = {}
        self._circular: dict[tuple[int, int, bool], bool] = {}
        self._number(World(program, semantics, Unrolling()))

    def _number(self, world: World) -> int:
        number = self._numbers.setdefault(identity_of(world), len(self.worlds))
        if number == len(self.worlds):
            if number == self._max_states:
                raise TooManyPrefixes(f"more than {number} states")
            self.worlds.append(world)
            self.masks.append(world.enabledness())
        return number

    def number_of(self, identity: Hashable) -> int | None:
        return self._numbers.get(identity)

    def after(self, state: int, thread: int) -> Successor:
        known = self._after.get((state, thread))
        if known is None:
            world = self.worlds[state].copy()
            effect = world.perform(thread)
            circles = effect.yields and not effect.passing
            known = Successor(self._number(world), effect.yields, effect.yields or effect.cuts, circles)
            self._after[state, thread] = known
        return known

    def comes_back(self, state: int, thread: int, yielding: bool) -> bool:
        """Does a thread that runs on alone, without any timeout, come back to this very state? `yielding`: it may yield on its way."""
        known = self._circular.get((state, thread, yielding))
        if known is None:
            known = self._circular[state, thread, yielding] = self._round(state, thread, yielding)
        return known

    def _round(self, state: int, thread: int, yielding: bool) -> bool:
        seen: set[int] = set()
        at = state
        while at not in seen and self.masks[at][0] >> thread & 1:
            seen.add(at)
            after = self.after(at, thread)
            if after.yields and not yielding:
                return False
            at = after.state
            if at == state:
                return True
        return False


class Spent(NamedTuple):
    """A bound state."""

    last: int = -1  # -1: leaving who ran last is free
    preemptions: int = 0
    yields: tuple[int, ...] = ()  # normalised
    circling: int = 0


@dataclass(frozen=True, slots=True)
class GraphLimits:
    """The bounds, None: not bounded. A bound state only keeps what its bound looks at."""

    preemption: int | None = None
    fair: int | None = None

    def enabled(self, states: ProgramStates, state: int, spent: Spent) -> tuple[int, int]:
        """Masks: who can run, and who of them by a timeout alone."""
        ready, waiters = states.masks[state]
        idle = bool(waiters) and not ready & ~self.blocked(spent, ready | waiters)
        return (ready | waiters, waiters) if idle else (ready, 0)

    def blocked(self, spent: Spent, enabled: int) -> int:
        """Those whom the fair bound keeps from running."""
        if self.fair is None or not enabled:
            return 0
        allowed = min(spent.yields[thread] for thread in threads_in(enabled)) + self.fair
        return sum(1 << each for each in threads_in(enabled) if spent.yields[each] > allowed and spent.circling >> each & 1)

    def begin(self, states: ProgramStates) -> Spent:
        return Spent(yields=(0,) * len(states.worlds[0].nodes) if self.fair is not None else ())

    def step(self, states: ProgramStates, state: int, spent: Spent, thread: int) -> tuple[int, Spent] | None:
        """A step of an enabled thread; None: it is beyond the bound."""
        enabled, _ = self.enabled(states, state, spent)
        if self.blocked(spent, enabled) >> thread & 1:
            return None
        charged = spent.last not in (-1, thread)
        if self.preemption is not None and spent.preemptions + charged > self.preemption:
            return None
        after = states.after(state, thread)
        counted = self._counted(states, spent, thread, after)
        if self.preemption is None:
            return after.state, counted
        counted = counted._replace(preemptions=spent.preemptions + charged)
        enabled, timed = self.enabled(states, after.state, counted)
        stays = enabled & ~self.blocked(counted, enabled) & ~timed
        free = after.cuts or timed or not stays >> thread & 1 or states.comes_back(after.state, thread, self.fair is None)
        return after.state, counted._replace(last=-1 if free else thread)

    def _counted(self, states: ProgramStates, spent: Spent, thread: int, after: Successor) -> Spent:
        if self.fair is None:
            return Spent()
        world = states.worlds[after.state]
        yields, circling = list(spent.yields), spent.circling
        yields[thread] += after.yields
        if after.yields:
            circling = circling & ~(1 << thread) | after.circles << thread
        yields += [yields[thread]] * (len(world.nodes) - len(yields))  # new threads: erratum E30
        return Spent(yields=normalised(tuple(yields), world.live, self.fair), circling=circling & world.live)


def normalised(yields: tuple[int, ...], live: int, fair: int) -> tuple[int, ...]:
    """Finitely many counts that say the same of who is kept waiting."""
    level, before, levels = 0, None, dict[int, int]()
    for count in sorted({yields[thread] for thread in threads_in(live)}):
        level += 0 if before is None else min(count - before, fair + 1)
        levels[count] = level
        before = count
    return tuple(levels[count] if live >> thread & 1 else 0 for thread, count in enumerate(yields))


Node = tuple[int, Spent]


@dataclass(slots=True)
class ReachableGraph:
    """What is reachable within a bound."""

    local: set[tuple[Path, int]] = field(default_factory=set)  # a thread at a node of its code
    final: dict[int, Outcome] = field(default_factory=dict)  # states in which nobody can go on, deadlocks among them
    edges: dict[Node, list[tuple[int, Node]]] = field(default_factory=dict)
    fair: list[frozenset[int]] = field(default_factory=list)  # the states of each fair component

    @property
    def nodes(self) -> int:
        return len(self.edges)

    @property
    def states(self) -> set[int]:
        return {state for state, _ in self.edges}

    @property
    def steps(self) -> int:
        return sum(map(len, self.edges.values()))


def whole_graph(states: ProgramStates, preemption: int | None = None, fair: int | None = None, max_nodes: int = 100_000) -> ReachableGraph:
    """Everything that a program can do within a bound, and where it can go on for ever. Raises TooManyPrefixes."""
    limits, graph = GraphLimits(preemption, fair), ReachableGraph()
    waiting: list[Node] = [(0, limits.begin(states))]
    graph.edges[waiting[0]] = []
    while waiting:
        node = waiting.pop()
        state, spent = node
        world = states.worlds[state]
        graph.local.update((path, each.number) for path, each in zip(world.paths, world.nodes, strict=True))
        enabled, _ = limits.enabled(states, state, spent)
        if not enabled:
            graph.final[state] = world.outcome_if_stuck().outcome
        for thread in threads_in(enabled):
            following = limits.step(states, state, spent, thread)
            if following is None:
                continue
            graph.edges[node].append((thread, following))
            if following not in graph.edges:
                graph.edges[following] = []
                waiting.append(following)
        if len(graph.edges) > max_nodes:
            raise TooManyPrefixes(f"more than {max_nodes} nodes")
    components = fair_components(graph.edges, graph.edges, lambda node: limits.enabled(states, *node)[0])
    graph.fair = [frozenset(state for state, _ in component) for component in components]
    return graph
