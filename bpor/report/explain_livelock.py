"""A livelock in words: who goes round where, what each waits for, and who last wrote it."""

from __future__ import annotations

from bpor.model.trace import Description, Trace
from bpor.report.finding_steps import source_steps
from bpor.report.names import Names
from bpor.search.livelock import Livelock, Spinner, VainWait

_MOST_PLACES = 4
_MOST_NAMED = 4


def explain_livelock(trace: Trace, livelock: Livelock, description: Description) -> str:
    words = _LivelockWords(trace, description)
    parts = [words.spinner(spinner) for spinner in livelock.spinners[:_MOST_NAMED]]
    more = len(livelock.spinners) - len(parts)
    if more:
        parts.append(f"{more} more likewise")
    if livelock.blocked:
        parts.append(f"{', '.join(f'T{thread}' for thread in livelock.blocked)} wait{'s' * (len(livelock.blocked) == 1)} meanwhile")
    return "; ".join(parts)


class _LivelockWords:
    def __init__(self, trace: Trace, description: Description) -> None:
        self._trace = trace
        self._names = Names(description)
        self._steps = source_steps(trace, self._names, described=bool(description.modules))  # objects get the names they have in the trace

    def spinner(self, spinner: Spinner) -> str:
        name = self._names.thread(spinner.thread)
        who = f"T{spinner.thread} ({name})" if name else f"T{spinner.thread}"
        places = list(dict.fromkeys(str(site) for step in spinner.sites for site in self._names.stack((step,) if step else ())[:1]))
        where = f" {', '.join(places[:_MOST_PLACES])}{' …' * (len(places) > _MOST_PLACES)}" if places else ""
        waits = " and ".join(map(self._wait, spinner.waits))
        return f"{who} goes round{where} for ever" + (f", waiting for {waits}" if waits else "")

    def _wait(self, wait: VainWait) -> str:
        name = next(
            (seen.objects[position] for step, seen in zip(reversed(self._trace.steps), reversed(self._steps), strict=True)
             for position, access in enumerate(step.operation.footprint) if access.object == wait.object and position < len(seen.objects)),
            None,
        )  # fmt: skip
        if wait.last_write is None:
            return f"{name or 'something'}, which nobody ever wrote"
        writer = self._steps[wait.last_write]
        at = f" at {writer.site}" if writer.site is not None else ""
        return f"{name or 'something'}, last written by T{wait.last_writer}{at} (step {wait.last_write})"
