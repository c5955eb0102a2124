"""What the papers claim and a run can decide: each claim with the answer of this run, never with an answer written down."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.paper.bugs import BOUNDED, DEPTH_FIRST, FEWEST, NEW_ORDERS, REDUCED, Found
from benchmarks.paper.cartesian.table import Reduced
from benchmarks.paper.coverage import BPOR, OPTIMISED, PLAIN, Measured
from benchmarks.paper.orders import run
from benchmarks.paper.queue import Stolen
from bpor.search.comparison import Row
from bpor.simulate import programs

_BPOR, _DISSERTATION, _CARTESIAN = "BPOR 2013, abstract", "Coons 2013", "Cartesian 2007"


def claims(measured: list[Measured], bugs: Found, stolen: list[Stolen], reduced: list[Reduced]) -> list[tuple[str, ...]]:
    return [
        ("claim", "stands in", "looked at", "this run"),
        ("plain bounded search runs more executions than unbounded DPOR, even for small bounds", _BPOR, "bound 2", runs_more(measured)),
        ("BPOR takes less testing time than bounded search", _BPOR, "executions within each bound", _fewer(measured, BPOR, PLAIN)),
        ("what a bounded search reaches BPOR reaches", _BPOR, "local states within each bound", _same_states(measured)),
        ("the optimisations save executions", f"{_DISSERTATION}, 8.6", "executions within each bound", _fewer(measured, OPTIMISED, BPOR)),
        ("bounds on the partial order never cost more than DPOR", f"{_DISSERTATION}, 8.4", "executions, local bounds", _local(measured)),
        ("fewest preemptions first finds bugs sooner", f"{_DISSERTATION}, 3.6", "against DPOR", _sooner(bugs, FEWEST, DEPTH_FIRST)),
        ("new partial orders first finds bugs sooner", f"{_DISSERTATION}, 3.6", "against bounded", _sooner(bugs, NEW_ORDERS, BOUNDED)),
        ("BPOR finds bugs sooner than bounded search", f"{_DISSERTATION}, 8.8", "executions to the bug", _sooner(bugs, REDUCED, BOUNDED)),
        ("CB-POR runs one complete execution per graph", "CB-POR 2007, theorem 3", "the queue, where it finished", _once(stolen)),
        ("its search is never blocked", "CB-POR 2007, theorem 4", "executions in vain, the same", _in_vain(stolen)),
        ("cartesian reduction saves states", f"{_CARTESIAN}, abstract", "rows with a standard column", _less(reduced, 0)),
        ("cartesian reduction saves transitions", f"{_CARTESIAN}, abstract", "the same", _less(reduced, 1)),
        ("optimal DPOR explores the fewest executions", "Optimal DPOR 2017", "N readers and a writer: 2^N", _readers()),
    ]  # fmt: skip


def _pairs(measured: list[Measured], first: str, second: str) -> Iterator[tuple[str, Row, Row]]:
    """The rows of two variants at the same bound, where both finished."""
    for each in measured:
        for rows in each.bounded.values():
            for a, b in zip(rows.get(first, []), rows.get(second, []), strict=False):
                if a.finished and b.finished:
                    yield f"{each.test.name} at {a.bound}", a, b


def _fewer(measured: list[Measured], less: str, more: str) -> str:
    """No more in any comparison, and fewer in some."""
    pairs = list(_pairs(measured, less, more))
    wrong = [name for name, a, b in pairs if a.executions > b.executions]
    if not wrong and pairs and all(a.executions == b.executions for _, a, b in pairs):
        return f"does not hold: equal in {len(pairs)} comparisons"
    return verdict(wrong, len(pairs))


def _same_states(measured: list[Measured]) -> str:
    pairs = list(_pairs(measured, OPTIMISED, PLAIN))
    return verdict([name for name, a, b in pairs if a.counts.local_states != b.counts.local_states], len(pairs))


def runs_more(measured: list[Measured]) -> str:
    """At bound 2, where it has run more, or finished with less."""
    decided = [each for each in measured if each.unbounded["DPOR optimised"].finished]
    wrong = [each.test.name for each in decided if each.small.executions <= each.unbounded["DPOR optimised"].executions]
    return verdict(wrong, len(decided))


def _local(measured: list[Measured]) -> str:
    wrong, looked = [], 0
    for each in measured:
        unbounded = each.unbounded["DPOR optimised"]
        for row in (row for panel, rows in each.bounded.items() if panel.bound.startswith("local") for row in rows[OPTIMISED]):
            if unbounded.finished and row.finished:
                looked += 1
                wrong += [f"{each.test.name} at {row.bound}"] if row.executions > unbounded.executions else []
    return verdict(wrong, looked)


def _sooner(bugs: Found, first: str, second: str) -> str:
    sooner = {bug.name: is_sooner(rows[first][0], rows[second][0]) for bug, rows in bugs.items()}
    decided = {name: answer for name, answer in sooner.items() if answer is not None}
    return verdict([name for name, answer in decided.items() if not answer], len(decided))


def is_sooner(first: Row, second: Row) -> bool | None:
    """Does the first need no more executions to the bug than the second? None: one was stopped too soon to tell."""
    found, than = first.first_failure, second.first_failure
    if found is not None and than is not None:
        return found <= than
    if found is not None:
        return True if second.executions >= found else None
    return False if than is not None and first.executions >= than else None


def _once(stolen: list[Stolen]) -> str:
    rows = [each for each in stolen if each.reduced.finished]
    return verdict([_where(each) for each in rows if each.reduced.counts.complete != each.reduced.counts.distinct_traces], len(rows))


def _in_vain(stolen: list[Stolen]) -> str:
    rows = [each for each in stolen if each.reduced.finished]
    return verdict([_where(each) for each in rows if each.reduced.counts.redundant], len(rows))


def _where(each: Stolen) -> str:
    return f"size {each.size} at {each.bound}"


def _less(reduced: list[Reduced], column: int) -> str:
    exact = [each for each in reduced if each.standard is not None]
    return verdict([each.program for each in exact if each.standard and each.cartesian[column] >= each.standard[column]], len(exact))


def _readers() -> str:
    counts = (2, 4, 6, 8)
    wrong = [str(n) for n in counts if run(programs.readers_and_writer(n), "optimal", "none").executions != 2**n]
    return verdict(wrong, len(counts))


def verdict(wrong: list[str], looked: int) -> str:
    if not looked:
        return "not decided: nothing finished"
    held = f"holds in {looked - len(wrong)} of {looked} comparisons"
    return f"{held}; not in: {', '.join(wrong)}" if wrong else held
