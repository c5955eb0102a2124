"""Verdict: what a run may claim, in one line, and the exit code that goes with it.

Invariant: a pass is said only of a search that ran every schedule of its bound or proved it equivalent to one that ran, with nothing
cut; the line always carries the bound, the coverage and the assumptions, and an inconclusive one ends with the next command to type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from bpor.model.trace import Outcome
from bpor.report.finding import Finding
from bpor.report.next_command import next_command
from bpor.search.budget import Stop
from bpor.search.coverage import Level
from bpor.search.livelock import Starvation
from bpor.search.result import SearchResult
from bpor.settings import Settings, duration_text

SKIPPED = 77  # what automake and meson take for "this test was skipped"


class VerdictKind(Enum):
    PASS = "pass"
    BUG = "bug"
    USAGE = "usage"
    INCONCLUSIVE = "inconclusive"
    UNCONTROLLED = "uncontrolled"
    NONDETERMINISTIC = "nondeterministic"
    INTERNAL = "internal"


_EXIT_CODES = {
    VerdictKind.PASS: 0,
    VerdictKind.BUG: 1,
    VerdictKind.USAGE: 2,
    VerdictKind.INCONCLUSIVE: 3,
    VerdictKind.UNCONTROLLED: 4,
    VerdictKind.NONDETERMINISTIC: 5,
    VerdictKind.INTERNAL: 99,
}
_BY_CODE = {code: kind for kind, code in _EXIT_CODES.items()}


@dataclass(frozen=True, slots=True)
class Verdict:
    kind: VerdictKind
    reason: str  # without the word of the kind
    coverage: str = "calls"
    assumptions: tuple[str, ...] = ()
    next: str = ""  # the command to type

    @property
    def statement(self) -> str:
        following = f"; next: {self.next}" if self.next else ""
        return f"{self.kind.value}: {self.reason}{following}"

    def exit_code(self, settings: Settings) -> int:
        if self.kind is VerdictKind.INCONCLUSIVE and settings.inconclusive == "pass":
            return 0
        if self.kind is VerdictKind.UNCONTROLLED and settings.uncontrolled == "skip":
            return SKIPPED
        return _EXIT_CODES[self.kind]

    def __str__(self) -> str:
        return self.statement


def of_error(exit_code: int, message: str) -> Verdict:
    """The verdict of a run that one of our own faults ended (bpor.errors)."""
    return Verdict(_BY_CODE.get(exit_code, VerdictKind.INTERNAL), message)


def assumptions(settings: Settings, coverage: str) -> tuple[str, ...]:
    """What was taken for granted. Each is a way in which a program could fail although we said pass."""
    assumed = {"calls": ["no data races", "no inline atomics"], "atomics": ["no data races"], "memory": []}[coverage]
    assumed.append("timeouts only when idle" if settings.timeouts == "idle" else "every timeout at any time")
    if settings.signal == "fifo":
        assumed.append("a signal wakes the oldest waiter")
    if not settings.spurious:
        assumed.append("no spurious wake-ups")
    return tuple(assumed)


def decide(
    search: SearchResult, findings: Sequence[Finding], argv: Sequence[str], settings: Settings, cuts: dict[Outcome, int], coverage: str
) -> Verdict:
    """The verdict of a search that ran under control. `findings` were reproduced; `cuts` counts executions that were cut short, by why."""
    assumed = assumptions(settings, coverage)
    conditions = _conditions(coverage, assumed)
    if findings:
        return Verdict(VerdictKind.BUG, f"{_bug(findings)}; {_extent(search)}; {conditions}", coverage, assumed)
    if search.uncontrolled is not None:
        return Verdict(
            VerdictKind.UNCONTROLLED,
            search.uncontrolled.trace.end.message or search.uncontrolled.trace.end.outcome.value,
            coverage,
            assumed,
        )
    level = search.strongest
    if search.exhausted and level is not None and (settings.bound is None or all(level.complete for level in search.levels)):
        return Verdict(VerdictKind.PASS, f"{_covered(search, level)}; {conditions}", coverage, assumed)
    reason = f"{_progress(level)}; {_why_stopped(search, settings, cuts)}; {conditions}"
    return Verdict(VerdictKind.INCONCLUSIVE, reason, coverage, assumed, next_command(search, argv, settings))


def _conditions(coverage: str, assumed: tuple[str, ...]) -> str:
    """`coverage calls: assumes no data races and no inline atomics; timeouts only when idle`."""
    memory = [text for text in assumed if text in ("no data races", "no inline atomics")]
    rest = [text for text in assumed if text not in memory]
    return "; ".join([f"coverage {coverage}" + (f": assumes {' and '.join(memory)}" if memory else ""), *rest])


def _bug(findings: Sequence[Finding]) -> str:
    first = findings[0]
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    switches = {0: "fails without any preemption", 1: "with 1 preemption"}.get(first.preemptions, f"with {first.preemptions} preemptions")
    return f"{first.summary}{more}; {switches}"


def _extent(search: SearchResult) -> str:
    bound = f" within {search.levels[-1].bound}" if search.levels and not search.levels[-1].bound.is_none else ""
    return f"found in {_executions(search.executions)}{bound}"


def _covered(search: SearchResult, level: Level) -> str:
    if search.counts.threads <= 1:
        return "nothing to interleave: only one thread ever ran"
    return level.statement()


def _progress(level: Level | None) -> str:
    if level is None:
        return "no bound was completed"
    statement = level.statement()
    counted = "all schedules with ≤ "
    return f"complete up to {statement.removeprefix(counted)}" if statement.startswith(counted) else f"complete: {statement}"


def _why_stopped(search: SearchResult, settings: Settings, cuts: dict[Outcome, int]) -> str:
    after = _executions(search.executions)
    match search.stop:
        case Stop.MAX_TIME:
            return f"stopped by --max-time {duration_text(settings.max_time)} after {after}"
        case Stop.MAX_EXECUTIONS:
            return f"stopped by --max-executions {settings.max_executions}"
        case Stop.INTERRUPTED:
            return f"interrupted after {after}"
    if search.starvation is not None:
        return f"{_starved(search.starvation)}; {after}"
    if cuts:
        words = ", ".join(f"{count} by {_CUTS.get(outcome, outcome.value)}" for outcome, count in cuts.items())
        return f"{sum(cuts.values())} of {after} cut short: {words}"
    return f"{after} without a bug, which is not every schedule"


def _starved(starvation: Starvation) -> str:
    others = ", ".join(f"T{thread}" for thread in starvation.starved)
    how = "spins" if starvation.yields else "spins without yielding"
    return f"T{starvation.thread} {how} and starves {others}; hint: {starvation.hint}"


_CUTS = {Outcome.STEP_LIMIT: "--max-steps", Outcome.OUTPUT_LIMIT: "the output limit", Outcome.KILLED: "a signal from outside"}


def _executions(number: int) -> str:
    return f"{number} execution{'s' * (number != 1)}"
