"""Gathering: a search that is given up for a race goes on for a while, and gathers other races that it comes to.

Each of them would give up a search as long as this one; and those that follow soon, which differ from it in their last steps, are many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bpor.search.result import Failure

WORTH = 16  # executions before the first race: fewer are not worth as many again, ...
MOST = 256  # ... and of more no more are


class Gathering:
    def __init__(self, is_passed: Callable[[Failure], bool]) -> None:
        """`is_passed`: does the place of this failure become an operation?"""
        self._is_passed = is_passed
        self._first_at = 0  # execution in which the first of them was seen
        self._answers: dict[object, bool] = {}  # by way to fail

    def goes_on(self, executions: int, failures: Sequence[Failure]) -> bool:
        """Behind these failures, so far."""
        self._first_at = self._first_at or executions
        until = self._first_at + min(self._first_at, MOST)
        return self._first_at >= WORTH and executions < until and all(map(self._passes, failures))

    def _passes(self, failure: Failure) -> bool:
        if failure.way not in self._answers:
            self._answers[failure.way] = self._is_passed(failure)
        return self._answers[failure.way]
