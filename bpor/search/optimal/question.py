"""Question: what only an execution can tell: may a thread run in some state, and what does its next step do there?"""

from __future__ import annotations

from dataclasses import dataclass

from bpor.model.step import Step


@dataclass(frozen=True, slots=True)
class Question:
    """Is `thread` enabled after these steps, and what does its next step do?"""

    steps: tuple[Step, ...]
    thread: int
    key: tuple[int, ...]  # questions with equal keys have equal answers


@dataclass(frozen=True, slots=True)
class Answer:
    enabled: bool
    step: Step | None = None  # made, to see
