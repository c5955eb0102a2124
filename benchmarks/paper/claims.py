"""What the papers claim and a run can decide: each claim with the answer of this run, never with an answer written down."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.paper.coverage import Test
from benchmarks.paper.simulated import run
from bpor.search.comparison import Row
from bpor.simulate import programs

Measured = dict[Test, dict[str, list[Row]]]


def claims(measured: Measured, seconds: float) -> list[tuple[str, ...]]:
    table = [("claim", "source", "this run")]
    table.append(("within every bound the reduction needs no more executions than plain search", "BPOR 2013", _fewer(measured, "BPOR")))
    table.append(("the optimised reduction needs no more than the plain one", "BPOR 2013", _fewer(measured, "BPOR optimised", "BPOR")))
    table.append(("plain bounded search runs more executions than unbounded DPOR, even for small bounds", "BPOR 2013", _beyond(measured)))
    table.append(("the reduction reaches the local states of plain search", "BPOR 2013", _same_states(measured)))
    table.append(("CB-POR runs one complete execution per graph, plain search many", "CB-POR 2007", _queue(seconds)))
    table.append(("N readers and a writer take 2^N executions", "Optimal DPOR 2017", _readers(seconds)))
    return table


def _pairs(measured: Measured, first: str, second: str) -> Iterator[tuple[str, Row, Row]]:
    """The rows of two variants at the same bound, where both finished."""
    for test, rows in measured.items():
        for a, b in zip(rows[first], rows[second], strict=True):
            if a.finished and b.finished:
                yield f"{test.name} at {a.bound}", a, b


def _fewer(measured: Measured, less: str, more: str = "plain") -> str:
    pairs = list(_pairs(measured, less, more))
    return _verdict([name for name, a, b in pairs if a.executions > b.executions], len(pairs))


def _same_states(measured: Measured) -> str:
    pairs = list(_pairs(measured, "BPOR optimised", "plain"))
    return _verdict([name for name, a, b in pairs if a.counts.local_states != b.counts.local_states], len(pairs))


def _beyond(measured: Measured) -> str:
    """At bound 2, where both finished."""
    wrong, looked = [], 0
    for test, rows in measured.items():
        unbounded = rows["DPOR"][0]
        for row in rows["plain"]:
            if unbounded.finished and row.finished and str(row.bound) == "preemption:2":
                looked += 1
                wrong += [test.name] if row.executions <= unbounded.executions else []
    return _verdict(wrong, looked)


def _queue(seconds: float) -> str:
    program, wrong = programs.work_stealing_queue(2, 2, 2), []
    for bound in range(1, 5):
        graph, plain = (run(program, search, f"preemption:{bound}", seconds) for search in ("cb-por", "dfs"))
        if not graph.counts.complete == graph.counts.distinct_traces < plain.executions:
            wrong.append(f"bound {bound}")
    return _verdict(wrong, 4)


def _readers(seconds: float) -> str:
    counts = (2, 4, 6, 8)
    wrong = [str(n) for n in counts if run(programs.readers_and_writer(n), "optimal", "none", seconds).executions != 2**n]
    return _verdict(wrong, len(counts))


def _verdict(wrong: list[str], looked: int) -> str:
    if not looked:
        return "not decided: nothing finished"
    return f"does not hold: {', '.join(wrong)}" if wrong else f"holds ({looked} of {looked} comparisons)"
