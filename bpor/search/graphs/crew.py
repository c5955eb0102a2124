"""GraphThreads: threads under names that equivalent executions share. A thread is its creator and how many children that had: its
*member* number.

An executor numbers threads in the order of their creation, which two equivalent executions may do differently. Invariant: the same thread
has the same member number in every execution; where executions create their threads in one order both numberings are the same.
"""

from __future__ import annotations

from bpor.lazy_dataclass import replace
from bpor.model.operation import Operation
from bpor.model.policy import threads_in
from bpor.model.step import Step


class GraphThreads:
    """All threads ever met. Those of the start keep their numbers (one that has ended before the first step is never met itself)."""

    def __init__(self) -> None:
        self._members: dict[tuple[int, int], int] = {}
        self.first_number = 0  # what an executor calls the first thread that a step creates

    def member(self, creator: int, child: int) -> int:
        """The n-th child of a member."""
        return self._members.setdefault((creator, child), self.first_number + len(self._members))

    def saved(self) -> tuple[dict[tuple[int, int], int], int]:
        """For a later process (search/snapshot.py)."""
        return self._members, self.first_number

    def load(self, saved: tuple[dict[tuple[int, int], int], int]) -> None:
        self._members, self.first_number = saved


class Numbering:
    """The numbers of one execution, along its steps: member -> number and back."""

    def __init__(self, crew: GraphThreads, initial: tuple[int, ...]) -> None:
        self._crew = crew
        self._numbers: dict[int, int] = {}
        self._members: dict[int, int] = {}
        self._children: dict[int, int] = {}
        self._created = 0
        for number in initial:
            self._enrol(number, number)

    def _enrol(self, member: int, number: int) -> None:
        self._numbers[member] = number
        self._members[number] = member
        self._children[member] = 0

    def members(self, initial: tuple[tuple[int, Operation], ...]) -> tuple[tuple[int, Operation], ...]:
        return tuple((self._members[number], self.operation(operation)) for number, operation in initial)

    def number(self, member: int) -> int:
        return self._numbers[member]

    def follow(self, step: Step) -> int:
        """The number of the thread of a step that speaks of members; those it creates get the next numbers."""
        return self.take(step.thread, created_by(step))

    def take(self, member: int, creates: tuple[int, ...]) -> int:
        for child in creates:
            if child not in self._numbers:
                self._children[member] += 1
                self._enrol(child, self._crew.first_number + self._created)
                self._created += 1
        return self._numbers[member]

    def translate(self, step: Step) -> Step:
        """A step as an execution told it, in members."""
        thread = self._members[step.thread]
        for number in created_by(step):
            if number not in self._members:
                child = self._children[thread]
                self._children[thread] += 1
                self._crew.first_number = number - self._created
                self._enrol(self._crew.member(thread, child), number)
                self._created += 1
        if all(member == number for member, number in self._numbers.items()):
            return step
        return step._replace(
            thread=thread,
            operation=self.operation(step.operation),
            enabled=self.mask(step.enabled),
            timed=self.mask(step.timed),
            announced=tuple((self._members[number], self.operation(operation)) for number, operation in step.announced),
            finished=tuple(self._members[number] for number in step.finished),
        )

    def mask(self, mask: int) -> int:
        return sum(1 << self._members[number] for number in threads_in(mask))

    def operation(self, operation: Operation) -> Operation:
        if operation.target is None or operation.target not in self._members:
            return operation
        return replace(operation, target=self._members[operation.target])


def created_by(step: Step) -> tuple[int, ...]:
    """The threads that a step created. Those that ended at once are only told of as finished."""
    told = (*(thread for thread, _ in step.announced), *step.finished)
    return tuple(thread for thread in dict.fromkeys(told) if thread != step.thread)
