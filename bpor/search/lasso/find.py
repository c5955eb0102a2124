"""The lasso in a long execution of a search: run once more with the identities of its states."""

from __future__ import annotations

from bpor.lazy_dataclass import replace
from bpor.model.executor import Executor
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.step import Step
from bpor.model.trace import Trace
from bpor.search.lasso.check import check, lasso_plan
from bpor.search.lasso.counters import period, periodic
from bpor.search.lasso.found import Excused, Found, Polling, nothing_excused
from bpor.search.lasso.rounds import Walk, starved
from bpor.search.lasso.shorten import shortened

_TAIL = 400  # steps at the end of a long execution


def find_in_long(executor: Executor, trace: Trace, max_steps: int, excused: Excused = nothing_excused) -> Found:
    """Of a whole execution that was cut at the step limit."""
    schedule = tuple(step.choice for step in trace.steps)
    plan = Plan(prefix=schedule, max_steps=len(schedule) + 1, stop_after_prefix=True, identify=True, lasso=True)
    if len(set(schedule[-_TAIL:])) == 1:  # nearly always a loop that keeps the others from running: its last rounds tell
        tail = executor.run(replace(plan, report_from=max(len(schedule) - _TAIL, 0)))
        if (loops := _unfair(tail)) is not None:
            return loops
    again = executor.run(plan)
    found = find_in_states(executor, again, max_steps, excused)
    if again.unidentified:
        return found if found.lasso is not None else Found(polling=_apparent(trace))
    if found.lasso is not None:
        return found
    return replace(found_by(executor, periodic(trace), max_steps), polling=found.polling)


def find_in_states(executor: Executor, trace: Trace, max_steps: int, excused: Excused = nothing_excused) -> Found:
    """`trace`: with its identities."""
    walk = Walk(trace)
    lasso = walk.fair_round()
    if lasso is not None:
        return find_round(executor, lasso, max_steps, excused)
    return Found(polling=_loops(walk))


def find_unfair(executor: Executor, lasso: Schedule) -> Found:
    """Of a round that states have shown and that keeps others from running."""
    return _unfair(executor.run(lasso_plan(lasso))) or Found()


def _unfair(trace: Trace) -> Found | None:
    """Of a part of an execution: the loops in it, if none of them is fair."""
    walk = Walk(trace)
    loops = _loops(walk)
    return Found(polling=loops) if loops and not walk.has_fair_round() else None


def _loops(walk: Walk) -> tuple[Polling, ...]:
    parts = [[walk.trace.steps[index] for index in sorted(indices)] for indices in walk.unfair_rounds()]
    return tuple(dict.fromkeys(polling for part in parts for polling in _polling(part)))


def find_round(executor: Executor, lasso: Schedule, max_steps: int, excused: Excused = nothing_excused) -> Found:
    """Of a fair round that states have shown: it is run and compared."""
    found = found_by(executor, shortened(executor, lasso), max_steps)
    sites = _sites_of_round(found)
    return Found(polling=(Polling(sites, False, in_step=True),)) if sites and excused(sites) else found


def found_by(executor: Executor, lasso: Schedule | None, max_steps: int) -> Found:
    checked = check(executor, lasso, max_steps) if lasso is not None else None
    return Found(lasso, checked) if checked is not None and checked.endless else Found()


def _sites_of_round(found: Found) -> tuple[int, ...]:
    if found.lasso is None or found.checked is None:
        return ()
    steps = found.checked.trace.steps[len(found.lasso.threads) :]
    return tuple(sorted({step.operation.site for step in steps}))


def _apparent(trace: Trace) -> tuple[Polling, ...]:
    """Where states cannot be compared: the loop of one thread that does the same again and again while another could run. Nothing rests on
    that guess but where the runtime looks whether the thread comes back as it was (csrc/loops/circle.c)."""
    length = period(trace.steps)
    if length is None or not starved(trace, len(trace.steps) - length, len(trace.steps)):
        return ()
    round = list(trace.steps[-length:])
    loop = _loop(round)
    return (replace(loop, guessed=True),) if loop.bare and len({step.thread for step in round}) == 1 else ()


def _polling(steps: list[Step]) -> list[Polling]:
    """Who goes round, each for itself."""
    threads = sorted({step.thread for step in steps})
    return [_loop([step for step in steps if step.thread == thread]) for thread in threads]


def _loop(mine: list[Step]) -> Polling:
    """A thread that is kept waiting should hold nothing: the last lock it gives back is a better place than the one it takes. Without
    locks it waits where it looks."""
    sites = tuple(sorted({step.operation.site for step in mine}))
    given_back = [step for step in mine if step.operation.kind.name.endswith("UNLOCK")]
    looking = [step for step in mine if step.footprint and not any(access.write for access in step.footprint)]
    bare = 0 if any(step.yields for step in mine) else (given_back or looking or mine)[-1].operation.site
    return Polling(sites, any(step.yields and not step.inferred for step in mine), bare)
