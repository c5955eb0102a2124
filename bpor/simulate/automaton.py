"""Automata: threads with finitely many local states, so that programs with endless loops have finite graphs.

`automata("L: R x; zero L | W x 1")` is a program of two threads: one reads x until it is not 0, one writes it. Threads are separated by |,
instructions by ;, and `name:` in front of one is a label. A thread has two registers, both 0 at first: `value`, what it observed last, and
`old`, the one before it.
    R x   W x 2   INC x (value + 1)   RMW x [1]   CAS x 0 1         memory; sums are modulo 4, or what `modulus` says
    lock m  unlock m  trylock m  sem_wait s  sem_trywait s  post s  wait c m  signal c  broadcast c  yield
    and every other operation of notation.py, with the same arguments; `spawn 2` and `join 2` count threads from 0
    goto L    zero L    nonzero L    is 2 L (value is 2)    same L (value is old)
    keep (old becomes value)    again x (reads x, `old` stays)    clear (both become 0)    assert (fails if value is not 0)
A try observes 1 or 0. What a thread observes without looking at it again should be cleared: dead values tell states apart.
Invariant: a node is a local state (the next visible instruction and the registers), and there is one of each, so equal states are the
same objects; a loop without a visible instruction is an error.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from bpor.protocol.ops import Op
from bpor.simulate import memory, thread
from bpor.simulate.action import Action
from bpor.simulate.condition import Woken
from bpor.simulate.notation import make_action
from bpor.simulate.program import Program
from bpor.simulate.unroll import UnrolledNode

_JUMPS = {"goto", "zero", "nonzero", "is", "same"}
_SILENT = _JUMPS | {"keep", "clear", "assert"}
_MEMORY = {"R", "W", "INC", "RMW", "CAS", "again"}
_LONGEST_SILENCE = 50  # instructions without an operation: more are taken for a loop
_NOT_IN_A_THREAD = "an automaton is entered by its first node"

Instruction = tuple[str, ...]
Spawned = tuple[tuple[int, tuple[int, ...]], ...]  # the threads that this one created: number in the text, path


class Local(NamedTuple):
    """Where a thread stands and what it remembers."""

    at: int = 0
    value: int = 0
    old: int = 0
    spawned: Spawned = ()


class Automaton:
    """One thread. As a Body it is entered by `first_node`, and unrolled by nobody."""

    def __init__(
        self, code: list[Instruction], number: int, threads: list[Automaton], live: dict[int, tuple[int, ...]], modulus: int
    ) -> None:
        self.code = code
        self.number = number
        self.threads = threads
        self.live = live
        self.modulus = modulus
        self._nodes: dict[Hashable, Spot] = {}

    def __call__(self) -> Any:
        raise AssertionError(_NOT_IN_A_THREAD)

    def first_node(self) -> UnrolledNode:
        return self.node(Local())

    def node(self, local: Local) -> Spot:
        """The node of a local state, or of the next visible one after it."""
        failure = ""
        silent = 0
        while local.at < len(self.code) and self.code[local.at][0] in _SILENT and not failure:
            silent += 1
            if silent > _LONGEST_SILENCE:
                raise ValueError(f"thread {self.number} loops without an operation")
            failure = f"value is {local.value}" if self.code[local.at][0] == "assert" and local.value else ""
            local = self._silently(local)
        return self.known((local, failure), lambda: Spot(self, local, self._action(local) if not failure else None, failure))

    def known(self, key: Hashable, make: Any) -> Spot:
        spot = self._nodes.get(key)
        if spot is None:
            spot = self._nodes[key] = make()
        return spot

    def _silently(self, local: Local) -> Local:
        verb, *arguments = self.code[local.at]
        on = local._replace(at=local.at + 1)
        if verb == "keep":
            return on._replace(old=local.value)
        if verb == "clear":
            return on._replace(value=0, old=0)
        taken = {
            "goto": True,
            "zero": local.value == 0,
            "nonzero": local.value != 0,
            "is": verb == "is" and local.value == int(arguments[0]),
            "same": local.value == local.old,
            "assert": False,
        }[verb]
        return local._replace(at=int(arguments[-1])) if taken else on

    def _action(self, local: Local) -> Action | None:
        if local.at >= len(self.code):
            return None
        verb, *arguments = self.code[local.at]
        site = 1 + 64 * self.number + local.at
        if verb == "INC":
            return memory.write(arguments[0], (local.value + 1) % self.modulus).at(site)
        if verb == "RMW":
            return memory.rmw(arguments[0], self._sum(int(arguments[1]) if len(arguments) > 1 else 1)).at(site)
        if verb == "CAS":
            return memory.cas(arguments[0], int(arguments[1]), int(arguments[2])).at(site)
        if verb == "again":
            return memory.read(arguments[0]).at(site)
        if verb == "spawn":
            return thread.spawn(self.threads[int(arguments[0])]).at(site)
        if verb == "join":
            number = int(arguments[0])
            return thread.join(dict(local.spawned).get(number) or self.live[number]).at(site)
        return make_action(verb, arguments, site).at(site)

    def _sum(self, amount: int) -> Any:
        return lambda old: (old + amount) % self.modulus

    def observed(self, local: Local, observed: Any) -> Local:
        """The local state after the operation there gave the thread this."""
        verb, *arguments = self.code[local.at]
        on = local._replace(at=local.at + 1)
        if verb == "spawn":
            return on._replace(spawned=(*local.spawned, (int(arguments[0]), observed)))
        if observed is None or verb in ("W", "INC", "lock", "sem_wait", "wait"):
            return on
        if verb == "CAS":
            observed = observed == int(arguments[1])
        if isinstance(observed, Woken):
            observed = observed is Woken.SIGNALLED
        return on._replace(value=int(observed), old=local.old if verb == "again" else local.value)


class Spot(UnrolledNode):
    """A node of an automaton. After `follow` it stands inside an operation: what that observes belongs to the instruction there."""

    __slots__ = ("automaton", "local", "within")

    def __init__(self, automaton: Automaton, local: Local, action: Action | None, failure: str = "", within: Hashable = None) -> None:
        super().__init__(automaton, None, None, action, failure)
        self.automaton = automaton
        self.local = local if action is not None else local._replace(at=-1)
        self.within = within
        self.place_known = (self.local, failure, within)

    def observe(self, value: Hashable) -> UnrolledNode:
        child = self.children.get(value)
        if child is None:
            child = self.children[value] = self.automaton.node(self.automaton.observed(self.local, value))
        return child

    def follow(self, second: Action) -> UnrolledNode:
        within = (second.kind if second.kind is Op.THREAD_END else second.key(), self.within)
        second.site = second.site or (self.operation.site if self.operation is not None else 0)
        local = self.local
        return self.automaton.known((local, within), lambda: Spot(self.automaton, local, second, within=within))

    def over(self) -> UnrolledNode:
        return self.automaton.known("over", lambda: Spot(self.automaton, Local(), None))


def _instructions(text: str) -> list[Instruction]:
    code: list[list[str]] = []
    labels: dict[str, int] = {}
    for part in text.split(";"):
        words = part.replace(":", ": ").split()
        while words and words[0].endswith(":"):
            labels[words.pop(0)[:-1]] = len(code)
        if words:
            code.append(words)
    for words in code:
        if words[0] in _JUMPS:
            words[-1] = str(labels[words[-1]])
    return [tuple(words) for words in code]


def automata(text: str, modulus: int = 4, **semaphores: int) -> Program:
    """The program that the text describes; keyword arguments are initial counts of semaphores."""
    threads: list[Automaton] = []
    live: dict[int, tuple[int, ...]] = {}
    codes = [_instructions(part) for part in text.split("|")]
    spawned = {int(words[1]) for code in codes for words in code if words[0] == "spawn"}
    for number, code in enumerate(codes):
        threads.append(Automaton(code, number, threads, live, modulus))
        if number not in spawned:
            live[number] = (len(live),)
    variables = {words[1]: 0 for code in codes for words in code if words[0] in _MEMORY}
    live_threads = tuple(each for each in threads if each.number not in spawned)
    return Program(text, live_threads, variables=variables, semaphores=semaphores)
