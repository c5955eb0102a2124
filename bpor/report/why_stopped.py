"""Why a search ended before it had run every schedule of its bound, in the words of a verdict.

Loaded by an inconclusive verdict only. Invariant: a reason names what can be changed (an option, a place of the program), if anything can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpor.knobs.durations import duration_text
from bpor.model.trace import Outcome
from bpor.report.counted import counted, every_execution
from bpor.search.budget import SearchStop
from bpor.search.result import SearchResult
from bpor.settings import Settings

if TYPE_CHECKING:
    from bpor.report.verdict import Evidence
    from bpor.search.livelock import Starvation

_MOST_LINES = 4  # of a loop
_CUTS = {
    Outcome.STEP_LIMIT: "--max-steps",
    Outcome.OUTPUT_LIMIT: "the output limit, which is met by saying less",
    Outcome.KILLED: "SIGKILL, which the program sent itself, or somebody else or the kernel for lack of memory did, twice",
}
_WITHOUT_A_KNOB = frozenset({Outcome.OUTPUT_LIMIT, Outcome.KILLED})


def is_helpless(search: SearchResult, seen: Evidence) -> bool:
    """Nothing on the command line would let it go further."""
    return search.stop is SearchStop.EXHAUSTED and bool(seen.cuts) and seen.cuts.keys() <= _WITHOUT_A_KNOB


def why_stopped(search: SearchResult, settings: Settings, seen: Evidence) -> str:
    cuts, after = seen.cuts, counted(search.executions, "execution")
    match search.stop:
        case SearchStop.MAX_TIME:
            when = f"after {after}" if search.executions else "before the first execution was done"
            return f"stopped by --max-time {duration_text(settings.max_time)} {when}"
        case SearchStop.MAX_EXECUTIONS:
            return f"stopped by --max-executions {settings.max_executions}"
        case SearchStop.INTERRUPTED:
            return f"interrupted after {after}"
        case SearchStop.DISK:
            return f"stopped after {after}: the disk had no room for the open choices that memory has none for (TMPDIR names another)"
    if search.levels and all(level.vacuous for level in search.levels):
        return f"no execution came to its end within {search.levels[-1].bound}: {every_execution(search.counts.executions)} went over it"
    if any(level.counts.lost for level in search.levels):
        return f"{_kept_waiting(search, seen)}; {after}"
    if search.starvation is not None:
        return f"{_starved(search.starvation)}{_long(seen)}; {after}"
    if cuts:
        words = ", ".join(f"{count} by {_CUTS.get(outcome, outcome.value)}" for outcome, count in cuts.items())
        return f"{sum(cuts.values())} of {after} cut short: {words}{_long(seen)}"
    return f"{after} without a bug, which is not every schedule"


def _long(seen: Evidence) -> str:
    """What an execution was at when the step limit cut it."""
    if not seen.long_at:
        return ""
    lines = list(dict.fromkeys(site.with_function for site in seen.long_at))
    others = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    return f"; T{seen.long_thread} goes round {', '.join(lines[:_MOST_LINES])}{others}"


def _kept_waiting(search: SearchResult, seen: Evidence) -> str:
    """A fair bound is for threads that wait for others in a loop. One that gets on with something loses schedules by it."""
    level = [level for level in search.levels if level.counts.lost][-1]
    where = f" at {seen.lost_at[0].with_function}" if seen.lost_at else ""
    states = f"{level.counts.lost} state{'s' * (level.counts.lost != 1)}"
    return f"fair:{level.bound.value_fair} kept a thread{where} waiting at {states} though it was getting on with something"


def _starved(starvation: Starvation) -> str:
    others = ", ".join(f"T{thread}" for thread in starvation.starved)
    how = "spins" if starvation.yields else "spins without yielding"
    return f"T{starvation.thread} {how} and starves {others}; hint: {starvation.hint}"
