"""World: the state of one simulated execution. The only place where steps are performed.

Invariant: everything in it is either immutable or copied by `copy`; enabledness is a function of executed steps.
A thread is known by its number (order of creation) and by its path, (parent's path, n-th child), which is the same in equivalent
executions.
"""

from __future__ import annotations

from collections.abc import Hashable

from bpor.lazy_dataclass import dataclass, replace
from bpor.model.operation import Operation
from bpor.model.trace import Outcome
from bpor.simulate.action import Effect, Expiry, Misuse
from bpor.simulate.program import Program, Semantics
from bpor.simulate.thread import Assume, ProcessEnd, ThreadEnd
from bpor.simulate.unroll import Body, UnrolledNode, Unrolling

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """The process ended by itself, in the step of `thread`."""

    outcome: Outcome
    thread: int
    code: int = 0
    message: str = ""


class World:
    __slots__ = (
        "children",
        "ending",
        "failed_sites",
        "fresh",
        "injected",
        "leaves",
        "live",
        "main",
        "nodes",
        "numbers",
        "objects",
        "paths",
        "semantics",
        "unrolling",
        "weak",
    )

    def __init__(self, program: Program, semantics: Semantics, unrolling: Unrolling) -> None:
        self.semantics = semantics
        self.unrolling = unrolling
        self.objects: dict[int, Hashable] = dict(program.initial_objects())
        self.weak = semantics.weak_memory()
        self.main, self.leaves = program.main, program.leaves
        self.nodes: list[UnrolledNode] = []
        self.paths: list[Path] = []
        self.numbers: dict[Path, int] = {}
        self.children: list[int] = []  # how many threads each has created
        self.failed_sites: list[int] = []  # call site of each thread's last failed try, 0 if none
        self.live = 0  # mask of the unfinished threads
        self.ending: Ending | None = None
        self.injected: dict[str, int] = {}  # faults so far, by kind
        self.fresh: list[int] = []  # threads created by the step being performed
        for number, body in enumerate(program.threads):
            self._create((number,), body)
        self.fresh.clear()

    def copy(self) -> World:
        twin = World.__new__(World)
        twin.semantics, twin.unrolling, twin.main, twin.leaves = self.semantics, self.unrolling, self.main, self.leaves
        twin.objects = self.objects.copy()
        twin.weak = None if self.weak is None else self.weak.copy()
        twin.nodes = self.nodes.copy()
        twin.paths, twin.numbers, twin.children = self.paths.copy(), self.numbers.copy(), self.children.copy()
        twin.failed_sites, twin.injected = self.failed_sites.copy(), self.injected.copy()
        twin.live, twin.ending, twin.fresh = self.live, self.ending, []
        return twin

    # ---- asked by everybody ----

    def enabledness(self) -> tuple[int, int]:
        """Masks: threads that can run, and threads that can do so by a timeout in an idle state."""
        ready = waiters = 0
        if self.ending is not None:
            return 0, 0
        bit = 1
        for thread, node in enumerate(self.nodes):
            action = node.action
            if action is not None:
                if action.ready(self, thread):
                    ready |= bit
                else:
                    expiry = action.expiry(self, thread)
                    if expiry is Expiry.ALWAYS:
                        ready |= bit
                    elif expiry is Expiry.IDLE:
                        waiters |= bit
            bit <<= 1
        return ready, 0 if waiters and self.assumed_away else waiters

    @property
    def assumed_away(self) -> bool:
        """Does a thread stand at an assumption that does not hold? Then nobody's time is up because it does not go on."""
        return any(isinstance(node.action, Assume) for node in self.nodes)

    def waits_timed(self) -> bool:
        """Is the next operation of anybody one that may end by a timeout?"""
        return any(node.action is not None and node.action.timed for node in self.nodes)

    def pending(self, thread: int) -> Operation | None:
        """What the thread will do next; None if it has ended."""
        node = self.nodes[thread]
        if node.action is None or node.action.target is None:
            return node.operation
        assert node.operation is not None
        return Operation(node.operation.kind, node.operation.footprint, self.numbers.get(node.action.target), node.operation.site)

    def outcome_if_stuck(self) -> Ending:
        """How an execution ends whose process has ended or in which nobody can run."""
        if self.assumed_away and (self.ending is None or self.ending.outcome is Outcome.PASSED):
            return Ending(Outcome.ASSUMED, 0 if self.ending is None else self.ending.thread)
        if self.ending is not None:
            return self.ending
        if self.live:
            return Ending(Outcome.DEADLOCK, (self.live & -self.live).bit_length() - 1, message="no thread can run")
        return Ending(Outcome.PASSED, 0)

    # ---- the one step ----

    def alternatives(self, thread: int) -> int:
        """How many ways the next step of an enabled thread can go."""
        action = self.nodes[thread].action
        assert action is not None
        return action.alternatives(self, thread) if action.ready(self, thread) else 1

    def perform(self, thread: int, alternative: int = 0) -> Effect:
        """One step of an enabled thread (one that is not ready ends by its timeout), and its segment up to its next operation."""
        self.fresh.clear()
        node = self.nodes[thread]
        action = node.action
        assert action is not None and node.operation is not None
        try:
            if alternative:
                effect = action.take(self, thread, alternative)
            else:
                effect = action.run(self, thread) if action.ready(self, thread) else action.expire(self, thread)
        except Misuse as misuse:
            self.ending = Ending(Outcome.MISUSE, thread, message=str(misuse))
            return Effect(None, action.footprint)
        if effect.failed:
            effect = self._note_failure(thread, node.operation.site, effect)
        if self.ending is None or effect.then is not None:
            if effect.then is not None:
                self._place(thread, node.follow(effect.then))
            elif isinstance(action, ThreadEnd):
                self._end(thread, node.over())
            else:
                self._place(thread, node.observe(effect.value))
        if self.weak is not None and not action.is_atomic:
            joined = None if action.target is None else self.numbers.get(action.target)
            self.weak.other(thread, effect.footprint, self.fresh, joined)
        return effect

    def _note_failure(self, thread: int, site: int, effect: Effect) -> Effect:
        """A failed try at the call site of the thread's previous failed one is a yield."""
        again = self.failed_sites[thread] == site
        self.failed_sites[thread] = site
        if not again or effect.yields:
            return effect
        return replace(effect, yields=True)

    def _place(self, thread: int, node: UnrolledNode) -> None:
        if node.failure:
            self.ending = Ending(Outcome.ASSERTION, thread, message=node.failure)
        elif node.action is None:
            if self.leaves:
                node = node.follow(ThreadEnd(thread))  # an announced operation
            elif self.main and thread == 0:
                node = node.follow(ProcessEnd())  # likewise
            else:
                self.live &= ~(1 << thread)
        self.nodes[thread] = node

    def _end(self, thread: int, node: UnrolledNode) -> None:
        self.live &= ~(1 << thread)
        self.nodes[thread] = node

    # ---- asked by actions ----

    def spawn(self, body: Body, creator: int) -> Path:
        path = (*self.paths[creator], self.children[creator])
        self.children[creator] += 1
        self._create(path, body)
        return path

    def _create(self, path: Path, body: Body) -> None:
        number = len(self.nodes)
        self.paths.append(path)
        self.numbers[path] = number
        self.children.append(0)
        self.failed_sites.append(0)
        self.live |= 1 << number
        self.fresh.append(number)
        node = self.unrolling.root(body)
        self.nodes.append(node)
        self._place(number, node)

    def has_finished(self, path: Path) -> bool:
        number = self.numbers.get(path)
        return number is not None and not self.live >> number & 1

    def end_process(self, thread: int, code: int) -> None:
        self.ending = Ending(Outcome.EXIT if code else Outcome.PASSED, thread, code)

    # ---- identity, independent of footprints ----

    def observed(self) -> tuple[tuple[Path, int], ...]:
        """What each thread has observed, by path."""
        return tuple(sorted((path, node.number) for path, node in zip(self.paths, self.nodes, strict=True)))

    def key(self) -> Hashable:
        """Two worlds with equal keys have equal futures."""
        weak = None if self.weak is None else self.weak.key()
        injected = frozenset(self.injected.items())
        return (tuple(self.paths), tuple(node.number for node in self.nodes), frozenset(self.objects.items()), self.ending, weak, injected)


def true_state(world: World) -> Hashable:
    """Equal for two worlds iff their threads are at the same places and their objects equal."""
    places = tuple(node.place for node in world.nodes)
    return tuple(world.paths), places, frozenset(world.objects.items()), world.ending


def identity_of(world: World) -> Hashable:
    """Equal for two worlds iff they go on alike within every bound: a try that fails where the last one failed is a yield."""
    failed = tuple(site if world.live >> thread & 1 else 0 for thread, site in enumerate(world.failed_sites))
    return true_state(world), failed, frozenset(world.injected.items())
