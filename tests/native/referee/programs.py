"""Random programs: words of the player before main, in main before and after the threads, and in every thread.

Invariant: a program is a function of the random source alone, and `argv` is all of it: what is printed can be pasted.
"""

from __future__ import annotations

import random
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.native.referee.player import families, player

Words = tuple[str, ...]
OUTSIDE = frozenset({"files", "directories"})  # change files, whose state at the fork point nobody puts back
_BOUNDS = ("none", "preemption:0", "preemption:1", "preemption:1", "preemption:2", "fair:2,preemption:1")
_SYNCHRONISATION = ("give", "give", "give", "try", "poll", "look", "look", "yield", "sleep", "post")
CROWD = 60
STANDARD = ("tasks", "values")  # of the C++ library
_STANDARD_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Program:
    before: Words  # before main, hence before the fork point
    first: Words  # by main, before there are threads
    last: Words  # by main, when they have ended
    threads: tuple[Words, ...]
    bound: str = "preemption:1"
    fork_at: str = "main"
    instrumented: bool = False

    @property
    def argv(self) -> list[str]:
        return [str(player(self.instrumented)), *(" ".join(words) for words in (self.before, self.first, self.last, *self.threads))]

    @property
    def most(self) -> int:
        """Executions of one search; those of a crowd are long."""
        return 5 if len(self.threads) > 8 else 40

    @property
    def size(self) -> int:
        return len(self.threads) + sum(map(len, (self.before, self.first, self.last, *self.threads)))

    def __str__(self) -> str:
        """What to paste."""
        built = "instrumented, " if self.instrumented else ""
        return f"{built}--bound {self.bound} --fork-at {self.fork_at} -- {shlex.join(self.argv)}"


def random_program(source: random.Random, without: Sequence[str] = ()) -> Program:
    """Of a few families only, so that their activities meet."""
    known = {name: words for name, words in families().items() if name not in without}
    chosen = source.sample(sorted(known), source.randint(1, min(3, len(known))))
    if source.random() < _STANDARD_SHARE:
        chosen = [*chosen[:1], *(name for name in STANDARD if name in known)]
    draw = _Draw(source, [word for name in chosen for word in known[name]])
    early = _Draw(source, [word for name in chosen if name not in OUTSIDE for word in known[name]])
    instrumented = source.random() < 0.2
    if source.random() < 0.03:
        alone = _Draw(source, [word for name in chosen if name != "tasks" for word in known[name]])  # each is one thread
        crowd = tuple((*alone.some(1), *draw.maybe(0.2, "give.1")) for _ in range(CROWD))
        return Program((), draw.some(1), draw.some(1), crowd, "preemption:0", "main", instrumented)
    threads = [draw.thread() for _ in range(source.choice((1, 2, 2, 2, 2, 3)))]
    if source.random() < 0.1:
        threads = [(*words[: len(words) // 2], "meet", *words[len(words) // 2 :]) for words in threads]
    if source.random() < 0.1:
        threads[0] = (*threads[0], "await")
        threads[-1] = ("notify.0", *threads[-1]) if len(threads) > 1 else threads[-1]
    bound, fork_at = source.choice(_BOUNDS), source.choice(("main", "main", "first-thread"))
    first = (draw if fork_at == "main" else early).some(2)
    return Program(early.some(2), first, draw.some(2), tuple(threads), bound, fork_at, instrumented)


class _Draw:
    def __init__(self, source: random.Random, words: list[str]) -> None:
        self._source, self._words = source, words

    def maybe(self, chance: float, word: str) -> Words:
        return (word,) if self._source.random() < chance else ()

    def activity(self) -> str:
        return f"{self._source.choice(self._words)}.{self._source.randrange(1000)}"

    def some(self, most: int) -> Words:
        return tuple(self.activity() for _ in range(self._source.randint(0, most if self._words else 0)))

    def thread(self) -> Words:
        words: list[str] = [*self.maybe(0.5, "give.0")]
        for _ in range(self._source.randint(1, 3)):
            words += self._section()
        faulty = self.maybe(0.04, f"wrong.{self._source.randrange(24)}")
        return (*words, *faulty, *self.maybe(0.05, "quit"))

    def _section(self) -> list[str]:
        kind = self._source.random()
        if kind < 0.5:
            return [self.activity()]
        if kind < 0.85:
            return [f"{self._source.choice(_SYNCHRONISATION)}.{self._source.randrange(4)}"]
        lock = self._source.randrange(2)
        return [f"lock.{lock}", self.activity(), *self.maybe(0.5, self.activity()), f"unlock.{lock}"]


def smaller(program: Program) -> list[Program]:
    """Those with one part less."""
    found = [replace(program, **{part: ()}) for part in ("before", "first", "last") if getattr(program, part)]
    if len(program.threads) > 8:  # halves first
        half = len(program.threads) // 2
        found += [replace(program, threads=program.threads[:half]), replace(program, threads=program.threads[half:])]
    found += [replace(program, threads=without(program.threads, number)) for number in range(len(program.threads))]
    for part in ("before", "first", "last"):
        words = getattr(program, part)
        found += [replace(program, **{part: without(words, number)}) for number in range(len(words))]
    for thread, words in enumerate(program.threads):
        for number in range(len(words)):
            less = without(words, number)
            found.append(replace(program, threads=(*program.threads[:thread], less, *program.threads[thread + 1 :])))
    return [one for one in found if one.size < program.size and _well_formed(one)]


def without(words: tuple[Words, ...] | Words, number: int) -> tuple:  # type: ignore[type-arg]
    return (*words[:number], *words[number + 1 :])


def _well_formed(program: Program) -> bool:
    """Barriers for all or for none; every lock is given back."""
    meetings = {words.count("meet") for words in program.threads}
    return len(meetings) <= 1 and all(
        words.count(f"lock.{number}") == words.count(f"unlock.{number}") for words in program.threads for number in range(2)
    )
