"""check_target(): a search of anything that can be run, its failures confirmed, and the verdict on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from bpor.confirmation import Subject, WidenedExecutor, confirm, distinct, lines, places
from bpor.errors import Diverged, EngineUnfit, OutOfTime, Uncontrolled, UnfitForSeveral, UsageError
from bpor.knobs.durations import duration_text
from bpor.lazy_dataclass import replace
from bpor.model.deadline import REPEATING, Deadline
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trust import but_functions
from bpor.replaying import all_doubtful
from bpor.report.finding import Finding, FindingKind
from bpor.report.next_command import replay_command
from bpor.report.result import Reset, Result
from bpor.report.verdict import Evidence, Verdict, VerdictKind, decide
from bpor.search.bounds import parse_bound
from bpor.search.bounds.bound import Bound
from bpor.search.bounds.bound import BoundKind as BoundKind
from bpor.search.explorer import Checkpoints, Observer
from bpor.search.registry import BESIDE, IN_PARTS, SHARED
from bpor.search.result import Failure, SearchResult
from bpor.searching import Searching
from bpor.settings import Settings
from bpor.target.doubts import Doubts
from bpor.target.executor import NativeExecutor


def check_target(target: Subject, settings: Settings, observers: Sequence[Observer] = (), checkpoints: Checkpoints | None = None) -> Result:
    """As `check`, for anything that can be run: the tests come here with simulated programs."""
    name = (settings.search or "bpor").partition(":")[0]
    if settings.workers > 1 and name not in (*IN_PARTS, *SHARED):
        several = ", ".join((*IN_PARTS, *SHARED))
        raise UsageError(f"-j {settings.workers}: --search {settings.search} is run by one process; several run {several}, and the default")
    reason = _why_in_python(target, settings, observers)
    if target.deadline.endless:
        target = replace(target, deadline=Deadline(settings.max_time))
    try:
        return _check_target(target, settings, observers, checkpoints, reason)
    except UnfitForSeveral as unfit:
        by_one = replace(settings, workers=1, cluster=None)
        result = _check_target(replace(target, beside=_here(target)), by_one, observers, checkpoints, reason)
        asked = replace(result.settings, workers=settings.workers, cluster=settings.cluster)
        return replace(result, settings=asked, by_one=str(unfit))
    except EngineUnfit as unfit:  # from the start: nothing was claimed yet
        return _check_target(target, settings, observers, checkpoints, str(unfit))


def _here(target: Subject) -> Callable[[int], AbstractContextManager[WidenedExecutor]]:
    beside = target.beside
    assert beside is not None
    return lambda _: beside(0)


def why_in_python(settings: Settings) -> str:
    """Why the search will not be beside the program, as far as the options tell; empty: they do not."""
    own = settings.seal is not None or (settings.search or "bpor").partition(":")[0] not in BESIDE
    bound = Bound.of() if settings.bound is None else parse_bound(settings.bound)
    reasons = {
        "--engine=python": settings.engine == "python",
        "--reset=exec": settings.reset == "exec",
        f"only {', '.join(BESIDE)} are known beside the program, without --seal": own,
        "depth bounds are not known beside the program": BoundKind.DEPTH in bound.kinds,
        "--outcomes looks at every execution": settings.outcomes,
        "--show-output looks at every execution": settings.show_output,
        "--suppressions looks at every failing execution": settings.suppressions is not None,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _why_in_python(target: Subject, settings: Settings, observers: Sequence[Observer]) -> str:
    """Likewise of this program; empty: it is beside it."""
    reasons = {
        why_in_python(settings): True,
        "only a real program can be searched from beside it": target.beside is None,
        "an observer looks at every execution": not all(getattr(observer, "batches", False) for observer in observers),
    }
    return next((reason for reason, holds in reasons.items() if reason and holds), "")


def _check_target(
    target: Subject, settings: Settings, observers: Sequence[Observer], checkpoints: Checkpoints | None, in_python: str
) -> Result:
    if in_python and _is_optimal_within_a_bound(settings):
        raise UsageError(
            f"--search optimal takes a bound ({settings.bound}) beside the program alone, where this search cannot be: {in_python}"
        )
    with target.open() if in_python or target.beside is None else target.beside(settings.workers) as executor:
        _require(target, settings)
        engine = "python" if in_python else "native"
        searching = Searching(
            *(executor, settings, observers, engine, target.deadline),
            probed=target.probed,
            doubts=target.doubts,
            recovering=target.recovering,
        )
        searching.run(checkpoints)
        _require(target, settings)  # of the program that had the threads
        search, settings = searching.result, searching.settings
        failures = [(failure, searching.smallest(failure)) for failure in distinct(executor, search.failures, settings, target.deadline)]
        suspect = _suspect(target.doubts, executor, failures)
        stack = places(executor, search.uncontrolled.trace.end.stack) if search.uncontrolled else ()
        yields = lines(executor, tuple(searching.inferred.sites))
        reset, turns = _reset_of(executor), max(executor.turns, 1) if isinstance(executor, NativeExecutor) else 1
        lost_at = lines(executor, (search.counts.lost_at,)) if search.counts.lost else ()
        counting_at = lines(executor, (search.counts.counting_at,)) if search.counts.counting_at else ()
        long_at = lines(executor, searching.cuts.sites)
        polling = tuple((site, loop) for loop in searching.polling for site in lines(executor, loop.sites)[:1])
        contradicted = searching.contradictions.site
        contradicted_at = None if contradicted is None else lines(executor, (contradicted,) if contradicted else ())
    if not failures:
        _require(target, settings)  # of what was loaded meanwhile too
    findings, unrepeated, late = _confirmed(target.widened(settings), failures, settings)
    known = searching.known
    seen = Evidence(
        target.coverage,
        searching.cuts.counts,
        yields,
        stack,
        frozenset(searching.orders.seen),
        dict(known.counts),
        searching.trusted,
        searching.excuses.seen,
        lost_at,
        target.assumes(),
        reset.words if settings.reset != "exec" else "",
        target.unseen,
        turns,
        counting_at,
        polling,
        target.census.patched_words + but_functions(settings.trust) if target.coverage == "machine" and target.census else "",
        contradicted_at,
        target.told(),
        searching.old_values.seen,
        _completed(searching.strong),
        all_doubtful(target, findings, settings),
        searching.offered.seen,
        blind=target.blind(),
        saved=checkpoints is not None,
        long_thread=searching.cuts.thread,
        long_at=long_at,
        interchanged=searching.interchanged.seen,
    )
    verdict = decide(search, findings, target.argv, settings, seen)
    if late is not None and not findings:
        why = "the tool was interrupted" if late.interrupted else f"--max-time {duration_text(settings.max_time)} was over"
        verdict = Verdict(VerdictKind.INCONCLUSIVE, _LATE.format(late.outcome, why), target.coverage, verdict.assumptions, late.replay)
    elif unrepeated and not findings:
        verdict = Verdict(VerdictKind.NONDETERMINISTIC, unrepeated, target.coverage, verdict.assumptions)
    return Result(
        target.argv,
        settings,
        verdict,
        findings,
        search,
        searching.outputs.found,
        target.census,
        confirmed=len(findings),
        stack=stack,
        suppressed=tuple(_replayable(finding, target.argv, settings) for finding in known.findings.values()),
        unused_suppressions=known.unused,
        in_python=in_python,
        reset=reset,
        suspect=suspect,
        turns=turns,
    )


def _replayable(finding: Finding, argv: Sequence[str], settings: Settings) -> Finding:
    """A known bug can be looked at like any other."""
    return replace(finding, replay=replay_command(finding.schedule, argv, settings), argv=tuple(argv), settings=settings)


def _completed(search: SearchResult | None) -> str:
    level = search.strongest if search is not None else None
    return level.statement() if level is not None else ""


def _suspect(doubts: Doubts, executor: WidenedExecutor, failures: Sequence[tuple[Failure, Schedule]]) -> str:
    """The name of the patched module in which the first failure happened; empty: it is in none."""
    if not failures or not doubts.patched:
        return ""
    try:
        _, description = executor.describe(Plan(stop_after_prefix=True))
    except OutOfTime:
        return ""  # what was found is told without it
    return doubts.suspect(failures[0][0].trace.end.stack, description)


def _reset_of(executor: Any) -> Reset:
    """How a real program was reset in the end; one that is simulated has no mode."""
    mode = getattr(executor, "mode", None)
    return Reset() if mode is None else Reset(mode.reset, executor.reason)


_LATE = "an execution failed ({}), but {} before the failure was repeated"


class Late(NamedTuple):
    """A failure for whose repetition there was no time."""

    outcome: str
    replay: str
    interrupted: bool = False


def _confirmed(
    target: Subject, failures: Sequence[tuple[Failure, Schedule]], settings: Settings
) -> tuple[tuple[Finding, ...], str, Late | None]:
    """The findings that failed again, the cheapest first, why the first one that did not did not, and what there was no time for."""
    findings: dict[tuple[FindingKind, str], Finding] = {}
    unrepeated, late = "", None
    if failures:
        target.deadline.prolong(REPEATING)
    for failure, schedule in failures:
        if findings and not target.deadline.left:
            break
        missed = Late(failure.trace.end.outcome.value, replay_command(schedule, target.argv, settings))
        try:
            finding = confirm(target, failure, schedule, settings)
            what = finding.kind, finding.summary
            findings[what] = min(finding, findings.get(what, finding), key=_cost)
        except Diverged as error:
            unrepeated = unrepeated or str(error)
        except OutOfTime:
            late = late or missed
        except KeyboardInterrupt:
            late = late or missed._replace(interrupted=True)
            break
    return tuple(sorted(findings.values(), key=_cost)), unrepeated, late


def _cost(finding: Finding) -> tuple[int, int, str]:
    """Of what was made small: which execution of its way a search met first depends on the others that it made, or that a table spared."""
    return finding.preemptions, len(finding.schedule), finding.message


def _require(target: Subject, settings: Settings) -> None:
    required = settings.require if settings.require != "auto" else "memory" if settings.gil == "off" else "calls"
    if required == "memory" and (unfit := target.silent()):
        raise Uncontrolled(
            f"{', '.join(unfit)}: not instrumented, so its accesses of memory are not seen, below --require memory; build it by"
            " `bpor-native build pip install --no-binary NAME NAME`, or say --require calls"
        )
    order = ("calls", "machine", "atomics", "memory")
    if settings.require != "auto" and order.index(target.coverage) < order.index(settings.require):
        names = (target.census.silent or target.census.uninstrumented) if target.census else ()
        seen = "told by machine code alone" if target.coverage == "machine" else "not seen"
        raise Uncontrolled(
            f"coverage is {target.coverage}, below --require {settings.require}: accesses of memory in"
            f" {', '.join(names) or 'the program'} are {seen};"
            + (" do without --races=off" if target.coverage == "atomics" else " build with `bpor-native cc`")
        )


def _is_optimal_within_a_bound(settings: Settings) -> bool:
    from bpor.combinations import is_optimal_within_a_bound

    return is_optimal_within_a_bound(settings)
