"""Question: a fact that only an execution can establish: is a thread enabled in some state, and what does its next step do there?

Every execution also answers questions that were not asked yet, because a step does the same in all states that agree on what it depends on.
"""

from __future__ import annotations

from bpor.lazy_dataclass import dataclass
from bpor.model.operation import Footprint
from bpor.model.step import Step


@dataclass(frozen=True, slots=True)
class Question:
    """Is `thread` enabled after these steps, and what does its next step do?"""

    steps: tuple[Step, ...]
    thread: int
    key: tuple[int, ...]  # questions with equal keys have equal answers


@dataclass(frozen=True, slots=True)
class Reply:
    enabled: bool
    footprint: Footprint | None = None  # of the step, if it was made
    ends: bool = False  # the process


def answer_of(step: Step) -> Reply:
    return Reply(True, step.footprint, step.ends_process or step.operation.kind.ends)
