"""Finds a shorter stem to the same round, so that the replay command fits on one line."""

from __future__ import annotations

from bpor.errors import Diverged
from bpor.lazy_dataclass import replace
from bpor.model.executor import Executor
from bpor.model.schedule import Schedule
from bpor.search.lasso.check import Proof, judge, lasso_plan
from bpor.search.minimize import minimize

LONG = 100  # characters that are too many without a try to make them fewer


def shortened(executor: Executor, lasso: Schedule) -> Schedule:
    """The stem, then the round, made small as the schedule of any failure is; as it was where that is short."""
    for change in ("threads", "round"):
        if len(str(lasso)) > LONG:
            lasso = _smaller(executor, lasso, change)
    return lasso


def _smaller(executor: Executor, lasso: Schedule, part: str) -> Schedule:
    def still_goes_round(candidate: Schedule) -> Schedule | None:
        changed = replace(lasso, **{part: candidate.threads})
        if not changed.round:
            return None
        try:
            trace = executor.run(replace(lasso_plan(changed), tentative=True))
        except Diverged:
            return None  # no schedule of this program
        return candidate if judge(changed, trace).proof is Proof.PROVED else None

    small = minimize(Schedule(getattr(lasso, part)), still_goes_round)
    return replace(lasso, **{part: small.threads})
