"""Rounds: budget that some tests did not need goes to those that were cut by their share, until it is used or nothing is left to do.

Invariant: a test is run again only if it was its share of the budget that ended it, never beyond its own --max-time, and only if the
time for it is worth it: its search goes on where it was kept, and has to get longer than before where it begins anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bpor.lazy_dataclass import replace
from bpor.report.checked import Checked
from bpor.report.verdict import VerdictKind
from bpor.search.budget import SearchStop
from bpor.suite.case import Case
from bpor.suite.processes import run_each
from bpor.suite.scheduler import Scheduler, share_of

LEAST = 0.5  # seconds for a test below which another round is not begun
_LONGER = 1.5  # times as long as before, for a search that begins anew


def run_in_rounds(scheduler: Scheduler, cases: Sequence[Case], kept: bool) -> Iterator[tuple[Case, Checked]]:
    """Every case with what came of it, again each time that it was run again: the last counts. `kept`: searches can be gone on with."""
    spent: dict[str, float] = {}
    waiting = list(cases)
    while waiting:
        cut: list[Case] = []
        for case, tested in run_each(scheduler, waiting):
            yield case, tested
            given = tested.result.settings.max_time or 0.0
            spent[case.name] = spent.get(case.name, 0.0) + given
            if was_cut(case, tested):
                cut.append(_again(case, given, kept))
        waiting = cut if worth_it(scheduler.left, scheduler.jobs, cut, spent, kept) else []


def was_cut(case: Case, tested: Checked) -> bool:
    """By its share, not by its own limit."""
    search, own, given = tested.result.search, case.settings.max_time, tested.result.settings.max_time
    if search is None or search.stop is not SearchStop.MAX_TIME or tested.result.verdict.kind is not VerdictKind.INCONCLUSIVE:
        return False
    return given is not None and (own is None or given < own)


def worth_it(left: float, jobs: int, cut: Sequence[Case], spent: dict[str, float], kept: bool) -> bool:
    if not cut:
        return False
    share = share_of(left, len(cut), jobs)
    return share >= LEAST and (kept or all(share >= _LONGER * spent.get(case.name, 0.0) for case in cut))


def _again(case: Case, given: float, kept: bool) -> Case:
    own = case.settings.max_time
    rest = own if own is None or not kept else own - given
    return replace(case, settings=replace(case.settings, max_time=rest, resume=kept or case.settings.resume))
