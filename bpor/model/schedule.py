"""Schedule: the thread choices of one execution, counted from main. The value that replays; its text form is `0*4,1*2,0`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

_RUN = re.compile(r"(\d+)(?:\*(\d+))?")
MAX_LENGTH = 10_000_000  # a schedule text is input: `0*99999999999` must not eat the memory


@dataclass(frozen=True, slots=True)
class Schedule:
    threads: tuple[int, ...] = ()

    @staticmethod
    def of(threads: Iterable[int]) -> Schedule:
        return Schedule(tuple(threads))

    @staticmethod
    def parse(text: str) -> Schedule:
        """Raises ValueError with the reason."""
        threads: list[int] = []
        for part in filter(None, text.split(",")):
            match = _RUN.fullmatch(part)
            if match is None:
                raise ValueError(f"{part!r} is not THREAD or THREAD*COUNT")
            count = int(match[2] or 1)
            if count + len(threads) > MAX_LENGTH:
                raise ValueError(f"more than {MAX_LENGTH} steps")
            threads.extend([int(match[1])] * count)
        return Schedule(tuple(threads))

    def __str__(self) -> str:
        runs = ((thread, sum(1 for _ in run)) for thread, run in groupby(self.threads))
        return ",".join(str(thread) if count == 1 else f"{thread}*{count}" for thread, count in runs)

    def __len__(self) -> int:
        return len(self.threads)

    def __iter__(self) -> Iterator[int]:
        return iter(self.threads)
