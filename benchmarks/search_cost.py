"""What a search costs: executions a second and executions per distinct trace, all searches side by side. Prints JSON.

    python benchmarks/search_cost.py [--seconds 2] [--search NAME] [--only native|simulated]

`native` rows are searches of real programs where they run by default (beside the program, or in Python), in processor time of tool and
program, without what the first execution took, start included. All of them execute every run (no known steps). `of_dpor` is the rate
divided by that of `dpor`, `step_of_dpor` likewise by the step: executions of `dpor` that turn out to be redundant are cut.

The other rows are of simulated programs: the time spent in them is measured and left out. `us_per_step` is the search's own time
divided by the steps that were new (replayed prefixes cost it nothing); `runs_per_trace` is 1.0 for an optimal search. `dpor`, `optimal` and
`best-first:pb`, and `cb-por` and `cartesian` where they finish, are measured in both engines, in Python and in C (`library`, whose time
includes what it takes to tell it every step from Python). `kept`: the most states that best-first search had to keep at once, and
`kept_of_states` of those it came through.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.known_steps import build
from bpor.api import check
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.report.result import Result
from bpor.search.bounds import Bound, parse_bound
from bpor.search.budget import Budget
from bpor.search.explorer import Explorer
from bpor.search.optimal.order import ORDERS
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.strategy import Strategy
from bpor.simulate import programs
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.program import Program


@dataclass(frozen=True, slots=True)
class Case:
    program: Program
    search: str | None
    bound: str | None
    engine: str = "python"


class Stopwatch:
    """An executor that measures the one it wraps."""

    def __init__(self, inner: SimulatedExecutor) -> None:
        self.inner = inner
        self.seconds = 0.0

    def run(self, plan: Plan) -> Trace:
        start = time.process_time()
        trace = self.inner.run(plan)
        self.seconds += time.process_time() - start
        return trace


def cases() -> list[Case]:
    wsq, table = programs.work_stealing_queue(2, 2, 2), programs.philosophers(5)
    counter, spin, index = programs.mutex_counter(3), programs.spinners(), programs.indexer(13)
    long = parse(f"{'; '.join(['lock; Wx; unlock'] * 5000)} | Wz")
    searches = [(wsq, name, bound) for name, bound in _SEARCHES]
    more = [
        (table, "bpor", "preemption:2"), (table, "dpor", "none"), (counter, "bpor", "preemption:2"), (counter, "dpor", "none"),
        (index, "bpor", "preemption:2"), (spin, "bpor", "fair:2"), (spin, "bpor", "fair:2,preemption:2"), (wsq, None, None),
        (long, "bpor", "preemption:1"),
    ]  # fmt: skip
    both = [
        Case(program, name, "none", engine)
        for program in (wsq, table, index)
        for name in ("dpor", "optimal", "best-first:pb")
        for engine in ("python", "library")
    ]
    more_both = [Case(program, name, "none", engine) for program in (wsq, table) for name in _STATEFUL for engine in ("python", "library")]
    return [*(Case(program, name, bound) for program, name, bound in searches + more), *both, *more_both]


_STATEFUL = ("cb-por", "cartesian")
_SEARCHES: list[tuple[str | None, str | None]] = [
    ("bpor", "preemption:2"), ("bpor", "context:2"), ("bpor", "delta:2"), ("bpor", "local-depth:8"), ("bpor", "local-context:2"),
    ("bpor", "depth:8"), ("dpor", "none"), ("dfs", "preemption:2"), ("delay", "delta:2"), ("random", None), ("pct", None), ("pos", None),
    ("determinism", None),
]  # fmt: skip


def measure(case: Case, seconds: float) -> dict[str, object]:
    executor = Stopwatch(SimulatedExecutor(case.program))
    bound: Bound | None = parse_bound(case.bound) if case.bound is not None else None
    strategy = make_strategy(case.search, bound, SearchOptions(max_steps=50_000, engine=case.engine))
    start = time.process_time()  # not the wall clock: the machine may be busy
    result = Explorer(executor, strategy, Budget(max_seconds=seconds, max_findings=None)).run()
    counts, own = result.counts, time.process_time() - start - executor.seconds
    return {
        "program": case.program.name if len(case.program.name) < 40 else "one long thread",
        "search": case.search or "default",
        "bound": case.bound or "none",
        "engine": case.engine,
        "finished": result.exhausted,
        "executions": counts.executions,
        "redundant": counts.redundant,
        "traces": counts.distinct_traces,
        "runs_per_trace": round(counts.executions / max(1, counts.distinct_traces), 2),
        "steps": counts.steps,
        "asked": counts.asked,
        "us_per_execution": round(own / max(1, counts.executions) * 1e6, 1),
        "us_per_step": round(own / max(1, counts.steps) * 1e6, 2),
        **_kept(strategy, counts.steps),
    }


def _kept(strategy: Strategy, steps: int) -> dict[str, object]:
    """How far best-first search compresses its tree: the most states it kept, and how many of those it came through that is."""
    most = getattr(getattr(strategy, "tree", None), "most_nodes", None)
    return {} if most is None else {"kept": most, "kept_of_states": round(most / max(1, steps), 4)}


# Large enough for a second of executions, but the last, which has few traces.
NATIVE = (("counter", 5), ("indexer", 15), ("lost-update", 3), ("philosophers", 10), ("work-stealing", 2))
NATIVE_SEARCHES: tuple[tuple[str, str], ...] = (
    *(("dpor", "none"), *(("optimal" if order == "dfs" else f"optimal:{order}", "none") for order in ORDERS)),
    *(("best-first:pb", "none"), ("best-first:random", "none"), ("cb-por", "none")),
    *(("bpor", "preemption:2"), ("best-first:pb", "preemption:2"), ("best-first-all:pb", "preemption:1"), ("cb-por", "preemption:2")),
    *(("dfs", "preemption:1"), ("delay", "delta:2"), ("random", "none"), ("pct", "none"), ("pos", "none"), ("cartesian", "none")),
)


def native_rows(seconds: float, wanted: str | None) -> list[dict[str, object]]:
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        program = build(Path(directory))
        for name, threads in NATIVE:
            dpor = None
            for search, bound in NATIVE_SEARCHES:
                if wanted in (None, search) or search == "dpor":
                    row = native_row([str(program), name, str(threads)], search, bound, seconds)
                    cost = float(str(row["us_per_execution"])), float(str(row["ns_per_step"]))
                    dpor = dpor or cost
                    ratios = {"of_dpor": round(dpor[0] / cost[0], 3), "step_of_dpor": round(dpor[1] / cost[1], 3)}
                    rows.append({"program": f"{name} {threads}", **row, **ratios})
    return rows


def native_row(argv: list[str], search: str, bound: str, seconds: float) -> dict[str, object]:
    result, spent = _searched(argv, search, bound, seconds, None)
    first, start = _searched(argv, search, bound, seconds, 1)
    assert result.search is not None and first.search is not None, result.verdict
    found, spent = result.search, max(spent - start, 1e-6)
    executions, steps = max(1, found.executions - 1), max(1, found.counts.made - first.search.counts.made)
    return {
        "search": search,
        "bound": bound,
        "where": "python" if result.in_python else "beside the program",
        "finished": found.exhausted,
        "executions": found.executions,
        "asked": found.counts.asked,
        "traces": found.counts.distinct_traces,
        "runs_per_trace": round(found.executions / max(1, found.counts.distinct_traces), 2),
        "us_per_execution": round(spent / executions * 1e6, 1),
        "steps": round(found.counts.made / max(1, found.executions), 1),
        "ns_per_step": round(spent / steps * 1e9),
    }


def _searched(argv: list[str], search: str, bound: str, seconds: float, executions: int | None) -> tuple[Result, float]:
    before = _processor_time()
    result = check(
        argv, search=search, bound=bound, known_steps=False, keep_going=True, max_time=seconds, max_executions=executions, state="none"
    )
    return result, _processor_time() - before


def _processor_time() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="at most so long per row")
    parser.add_argument("--search", help="only the rows of this one")
    parser.add_argument("--only", choices=("native", "simulated"))
    arguments = parser.parse_args()
    native = [] if arguments.only == "simulated" else native_rows(arguments.seconds, arguments.search)
    wanted = [case for case in cases() if arguments.search in (None, case.search) and arguments.only != "native"]
    rows = list(map(partial(measure, seconds=arguments.seconds), wanted))
    print(json.dumps({"benchmark": "search_cost", "native": native, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
