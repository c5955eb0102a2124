"""Schedule: the choices of one execution, threads counted from main. The value that replays; its text form is `0*4,1*2,0`.

Where an operation offers several alternatives, `2.1` is thread 2 taking alternative 1; `2` is `2.0`.

A schedule without an end is a lasso, `0*2(1,2,1,2)*`: the stem, then one round for ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from bpor.lazy_dataclass import dataclass
from bpor.model.choice import MAX_ALTERNATIVE, MAX_THREAD, Choice, alternative_of, choice_of, thread_of

_RUN = re.compile(r"(\d+)(?:\.(\d+))?(?:\*(\d+))?")
_LASSO = re.compile(r"([^()]*)(?:\(([^()]+)\)\*)?")
MAX_LENGTH = 10_000_000  # a schedule text is input: `0*99999999999` must not eat the memory


@dataclass(frozen=True, slots=True)
class Schedule:
    threads: tuple[Choice, ...] = ()  # of a lasso: its stem
    round: tuple[Choice, ...] = ()  # goes on for ever; empty: the schedule ends

    @staticmethod
    def of(threads: Iterable[Choice]) -> Schedule:
        return Schedule(tuple(threads))

    @staticmethod
    def parse(text: str) -> Schedule:
        """Raises ValueError with the reason."""
        match = _LASSO.fullmatch(text)
        if match is None:
            raise ValueError("a round stands once, at the end: STEM(ROUND)*")
        stem, round = _threads(match[1]), _threads(match[2] or "")
        if match[2] and not round:
            raise ValueError("a round has at least one step")
        return Schedule(stem, round)

    def unrolled(self, rounds: int) -> Schedule:
        """The stem and so many rounds."""
        return Schedule(self.threads + self.round * rounds)

    def __str__(self) -> str:
        return _text(self.threads) + (f"({_text(self.round)})*" if self.round else "")

    def __len__(self) -> int:
        return len(self.threads) + len(self.round)

    def __iter__(self) -> Iterator[Choice]:
        yield from self.threads
        yield from self.round


def _threads(text: str) -> tuple[Choice, ...]:
    threads: list[Choice] = []
    for part in filter(None, text.split(",")):
        match = _RUN.fullmatch(part)
        if match is None:
            raise ValueError(f"{part!r} is not THREAD, THREAD*COUNT or THREAD.ALTERNATIVE")
        thread, alternative, count = int(match[1]), int(match[2] or 0), int(match[3] or 1)
        if thread > MAX_THREAD or alternative > MAX_ALTERNATIVE:
            raise ValueError(f"{part!r}: threads count to {MAX_THREAD}, alternatives to {MAX_ALTERNATIVE}")
        if count + len(threads) > MAX_LENGTH:
            raise ValueError(f"more than {MAX_LENGTH} steps")
        threads.extend([choice_of(thread, alternative)] * count)
    return tuple(threads)


def _text(threads: tuple[Choice, ...]) -> str:
    runs = ((choice, sum(1 for _ in run)) for choice, run in groupby(threads))
    return ",".join(_name(choice) if count == 1 else f"{_name(choice)}*{count}" for choice, count in runs)


def _name(choice: Choice) -> str:
    alternative = alternative_of(choice)
    return f"{thread_of(choice)}.{alternative}" if alternative else str(thread_of(choice))
