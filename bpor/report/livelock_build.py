"""From a lasso to a Finding: one round per thread, its loop, what it reads and who undoes it.

Invariant: the trace told is the stem and one round. Before the round's first step came its last one, one round ago: who changed something
last is looked for backwards in the round, across its beginning, and only then in the stem.
"""

from __future__ import annotations

from collections.abc import Iterator

from bpor.lazy_dataclass import replace
from bpor.model.operation import Footprint
from bpor.model.schedule import Schedule
from bpor.model.step import Step
from bpor.model.trace import Description, Trace
from bpor.protocol.ops import Op
from bpor.report.finding import Finding, FindingKind, LivelockLook, Round, RoundThread
from bpor.report.finding_build import build_finding
from bpor.report.finding_steps import source_steps
from bpor.report.names import Names
from bpor.search.lasso.counters import Counter
from bpor.search.livelock import Livelock, Nature

_MOST_PLACES = 4
_MOST_NAMED = 4
_MOST_COUNTERS = 3


def livelock_finding(lasso: Schedule, livelock: Livelock, trace: Trace, description: Description, replay: str = "") -> Finding:
    """`trace`: of the stem and one round, run with `describe`."""
    round = _RoundBuilder(lasso, livelock, trace, description).round()
    finding = build_finding(trace, description, replay, kind=FindingKind.LIVELOCK, message=round_message(round))
    looks = [look.step.site for thread in round.threads for look in thread.looks if look.step.site is not None]
    return replace(finding, schedule=lasso, round=round, site=looks[0] if looks else finding.site)


def round_message(round: Round) -> str:
    """`may go on for ever; other schedules leave it: T1 (left) goes round a.c:4 for ever, waiting for `flag`, which ...`."""
    counters = ", ".join(round.counters[:_MOST_COUNTERS]) + ", …" * (len(round.counters) > _MOST_COUNTERS)
    head = f"alike except {counters}" if counters else round.nature
    parts = [_thread_words(thread) for thread in round.threads[:_MOST_NAMED]]
    if more := len(round.threads) - len(parts):
        parts.append(f"{more} more likewise")
    if round.blocked:
        who = ", ".join(f"T{thread}" for thread in round.blocked)
        parts.append(f"{who} wait{'s' * (len(round.blocked) == 1)} meanwhile")
    return f"{head}: {'; '.join(parts)}"


def _thread_words(thread: RoundThread) -> str:
    where = f" {', '.join(thread.places[:_MOST_PLACES])}{' …' * (len(thread.places) > _MOST_PLACES)}" if thread.places else ""
    waits = " and ".join(look_words(look) for look in thread.looks if look.step.objects)
    return f"{thread.label} goes round{where} for ever" + (f", waiting for {waits}" if waits else "")


def look_words(look: LivelockLook) -> str:
    """`lock[1]`, which T2 changes at polite.c:15 in each round."""
    name, by = str(look.step.objects[0]), look.undone_by
    if by is None:
        return f"{name}, which nobody else ever changed"
    at = f" at {by.site}" if by.site is not None else ""
    if look.in_round:
        return f"{name}, which T{by.thread} changes{at} in each round"
    return f"{name}, last changed by T{by.thread}{at} (step {by.index})"


class _RoundBuilder:
    def __init__(self, lasso: Schedule, livelock: Livelock, trace: Trace, description: Description) -> None:
        self._livelock, self._trace = livelock, trace
        self._names = Names(description)
        self._steps = source_steps(trace, self._names, described=bool(description.modules))
        self._start, self._end = len(lasso.threads), len(lasso)

    def round(self) -> Round:
        threads = sorted({step.thread for step in self._trace.steps[self._start : self._end]})
        livelock = self._livelock
        return Round(
            nature=livelock.nature.value,
            proved=livelock.is_proved,
            start=self._start,
            length=self._end - self._start,
            threads=tuple(map(self._thread, threads)),
            blocked=livelock.blocked,
            counters=tuple(dict.fromkeys(map(self._counter, livelock.counters))) if livelock.nature is Nature.COUNTS else (),
        )

    def _thread(self, number: int) -> RoundThread:
        mine = [index for index in range(self._start, self._end) if self._trace.steps[index].thread == number]
        places = tuple(dict.fromkeys(str(self._steps[index].site) for index in mine if self._steps[index].site is not None))
        name = self._names.thread(number)
        return RoundThread(number, f"T{number} ({name})" if name else f"T{number}", places, tuple(self._looks(mine)))

    def _looks(self, mine: list[int]) -> Iterator[LivelockLook]:
        """What it reads or tries in vain; if nothing of its round is such a step, the first thing it touches."""
        touching = [index for index in mine if self._trace.steps[index].footprint]
        asking = [index for index in touching if _asks(self._trace.steps[index])] or touching[:1]
        seen: set[tuple[object, ...]] = set()
        for index in asking:
            step = self._steps[index]
            if (step.site, step.objects) not in seen:
                seen.add((step.site, step.objects))
                undone = self._changed_before(index)
                yield LivelockLook(step, None if undone is None else self._steps[undone], undone is not None and undone >= self._start)

    def _changed_before(self, index: int) -> int | None:
        steps = self._trace.steps
        looked = steps[index].footprint
        backwards = (*range(index - 1, self._start - 1, -1), *range(self._end - 1, index, -1), *range(self._start - 1, -1, -1))
        return next((each for each in backwards if steps[each].thread != steps[index].thread and _changes(steps[each], looked)), None)

    def _counter(self, counter: Counter) -> str:
        sign = f"{counter.stride:+d} per round"
        if counter.thread is not None:
            return f"a register of T{counter.thread} ({sign})"
        return f"`{self._names.object(counter.object, Op.WRITE).name}` ({sign})"


def _asks(step: Step) -> bool:
    return step.failed or not any(access.write for access in step.footprint)


def _changes(step: Step, looked: Footprint) -> bool:
    return not step.failed and any(access.write and access.overlaps(other) for access in step.footprint for other in looked)
