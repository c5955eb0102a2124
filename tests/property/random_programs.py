"""Random programs over everything that simulated threads can do, in the notation of bpor.simulate.notation.

Invariant: one grammar for both sources of choice, hypothesis (shrinks) and random.Random (soak). Programs are mostly well formed: a
mutex is unlocked by its holder (`unlock o`, which nobody holds, is misuse on purpose), a condition is waited for with its mutex held.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from bpor.simulate.notation import parse
from bpor.simulate.program import DEFAULT, Program, Semantics

Integer = Callable[[int, int], int]  # a choice between two numbers, both included


@dataclass(frozen=True, slots=True)
class Sample:
    """A program and the semantics it runs under; prints as what to paste."""

    text: str
    semantics: Semantics = DEFAULT
    posted: int = 0  # initial count of semaphore s
    with_main: bool = False  # threads spawned and joined by a main thread
    leaves: bool = False  # the first thread, or that main thread, leaves by pthread_exit

    @property
    def program(self) -> Program:
        plain = parse(self.text, s=self.posted)
        return plain.with_main(self.leaves) if self.with_main else replace(plain, leaves=self.leaves)


@dataclass(slots=True)
class _Thread:
    integer: Integer
    families: list[str]
    threads: int
    operations: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)  # mutexes
    reading: int = 0
    writing: int = 0

    def one_of(self, *choices: str) -> str:
        return choices[self.integer(0, len(choices) - 1)]

    def extend(self) -> None:
        """One or two more operations of a random family."""
        family = self.families[self.integer(0, len(self.families) - 1)]
        self.operations += getattr(self, "_" + family)()

    def _memory(self) -> list[str]:
        variable = self.one_of("x", "y")
        return [self.one_of("W", "R", "RMW", "CAS", "if W", "R", "W") + " " + variable]

    def _one_variable(self) -> list[str]:
        return [self.one_of("Wx", "Rx")]

    def _mutex(self) -> list[str]:
        if self.held and self.integer(0, 2):
            return ["unlock " + self.held.pop()]
        mutex = self.one_of("m", "m", "n")
        if mutex in self.held:
            return ["unlock " + self.held.pop(self.held.index(mutex))]
        self.held.append(mutex)
        return ["lock " + mutex]

    def _one_mutex(self) -> list[str]:
        if "m" not in self.held:
            self.held.append("m")
            return ["lock m"]
        return ["unlock " + self.held.pop(self.held.index("m"))]

    def _attempt(self) -> list[str]:
        mutex = self.one_of("m", "n")
        if mutex in self.held:
            return ["unlock " + self.held.pop(self.held.index(mutex))]
        return self.one_of(f"trylock {mutex}; if unlock {mutex}", f"trylock {mutex}", "trylock m; if Wx", "CAS x").split("; ")

    def _timed(self) -> list[str]:
        if "m" in self.held:
            return [self.one_of("timedwait c m", "timedwait d m")]
        if "n" in self.held:
            return [self.one_of("timedwait c n", "timedwait f n")]
        return self.one_of("timedlock m; if unlock m", "timedlock m", "sem_timedwait", "timedwrlock", "timedrdlock").split("; ")

    def _rwlock(self) -> list[str]:
        if self.writing:
            self.writing -= 1
            return ["wrunlock"]
        if self.reading and self.integer(0, 1):
            self.reading -= 1
            return ["rdunlock"]
        choice = self.one_of("rdlock", "wrlock", "tryrdlock; if rdunlock", "trywrlock; if wrunlock", "trywrlock")
        self.reading += choice == "rdlock"
        self.writing += choice == "wrlock"
        return choice.split("; ")

    def _condition(self) -> list[str]:
        if "m" in self.held:
            return [self.one_of("wait c m", "wait c m", "signal", "broadcast", "timedwait c m")]
        return [self.one_of("signal", "signal", "broadcast")]

    def _semaphore(self) -> list[str]:
        return [self.one_of("sem_wait", "post", "post", "sem_trywait", "sem_timedwait")]

    def _barrier(self) -> list[str]:
        return [self.one_of("barrier b 2", f"barrier b {self.threads}", "barrier e 2")]

    def _yields(self) -> list[str]:
        return [self.one_of("yield", "yield", "sleep", "pause")]

    def _spin(self) -> list[str]:
        return [self.one_of("until R x", "until trylock m", "until sem_trywait", "until CAS y")]

    def _joining(self) -> list[str]:
        return [self.one_of(*(f"join {number}" for number in range(self.threads - 1)))]  # the last may be spawned by another

    def _process(self) -> list[str]:
        return self.one_of("exit", "exit 1", "Rx; assert", "Ry; assert", "unlock o").split("; ")


FAMILIES = [
    *("memory", "one_variable", "mutex", "attempt", "timed", "rwlock", "condition", "semaphore", "barrier", "yields", "process"),
    "joining",
]


# What rules of the search look at together: half of the programs are made of these, because mutants survived programs that are
# made of anything.
RECIPES = [
    ("memory", "yields"),
    ("one_variable", "yields"),
    ("one_variable", "one_mutex"),
    ("one_variable", "one_variable", "one_mutex"),
    ("memory", "mutex"),
    ("memory", "semaphore", "yields"),
    ("one_variable", "joining", "yields"),
    ("one_variable", "yields", "spawning"),
    ("timed", "condition", "mutex"),
    ("timed", "memory", "yields"),
    ("memory", "process"),
    ("mutex", "attempt", "one_variable"),
]


def _families(integer: Integer, spinning: bool) -> list[str]:
    if integer(0, 1):
        return list(RECIPES[integer(0, len(RECIPES) - 1)])
    pool = FAMILIES + ["spin"] * spinning
    return [pool[integer(0, len(pool) - 1)] for _ in range(integer(1, 3))]


def generate(integer: Integer, spinning: bool = False, max_operations: int = 12) -> Sample:
    """One program from a source of choices; `spinning`: with loops that end only under a fair bound."""
    threads = (2, 3, 2, 3, 4)[integer(0, 4)]
    families = _families(integer, spinning)
    if "condition" in families or "timed" in families:
        families.append("mutex")
    if "spin" in families or "joining" in families:
        families.append("memory")
    if "joining" in families:
        families.append("yields")
    if spinning and integer(0, 3) == 0:
        families += ["timed", "mutex", "yields", "yields"]  # what may time out beside who is kept waiting (erratum E48)
    budget = min(max_operations, 10 if threads == 4 else 12)
    spawning = "spawning" in families
    families = [family for family in families if family != "spawning"]
    threads = max(threads, 3) if spawning else threads
    bodies = [_Thread(integer, families, threads) for _ in range(threads)]
    for _ in range(integer(threads, budget)):
        bodies[integer(0, threads - 1)].extend()
    if threads > 2 and (spawning or integer(0, 2) == 0):
        _spawn_last(bodies, integer)
    semantics = Semantics(fifo=integer(0, 3) == 0, explore_timeouts=integer(0, 3) == 0, spurious=integer(0, 7) == 0)
    text = " | ".join("; ".join(body.operations) for body in bodies)
    with_main = "joining" not in families and integer(0, 5) == 0
    return Sample(text, semantics, integer(0, 1) if "semaphore" in families else 0, with_main, integer(0, 5) == 0)


def _spawn_last(bodies: list[_Thread], integer: Integer) -> None:
    """The last thread is created by another one, in mid-run."""
    creator = bodies[integer(0, len(bodies) - 2)].operations
    creator.insert(integer(0, len(creator)), f"spawn {len(bodies) - 1}")
    if integer(0, 1):
        creator.append(f"join {len(bodies) - 1}")


def from_random(source: random.Random, spinning: bool = False, max_operations: int = 12) -> Sample:
    return generate(source.randint, spinning, max_operations)


@st.composite
def samples(draw: st.DrawFn, spinning: bool = False, max_operations: int = 10) -> Sample:
    return generate(lambda low, high: draw(st.integers(low, high)), spinning, max_operations)
