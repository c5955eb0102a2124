"""replay_target(): one schedule of anything that can be run, and the verdict on it alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bpor.confirmation import Repeated, Subject, repeat
from bpor.model.policy import threads_in
from bpor.model.schedule import Schedule
from bpor.model.trace import Outcome
from bpor.report.finding import Finding
from bpor.report.result import Result
from bpor.report.unseen import doubtful_race, in_doubt, may_be_ordered
from bpor.report.verdict import Verdict, VerdictKind, assumptions, out_of_control, unproved
from bpor.settings import Settings

if TYPE_CHECKING:
    from bpor.search.lasso.check import CheckedLasso


def replay_target(target: Subject, schedule: Schedule, settings: Settings) -> Result:
    again = repeat(target, schedule, settings)
    kind, reason = _verdict_on_one(again, target, settings)
    verdict = Verdict(kind, reason, target.coverage, assumptions(settings, target.coverage))
    findings = () if again.finding is None else (again.finding,)
    stack = again.stack if kind is VerdictKind.UNCONTROLLED else ()
    confirmed = len(findings)
    return Result(
        target.argv, settings, verdict, findings, census=target.census, confirmed=confirmed, execution=again.execution, stack=stack
    )


def all_doubtful(target: Subject, findings: Sequence[Finding], settings: Settings) -> bool:
    """Nothing was found but races that may be synchronisation."""
    doubtful = all(target.doubts.about(finding.trace.end, finding.description) for finding in findings if finding.trace is not None)
    return bool(findings) and settings.races in ("report", "explore") and doubtful


def _verdict_on_one(again: Repeated, target: Subject, settings: Settings) -> tuple[VerdictKind, str]:
    end = again.trace.end
    if again.finding is not None and all_doubtful(target, (again.finding,), settings):
        return VerdictKind.INCONCLUSIVE, doubtful_race(again.finding)
    if again.finding is not None and may_be_ordered((again.finding,), target.unseen, settings.races):
        return VerdictKind.INCONCLUSIVE, in_doubt(again.finding, target.unseen, target.argv[0])
    if again.finding is not None and not again.finding.is_proved:
        return VerdictKind.INCONCLUSIVE, unproved(again.finding, settings)
    if again.finding is not None:
        return VerdictKind.BUG, again.finding.summary
    if again.checked is not None:
        return VerdictKind.INCONCLUSIVE, _no_livelock(again.checked)
    if end.outcome is Outcome.PASSED:
        return VerdictKind.PASS, f"this schedule of {again.trace.length} steps passes; no other was run"
    if end.outcome in (Outcome.REFUSED, Outcome.WATCHDOG):
        return VerdictKind.UNCONTROLLED, out_of_control(end, again.stack, settings)
    return VerdictKind.INCONCLUSIVE, f"the execution was cut short: {end.outcome.value}"


def _no_livelock(checked: CheckedLasso) -> str:
    """Of a lasso that was repeated."""
    from bpor.search.lasso.check import Proof

    if checked.proof is Proof.UNFAIR:
        others = ", ".join(f"T{thread}" for thread in threads_in(checked.starved))
        return f"the round comes back to its state, but {others} could run and never does: that takes an unfair scheduler"
    return "the round does not come back to the state that it began with"
