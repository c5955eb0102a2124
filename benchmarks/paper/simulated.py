"""Experiments that need exact counts, on simulated programs: CB-POR's queue, Cartesian Table 1, the orders of optimal search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bpor.search.bounds import parse_bound
from bpor.search.cartesian.explore import explore
from bpor.search.comparison import Request, Row, run_one
from bpor.search.optimal.order import ORDERS
from bpor.simulate import programs, table1
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.program import Program
from bpor.simulate.space import SimulatedSpace, count_states

NOT_AT_HAND = "not at hand"


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the paper's Table 1 (SPIN 2007); `published` is the cartesian column where it is known: states / transitions."""

    program: Program
    published: str = NOT_AT_HAND


TABLE_1 = (
    Line(table1.shared_pointer()),
    Line(table1.shared_array()),
    Line(table1.robots(2)),
    Line(table1.robots(3)),
    Line(programs.file_system(13), "1 / 104"),
    Line(programs.file_system(14), "10 / 1026"),
    Line(programs.file_system(15), "100 / 10120"),
    Line(programs.indexer(11), "1 / 44"),
    Line(programs.indexer(12), "9 / 394"),
    Line(programs.indexer(13), "81 / 3528"),
    Line(programs.philosophers(2), "9 / 28"),
    Line(programs.philosophers(3), "27 / 174"),
    Line(programs.philosophers(4), "94 / 750"),
    Line(programs.philosophers(5), "295 / 2984"),
)


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


Size = tuple[int, int]  # states, transitions


@dataclass(frozen=True, slots=True)
class Reduced:
    """One program without reduction (None: it has more states than were allowed) and with each form of cartesian search."""

    program: str
    standard: Size | None
    cartesian: Size
    published: str
    with_deadlocks: Size
    together: Size


def reduce_all(max_states: int, lines: Sequence[Line] = TABLE_1) -> list[Reduced]:
    return [_reduce(line, max_states) for line in lines]


def _reduce(line: Line, max_states: int) -> Reduced:
    states, transitions, finished = count_states(SimulatedSpace(line.program), max_states)
    found = [
        explore(SimulatedSpace(line.program), deadlocks, concurrent)
        for deadlocks, concurrent in ((False, False), (True, False), (True, True))
    ]
    assert all(each.finished for each in found)
    published, with_deadlocks, together = ((each.states, each.transitions) for each in found)
    return Reduced(line.program.name, (states, transitions) if finished else None, published, line.published, with_deadlocks, together)


def cartesian_table(reduced: Sequence[Reduced], max_states: int) -> list[tuple[str, ...]]:
    head = ("program", "standard (states / transitions)", "cartesian", "published", "with deadlocks (E17)", "and moves together")
    return [
        head,
        *(
            (
                each.program,
                _size(each.standard) if each.standard is not None else f">{max_states}",
                _size(each.cartesian),
                each.published,
                _size(each.with_deadlocks),
                _size(each.together),
            )
            for each in reduced
        ),
    ]


def _size(size: Size) -> str:
    return f"{size[0]} / {size[1]}"


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
