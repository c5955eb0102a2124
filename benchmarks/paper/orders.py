"""What a documentation page of a checker with wakeup trees claims: its table of reductions, and how much its search orders repeat."""

from __future__ import annotations

from dataclasses import dataclass

from bpor.search.bounds import parse_bound
from bpor.search.comparison import Request, Row, run_one
from bpor.search.optimal.order import ORDERS
from bpor.simulate import programs
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.program import Program


def run(program: Program, search: str, bound: str) -> Row:
    request = Request((search,), parse_bound(bound))
    return run_one(SimulatedExecutor(program), search, request.bound, request)


@dataclass(frozen=True, slots=True)
class Scenario:
    text: str  # as the page has it
    naive: int
    reduced: int
    threads: int
    operations: int
    shared: bool = True

    def program(self, operations: str) -> Program:
        """`operations`: what a thread does in turn."""
        kinds = (operations * self.operations)[: self.operations]
        return parse(
            " | ".join("; ".join(f"{kind}{'x' if self.shared else f'x{thread}'}" for kind in kinds) for thread in range(self.threads))
        )


SCENARIOS = (
    Scenario("2 threads, 2 ops each, same object", 6, 2, 2, 2),
    Scenario("2 threads, 5 ops each, same object", 252, 2, 2, 5),
    Scenario("2 threads, 2 ops each, disjoint objects", 6, 1, 2, 2, shared=False),
    Scenario("3 threads, 2 ops each, one shared object", 90, 6, 3, 2),
)


def reduction_table() -> list[tuple[str, ...]]:
    head = ("scenario", "naive, published", "naive, here", "DPOR, published", "traces, each op a write", "traces, reads and writes in turn")
    table = [head]
    for scenario in SCENARIOS:
        naive = run(scenario.program("W"), "dfs", "none")
        traces = [run(scenario.program(kinds), "optimal", "none") for kinds in ("W", "RW")]
        assert naive.finished and all(row.finished and row.executions == row.counts.distinct_traces for row in traces)
        counts = (scenario.naive, naive.executions, scenario.reduced, *(row.executions for row in traces))
        table.append((scenario.text, *map(str, counts)))
    return table


def order_table() -> list[tuple[str, ...]]:
    """Executions of optimal search per trace, in every order."""
    made = [
        programs.readers_and_writer(8),
        programs.last_zero(4),
        programs.indexer(13),
        programs.file_system(15),
        programs.work_stealing_queue(2, 2, 2),
        programs.philosophers(5),
    ]
    table = [("program", "traces", *ORDERS)]
    for program in made:
        rows = [run(program, f"optimal:{order}", "none") for order in ORDERS]
        table.append((program.name, str(rows[0].counts.distinct_traces), *(_share(row) for row in rows)))
    return table


def _share(row: Row) -> str:
    """Executions that were not needed."""
    wasted = row.counts.executions - row.counts.distinct_traces
    return f"{row.counts.executions} ({100 * wasted / row.counts.executions:.0f} % redundant)"
