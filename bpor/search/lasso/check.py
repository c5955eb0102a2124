"""A lasso run and compared: stem, round, round, with the state before and after each of them, and who could run in between.

Without identities the rounds go on to the step limit and nothing is compared. If a round does not come back to its state, the words
that differ are looked at: it may be alike but for words that count (counters.py).
"""

from __future__ import annotations

from enum import Enum

from bpor.lazy_dataclass import dataclass, replace
from bpor.model.executor import Executor
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Outcome, Trace
from bpor.search.lasso.counters import ALIKE, Counter, counters_of
from bpor.search.lasso.rounds import starved

ROUNDS = 2


class Proof(Enum):
    PROVED = "proved"  # the same state, three times
    COUNTS = "counts"  # alike to the step limit, but for words that grow by the same amount in each round
    NOT_COMPARED = "not compared"  # to the step limit, without identities
    UNFAIR = "unfair"  # it comes back, and a thread that could run never does
    NONE = "none"  # it does not come back to its state


@dataclass(frozen=True, slots=True)
class CheckedLasso:
    proof: Proof
    trace: Trace  # the stem and the rounds
    counters: tuple[Counter, ...] = ()
    starved: int = 0

    @property
    def is_proved(self) -> bool:
        return self.proof is Proof.PROVED

    @property
    def endless(self) -> bool:
        return self.proof in (Proof.PROVED, Proof.COUNTS, Proof.NOT_COMPARED)


def lasso_plan(lasso: Schedule, rounds: int = ROUNDS) -> Plan:
    unrolled = lasso.unrolled(max(rounds, ROUNDS))
    return Plan(prefix=unrolled.threads, max_steps=len(unrolled) + 1, stop_after_prefix=True, identify=True, lasso=True)


def judge(lasso: Schedule, trace: Trace) -> CheckedLasso:
    """Of an execution by `lasso_plan`. NONE: also where the states have no identities (`trace.unidentified`)."""
    stem, length = len(lasso.threads), len(lasso.round)
    if trace.end.outcome is not Outcome.STOPPED or trace.first or len(trace.states) != trace.length + 1:
        return CheckedLasso(Proof.NONE, trace)
    at = [trace.states[index] for index in range(stem, trace.length + 1, length)]
    if trace.unidentified or None in at or len(set(at)) != 1:
        return CheckedLasso(Proof.NONE, trace)
    missing = starved(trace, stem, trace.length)
    return CheckedLasso(Proof.UNFAIR if missing else Proof.PROVED, trace, starved=missing)


def _counted(executor: Executor, lasso: Schedule, plan: Plan) -> tuple[Counter, ...] | None:
    """The first rounds are told whole; then all of them, of which only what differs between them is, and their last steps."""
    few = lasso.unrolled(ALIKE + 1).threads
    if counters_of(executor.run(replace(plan, prefix=few, max_steps=len(few) + 1)), lasso) is None:
        return None
    return counters_of(executor.run(replace(plan, report_from=len(plan.prefix) - ROUNDS * len(lasso.round))), lasso)


def check(executor: Executor, lasso: Schedule, max_steps: int, rounds: int = ROUNDS, first: Trace | None = None) -> CheckedLasso:
    """`first`: the execution by `lasso_plan`, if there was one already. Raises Diverged if the schedule is none of this program's."""
    trace = first if first is not None else executor.run(lasso_plan(lasso, rounds))
    checked = judge(lasso, trace)
    if checked.proof is not Proof.NONE or trace.end.outcome is not Outcome.STOPPED or starved(trace, len(lasso.threads), trace.length):
        return checked
    many = lasso.unrolled(max((max_steps - len(lasso.threads)) // len(lasso.round), ROUNDS))
    plan = replace(lasso_plan(many), prefix=many.threads, max_steps=len(many) + 1, identify=False)
    if trace.unidentified:
        long = executor.run(replace(plan, report_from=len(many)))
        return replace(checked, proof=Proof.NOT_COMPARED) if long.end.outcome is Outcome.STOPPED else checked
    counters = _counted(executor, lasso, replace(plan, compare=(len(lasso.threads), len(lasso.round))))
    return checked if counters is None else replace(checked, proof=Proof.COUNTS, counters=counters)
