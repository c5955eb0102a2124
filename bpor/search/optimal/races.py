"""The reversible races of a finished execution, each with the beginning that reverses it (JACM 2017, Alg. 2, deferred race detection).

A step e races with a later step e' of thread u that depends on it, if nothing that could be reversed itself lies between. What reverses it
is every step after e that does not happen after e, then the operation of u: inserted at the state before e. Steps like an unlock cannot be
reversed with what they let go on: they are passed, and the step before which u could have run (the lock) races instead. The paper assumes
that steps never disable each other; this generalises its rule for locks. Threads that never got to run their last operation race likewise.
A timeout in an idle state needs everything before it, because only a state in which nobody else can run is idle; which of several timeouts
comes first is a matter of its own (timeouts.py).
Invariant: executed footprints decide, except for an operation that did not run, or ran only because its time was up (erratum E12).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import chain

from bpor.lazy_dataclass import dataclass
from bpor.model.step import Step
from bpor.protocol.ops import Op
from bpor.search.engine.clock import NEVER, Clock
from bpor.search.engine.history import History
from bpor.search.graphs.crew import created_by
from bpor.search.optimal.past import Past
from bpor.search.optimal.question import Question, Reply, answer_of
from bpor.search.optimal.reach import GIVES_BACK, could_run, enabled_at, is_asked_about, may_touch_less
from bpor.search.optimal.second import Second
from bpor.search.optimal.timeouts import Sooner, Timeouts
from bpor.search.optimal.wakeup import Precedes, WakeupStep

_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Reversal:
    """Insert `sequence` at the state before step `index`."""

    index: int
    sequence: list[WakeupStep]
    precedes: Precedes


class Races:
    """Of one execution, whose steps are on the history."""

    def __init__(self, history: History, steps: Sequence[Step]) -> None:
        self._history = history
        self._steps = steps
        self._touches = [history.cells.resolve(step.footprint) for step in steps]
        self._ends = [step.ends_process or step.operation.kind.ends for step in steps]
        self._past = Past(steps, self._touches)
        self._timeouts = Timeouts(history, steps, self._past)
        self._end_of = {thread: index for index, step in enumerate(steps) for thread in step.finished}

    def reversals(self, most: int) -> Generator[Reversal | Sooner | Question, Reply | None, None]:
        """Those whose second step is among the first `most`, or did not run. A Question wants an answer sent."""
        for second in self._seconds(most):
            yield from self._of(second)
            yield from self._timeouts.of(second)

    def answers(self, first: int, most: int) -> Iterator[tuple[tuple[int, ...], Reply]]:
        """What the steps from one index on tell that are among the first `most`, by the key of the question it answers."""
        telling = {index for index in range(first, min(most, len(self._steps))) if _tells(self._steps[index])}
        for second in self._seconds(most) if telling else ():
            if second.index in telling:
                touches = self._history.cells.resolve(second.operation.footprint)
                seen = self._past.between(touches, second.ends, 0, second.index)
                yield self._key(second, seen), answer_of(self._steps[second.index])

    def _seconds(self, most: int) -> Iterator[Second]:
        before: dict[int, int] = {}  # thread -> its last step so far
        created: dict[int, int] = {}
        for index, step in enumerate(self._steps):
            if index < most:
                yield self._executed(index, step, before.get(step.thread, -1), created.get(step.thread, -1))
            before[step.thread] = index
            for thread, _ in step.announced:
                if thread != step.thread:
                    created[thread] = index
        end = len(self._steps)
        for thread, state in self._history.threads.items():
            operation = state.operation
            if operation is not None:
                since = max(state.last, state.created) + 1
                touches = self._history.cells.resolve(operation.footprint)
                yield Second(end, thread, operation, touches, operation.kind.ends, state.clock, since)

    def _executed(self, index: int, step: Step, last: int, created: int) -> Second:
        origin = max(last, created)
        clock = self._history.clocks[origin] if origin >= 0 else NEVER
        timed_out = step.timed >> step.thread & 1
        touches = self._history.cells.resolve(step.operation.footprint) if timed_out else self._touches[index]
        return Second(index, step.thread, step.operation, touches, self._ends[index], clock, origin + 1)

    def _knows(self, clock: Clock, index: int) -> bool:
        """Does step `index` happen before what has this clock, timeouts of idle states coming after everything?"""
        knows = self._history.knows
        return knows(clock, index) or any(index < idle and knows(clock, idle) for idle in self._timeouts.indices)

    def _of(self, second: Second) -> Generator[Reversal | Question, Reply | None, None]:
        reversed_already: list[int] = []
        passed: list[int] = []
        for index in self._firsts(second, reversed_already):
            # Two readers keep a writer waiting, and without one of them it still waits: those passed are dropped too, the latest first.
            held = (each for each in passed if self._steps[each].operation.kind not in GIVES_BACK)
            beside = [each for each in held if not self._knows(self._history.clocks[each], index)]
            for count in range(len(beside) + 1):
                answer = yield from self._runs_without(second, (index, *beside[:count]))
                if answer.enabled:
                    reversed_already.append(index)
                    yield from self._without_as_few(second, index, beside, count, answer)
                    break
            else:
                passed.append(index)

    def _runs_without(self, second: Second, dropped: tuple[int, ...]) -> Generator[Question, Reply | None, Reply]:
        """Can the thread of the second run where those steps were not made?"""
        enabled = self._could_run(second, dropped)
        if enabled is not None:
            return Reply(enabled)
        answer = yield self._question(second, dropped)
        assert answer is not None
        return answer

    def _without_as_few(
        self, second: Second, index: int, beside: list[int], count: int, answer: Reply
    ) -> Generator[Reversal | Question, Reply | None, None]:
        """Of every thread as many steps are kept as can be: a reader that has gone again keeps no writer waiting, and is seen by it."""
        dropped = beside[:count]
        for thread in dict.fromkeys(self._steps[each].thread for each in dropped):
            others = [each for each in dropped if self._steps[each].thread != thread]
            first = min(each for each in dropped if self._steps[each].thread == thread)
            cuts = [[each] for each in beside if self._steps[each].thread == thread and each > first]  # the latest first
            dropped = [*others, first]
            for cut in ([], *cuts):
                without = yield from self._runs_without(second, (index, *others, *cut))
                if without.enabled:
                    dropped, answer = [*others, *cut], without
                    break
        yield self._reversal(second, (index, *dropped), answer)

    def _question(self, second: Second, dropped: tuple[int, ...]) -> Question:
        """What a thread can do is settled by its own past and by the steps made that its operation depends on."""
        first = min(dropped)
        touches = self._history.cells.resolve(second.operation.footprint)
        depends = self._past.between(touches, second.ends, 0, second.index)
        seen = [each for each in depends if each < first or self._is_kept(each, dropped)]
        steps = tuple(self._steps[each] for each in (*range(first), *self._not_after(dropped)))
        return Question(steps, second.thread, self._key(second, seen))

    def _key(self, second: Second, seen: list[int]) -> tuple[int, ...]:
        past = self._event(second.since - 1) if second.since else 0
        return second.thread, past, *sorted(self._event(each) for each in seen)

    def _event(self, index: int) -> int:
        """The hash of a step and its causal past."""
        return (self._history.trace_hashes[index + 1] - self._history.trace_hashes[index]) & _MASK

    def _firsts(self, second: Second, reversed_already: list[int]) -> Iterator[int]:
        """The steps of others that the second depends on, the latest first, and that do not happen before its thread's last step or before
        one that was reversed."""

        def hidden(index: int) -> bool:
            if self._steps[index].thread == second.thread or self._knows(second.clock, index):
                return True
            return any(self._knows(self._history.clocks[later], index) for later in reversed_already)

        found = self._past.latest_first(second.touches, second.ends, second.index, hidden)
        return (index for index in found if index not in self._timeouts.indices)

    def _not_after(self, dropped: tuple[int, ...]) -> list[int]:
        """The steps after the first of these that are not among them and do not happen after them: the paper's notdep."""
        return [later for later in range(min(dropped) + 1, len(self._steps)) if self._is_kept(later, dropped)]

    def _could_run(self, second: Second, dropped: tuple[int, ...]) -> bool | None:
        if second.operation.kind is Op.JOIN:
            target = second.operation.target
            ended = self._end_of.get(target, -1) if target is not None else -1
            return self._is_kept(ended, dropped) if ended >= 0 else target not in self._history.threads
        first = min(dropped)
        after = self._past.between(second.touches, second.ends, first, second.index)
        kept = [each for each in after if self._is_kept(each, dropped)]
        if not kept and second.since <= first:
            return enabled_at(self._steps[first], second.thread, second.operation)
        earlier = self._past.latest_first(second.touches, second.ends, first, lambda index: False)
        return could_run(second.operation, (self._steps[index] for index in chain(reversed(kept), earlier)))

    def _is_kept(self, each: int, dropped: tuple[int, ...]) -> bool:
        """Can a step still be made if those are not?"""
        return each not in dropped and not any(index < each and self._knows(self._history.clocks[each], index) for index in dropped)

    def _creates(self, second: Second) -> tuple[int, ...]:
        return created_by(self._steps[second.index]) if second.index < len(self._steps) else ()

    def _reversal(self, second: Second, dropped: tuple[int, ...], answer: Reply) -> Reversal:
        history, rest = self._history, self._not_after(dropped)
        items = [
            WakeupStep(history.schedule[each], self._touches[each], self._ends[each], each, created_by(self._steps[each])) for each in rest
        ]
        last = self._reversed(second, dropped, answer)

        def precedes(early: WakeupStep, late: WakeupStep) -> bool:
            if late.ends:
                return True
            if late is not last:
                return history.knows(history.clocks[late.index], early.index)
            return early.thread == late.thread or history.knows(second.clock, early.index) or early.depends_on(late)

        return Reversal(min(dropped), [*items, last, *self._end_again(dropped, last)], precedes)

    def _end_again(self, dropped: tuple[int, ...], last: WakeupStep) -> list[WakeupStep]:
        """The end of the process comes after a step that it does not see just as before it: the trace that is wanted ends there, and one
        in which a third thread runs in between is another."""
        end = len(self._steps) - 1
        if dropped != (end,) or not self._ends[end] or last.ends or last.touches.watch.conflicts(self._touches[end]):
            return []
        return [WakeupStep(self._steps[end].thread, self._touches[end], True, end)]

    def _reversed(self, second: Second, dropped: tuple[int, ...], answer: Reply) -> WakeupStep:
        """The second step as it will be. If it sees another past, only its operation is known, and what was answered: a crash need not come
        again (should it, that is a race to be found then)."""
        if self._sees_the_same(second, dropped):
            return WakeupStep(second.thread, second.touches, second.ends, creates=self._creates(second))
        operation, cells = second.operation, self._history.cells
        item = WakeupStep(second.thread, cells.resolve(operation.footprint), operation.kind.ends, creates=self._creates(second))
        item.foreseen = False
        if may_touch_less(operation):
            item.least = cells.resolve(tuple(access._replace(write=False) for access in operation.footprint))
            item.question = self._question(second, dropped)
        if answer.footprint is not None:
            item.settle(answer, cells)
        return item

    def _sees_the_same(self, second: Second, dropped: tuple[int, ...]) -> bool:
        seen = self._past.between(second.touches, False, min(dropped), second.index)
        return second.index < len(self._steps) and all(self._is_kept(each, dropped) for each in seen)


def _tells(step: Step) -> bool:
    """A timeout tells nothing of who can run by himself."""
    return is_asked_about(step.operation) and not step.timed >> step.thread & 1
