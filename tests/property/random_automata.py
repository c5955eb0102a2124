"""Random programs with loops, in the notation of bpor.simulate.automaton: finitely many states, endless executions.

Loops spin, compare and exchange, try a lock, back off from a second one, poll under a mutex, are polite to a flag or wait for a condition;
half of them yield. `more`: also read-write locks, barriers, threads that are created and joined in mid-run or by a main thread, whose
return ends the process, exits and failed assertions; `timed`: waits with timeouts too. Invariant: a mutex is unlocked by its holder.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from bpor.simulate.automaton import automata
from bpor.simulate.program import DEFAULT, Program, Semantics


@dataclass(frozen=True, slots=True)
class Looping:
    """A program and the semantics it runs under; prints as what to paste."""

    text: str
    semantics: Semantics = DEFAULT
    with_main: bool = False

    @property
    def program(self) -> Program:
        plain = automata(self.text)
        return plain.with_main() if self.with_main else plain


RARITIES = ("rdlock l; R x0; rdunlock l", "wrlock l; W x0 1; wrunlock l", "barrier b 2", "exit", "R x0; assert", "pause")
TIMED = ("sem_timedwait s", "TIMED LOCK", "TIMED WAIT", "TIMED LOOP", "sleep")


class _Thread:
    def __init__(self, source: random.Random, variables: int, mutexes: int, yields: bool, more: bool = False, timed: bool = False) -> None:
        self.more, self.timed = more, timed
        self.source = source
        self.variables, self.mutexes, self.yields = variables, mutexes, yields
        self.code: list[str] = []
        self.held: list[str] = []
        self.labels = 0

    def variable(self) -> str:
        return f"x{self.source.randrange(self.variables)}"

    def mutex(self) -> str:
        return f"m{self.source.randrange(self.mutexes)}"

    def loop(self, *body: str) -> None:
        """`body` again and again; AWAY in it leaves the loop."""
        head, out = f"L{self.labels}", f"M{self.labels}"
        self.labels += 1
        pause = ["yield"] if self.yields and self.source.random() < 0.5 else []
        first, *rest = (part.replace("AWAY", out) for part in body)
        self.code += [f"{head}: {first}", *rest, *pause, f"goto {head}", f"{out}:"]

    def add_loop(self) -> None:
        source, x, m = self.source, self.variable(), self.mutex()
        leave = source.choice(("zero AWAY", "nonzero AWAY"))
        kind = source.randrange(10 if self.more else 8)
        if kind == 0:
            self.loop(f"R {x}", "nonzero AWAY")
        elif kind == 1:
            self.loop(f"R {x}", "zero AWAY")
        elif kind == 2:
            self.loop(f"CAS {x} {source.randrange(2)} {source.randrange(1, 3)}", "nonzero AWAY")
        elif kind == 3 and not self.held:
            self._try(m)
        elif kind == 4 and not self.held:
            self.loop(f"lock {m}", f"R {x}", f"unlock {m}", leave)
        elif kind == 5:
            self.loop(f"W {x} 1", f"R {self.variable()}", leave, f"W {x} 0")
        elif kind == 6:
            self.loop(f"R {x}", f"R {self.variable()}", leave)
        elif kind == 8:
            self.loop("tryrdlock l", "nonzero AWAY")
            self.code += [f"R {x}", "rdunlock l"]
        elif kind == 9:
            self.loop("trywrlock l", "nonzero AWAY")
            self.code += [f"RMW {x} 1", "wrunlock l"]
        elif kind == 7 and not self.held:
            head = f"L{self.labels}"
            self.labels += 1
            self.code += ["lock m0", f"{head}: R x0", f"nonzero M{head}", "wait c m0", f"goto {head}", f"M{head}: unlock m0"]

    def _try(self, first: str) -> None:
        second = f"m{(int(first[1]) + 1) % self.mutexes}"
        if first != second:
            self.loop(f"lock {first}", f"trylock {second}", "nonzero AWAY", f"unlock {first}")
            self.code += [f"unlock {second}", f"unlock {first}"]
        else:
            self.loop(f"trylock {first}", "nonzero AWAY")
            self.code += [f"RMW {self.variable()} 1", f"unlock {first}"]

    def add_rarity(self) -> None:
        choice = self.source.choice(RARITIES + TIMED * self.timed)
        if choice in ("exit", "R x0; assert") and self.source.random() < 0.7:
            choice = "rdlock l; rdunlock l"
        if choice == "TIMED LOCK":
            out = f"L{self.labels}"
            self.labels += 1
            choice = "pause" if "m0" in self.held else f"timedlock m0; zero {out}; R x0; unlock m0; {out}:"
        if choice == "TIMED WAIT":
            choice = "timedwait c m0" if "m0" in self.held else "lock m0; timedwait c m0; unlock m0"
        if choice == "TIMED LOOP":
            if self.held:
                return
            if self.source.random() < 0.5:
                self.loop("sem_timedwait s", "nonzero AWAY")
            else:
                self.loop("lock m0", "R x0", "unlock m0", "nonzero AWAY", "lock m0", "timedwait c m0", "unlock m0")
            return
        self.code += choice.split("; ")

    def add_plain(self) -> None:
        source = self.source
        if self.more and source.random() < 0.25:
            self.add_rarity()
            return
        choice = source.choices(
            ("read", "write", "add", "copy", "yield", "post", "sem_wait", "signal", "if", "mutex"), (10, 16, 4, 3, 4, 4, 3, 3, 3, 8)
        )[0]
        if choice == "read":
            self.code.append(f"R {self.variable()}")
        elif choice == "write":
            self.code.append(f"W {self.variable()} {source.randrange(3)}")
        elif choice == "add":
            self.code.append(f"RMW {self.variable()} 1")
        elif choice == "copy":
            self.code += [f"R {self.variable()}", f"INC {self.variable()}"]
        elif choice == "yield":
            self.code.append("yield")
        elif choice in ("post", "sem_wait"):
            self.code.append(f"{choice} s")
        elif choice == "signal":
            self.code.append(source.choice(("signal c", "broadcast c")))
        elif choice == "if":
            out = f"L{self.labels}"
            self.labels += 1
            self.code += [f"R {self.variable()}", f"{source.choice(('zero', 'nonzero'))} {out}", f"W {self.variable()} 2", f"{out}:"]
        else:
            mutex = self.mutex()
            if mutex in self.held:
                self.code.append(f"unlock {mutex}")
                self.held.remove(mutex)
            else:
                self.code.append(f"lock {mutex}")
                self.held.append(mutex)

    def text(self) -> str:
        if self.source.random() < 0.9:
            self.code += [f"unlock {mutex}" for mutex in reversed(self.held)]
        return "; ".join(self.code or ["W x0 1"])


def looping(source: random.Random, threads: int | None = None, largest: int = 4, more: bool = False, timed: bool = False) -> Looping:
    number = threads or source.choice((2, 2, 2, 3, 3))
    variables, mutexes = source.choice((1, 2, 2, 3)), source.choice((1, 1, 2))
    bodies = [_Thread(source, variables, mutexes, yields=True, more=more, timed=timed) for _ in range(number)]
    for body in bodies:
        for _ in range(source.randint(1, largest)):
            if source.random() < 0.42:
                body.add_loop()
            else:
                body.add_plain()
    # Not both: threads are numbered in the order of their creation, which nobody takes for a difference between states.
    main = more and source.random() < 0.4
    if more and not main and number > 2:
        _spawn_last(source, bodies)
    return Looping(" | ".join(body.text() for body in bodies), with_main=main)


def _spawn_last(source: random.Random, bodies: list[_Thread]) -> None:
    """The last thread is created by another one, which may join it."""
    creator, last = source.choice(bodies[:-1]), len(bodies) - 1
    creator.code.insert(0, f"spawn {last}")
    if source.random() < 0.5:
        creator.code.append(f"join {last}")
