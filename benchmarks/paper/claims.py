"""What the papers claim and a run can decide: each claim with the answer of this run, never with an answer written down.

Only claims that stand in the papers' abstracts are called theirs; the rest is what we take their algorithms to promise.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.paper.bugs import Found
from benchmarks.paper.coverage import Test
from benchmarks.paper.simulated import Reduced, run
from bpor.search.comparison import Row
from bpor.simulate import programs

Measured = dict[Test, dict[str, list[Row]]]
_BPOR, _GAMBIT = "abstract, BPOR 2013", "abstract, GAMBIT 2010"


def claims(measured: Measured, bugs: Found, reduced: list[Reduced], seconds: float) -> list[tuple[str, ...]]:
    return [
        ("claim", "stands in", "looked at", "this run"),
        ("plain bounded search runs more executions than unbounded DPOR, even for small bounds", _BPOR, "preemption:2", _beyond(measured)),
        ("BPOR takes less testing time than bounded search", _BPOR, "executions within each bound", _fewer(measured, "BPOR", "plain")),
        ("what a bounded search reaches BPOR reaches", _BPOR, "local states within each bound", _same_states(measured)),
        ("the optimisations save executions", "ours", "executions within each bound", _fewer(measured, "BPOR optimised", "BPOR")),
        ("best-first search finds bugs more quickly", _GAMBIT, "executions to the first bug, no more than BPOR's", _sooner(bugs, "BPOR")),
        ("best-first search finds bugs more quickly", _GAMBIT, "the same, no more than bounded search's", _sooner(bugs, "bounded")),
        ("CB-POR runs one complete execution per graph within the bound", "ours", "work-stealing queue, bounds 1 to 4", _queue(seconds)),
        ("cartesian reduction saves states", "abstract, Cartesian 2007", "rows whose standard column is exact", _states(reduced)),
        ("cartesian reduction saves transitions", "abstract, Cartesian 2007", "the same", _transitions(reduced)),
        ("optimal DPOR explores the fewest executions", "abstract, Optimal DPOR 2017", "N readers and a writer: 2^N", _readers(seconds)),
    ]


def _pairs(measured: Measured, first: str, second: str) -> Iterator[tuple[str, Row, Row]]:
    """The rows of two variants at the same bound, where both finished."""
    for test, rows in measured.items():
        for a, b in zip(rows[first], rows[second], strict=True):
            if a.finished and b.finished:
                yield f"{test.name} at {a.bound}", a, b


def _fewer(measured: Measured, less: str, more: str) -> str:
    """No more in any comparison, and fewer in some."""
    pairs = list(_pairs(measured, less, more))
    wrong = [name for name, a, b in pairs if a.executions > b.executions]
    if not wrong and pairs and all(a.executions == b.executions for _, a, b in pairs):
        return f"does not hold: equal in {len(pairs)} comparisons"
    return verdict(wrong, len(pairs))


def _same_states(measured: Measured) -> str:
    pairs = list(_pairs(measured, "BPOR optimised", "plain"))
    return verdict([name for name, a, b in pairs if a.counts.local_states != b.counts.local_states], len(pairs))


def _beyond(measured: Measured) -> str:
    """At bound 2, where both finished."""
    wrong, looked = [], 0
    for test, rows in measured.items():
        unbounded = rows["DPOR"][0]
        for row in rows["plain"]:
            if unbounded.finished and row.finished and str(row.bound) == "preemption:2":
                looked += 1
                wrong += [test.name] if row.executions <= unbounded.executions else []
    return verdict(wrong, looked)


def _sooner(bugs: Found, other: str) -> str:
    sooner = {bug.file: is_sooner(rows["best-first"], rows[other]) for bug, rows in bugs.items()}
    decided = {file: answer for file, answer in sooner.items() if answer is not None}
    return verdict([file for file, answer in decided.items() if not answer], len(decided))


def is_sooner(first: Row, second: Row) -> bool | None:
    """Does the first need no more executions to the bug than the second? None: one was stopped too soon to tell."""
    found, than = first.first_failure, second.first_failure
    if found is not None and than is not None:
        return found <= than
    if found is not None:
        return True if second.executions >= found else None
    return False if than is not None and first.executions >= than else None


def _states(reduced: list[Reduced]) -> str:
    exact = [each for each in reduced if each.standard is not None]
    return verdict([each.program for each in exact if each.standard and each.cartesian[0] >= each.standard[0]], len(exact))


def _transitions(reduced: list[Reduced]) -> str:
    exact = [each for each in reduced if each.standard is not None]
    return verdict([each.program for each in exact if each.standard and each.cartesian[1] >= each.standard[1]], len(exact))


def _queue(seconds: float) -> str:
    program, wrong = programs.work_stealing_queue(2, 2, 2), []
    for bound in range(1, 5):
        graph, plain = (run(program, search, f"preemption:{bound}", seconds) for search in ("cb-por", "dfs"))
        if not graph.counts.complete == graph.counts.distinct_traces < plain.executions:
            wrong.append(f"bound {bound}")
    return verdict(wrong, 4)


def _readers(seconds: float) -> str:
    counts = (2, 4, 6, 8)
    wrong = [str(n) for n in counts if run(programs.readers_and_writer(n), "optimal", "none", seconds).executions != 2**n]
    return verdict(wrong, len(counts))


def verdict(wrong: list[str], looked: int) -> str:
    if not looked:
        return "not decided: nothing finished"
    held = f"holds in {looked - len(wrong)} of {looked} comparisons"
    return f"{held}; not in: {', '.join(wrong)}" if wrong else held
