"""Experiments that need exact counts, on simulated programs: CB-POR's queue, Cartesian Table 1, the orders of optimal search."""

from __future__ import annotations

from bpor.search.bounds import parse_bound
from bpor.search.cartesian.explore import explore
from bpor.search.comparison import Request, Row, run_one
from bpor.search.optimal.order import ORDERS
from bpor.simulate import programs
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.program import Program
from bpor.simulate.space import SimulatedSpace, count_states

# states, transitions of the paper's Table 1 (SPIN 2007), cartesian column, for the programs we have in the same form
PUBLISHED = {
    "indexer 11": "1 / 44", "indexer 12": "9 / 394", "indexer 13": "81 / 3528",
    "file system 13": "1 / 104", "file system 14": "10 / 1026", "file system 15": "100 / 10120",
    "philosophers 2": "9 / 28", "philosophers 3": "27 / 174", "philosophers 4": "94 / 750", "philosophers 5": "295 / 2984",
}  # fmt: skip


def run(program: Program, search: str, bound: str, seconds: float) -> Row:
    request = Request((search,), parse_bound(bound), max_seconds=seconds)
    return run_one(SimulatedExecutor(program), search, request.bound, request)


def queue_table(seconds: float) -> list[tuple[str, ...]]:
    """Musuvathi and Qadeer 2007: executions of plain bounded search and of CB-POR, bounds 0 to 4."""
    program = programs.work_stealing_queue(2, 2, 2)
    table = [("bound", "cb-dfs", "cb-por complete", "cb-por stopped", "BPOR optimised")]
    for bound in range(5):
        plain, graph, bpor = (run(program, search, f"preemption:{bound}", seconds) for search in ("dfs", "cb-por", "bpor"))
        table.append((str(bound), _executions(plain), str(graph.counts.complete), str(graph.counts.redundant), _executions(bpor)))
    return table


def cartesian_table(max_states: int) -> list[tuple[str, ...]]:
    made = [
        *(programs.indexer(threads) for threads in (11, 12, 13)),
        *(programs.file_system(threads) for threads in (13, 14, 15)),
        *(programs.philosophers(count) for count in (2, 3, 4, 5)),
    ]
    table = [("program", "standard (states / transitions)", "cartesian", "published", "with deadlocks (E17)")]
    for program in made:
        plain, moves, finished = count_states(SimulatedSpace(program), max_states)
        published, ours = explore(SimulatedSpace(program), deadlocks=False), explore(SimulatedSpace(program))
        standard = f"{plain} / {moves}" if finished else f">{plain}"
        ended = f"{published.states} / {published.transitions}"
        table.append((program.name, standard, ended, PUBLISHED[program.name], f"{ours.states} / {ours.transitions}"))
    return table


def order_table(seconds: float) -> list[tuple[str, ...]]:
    """Executions of optimal search per trace, in every order: 1.00 is one execution per trace."""
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
        rows = [run(program, f"optimal:{order}", "none", seconds) for order in ORDERS]
        table.append((program.name, str(rows[0].counts.distinct_traces), *(_share(row) for row in rows)))
    return table


def _share(row: Row) -> str:
    """Executions that were not needed."""
    wasted = row.counts.executions - row.counts.distinct_traces
    return f"{row.counts.executions} ({100 * wasted / row.counts.executions:.0f} % redundant)"


def _executions(row: Row) -> str:
    return f"{'' if row.finished else '>'}{row.counts.executions}"
