"""Table 1 of "Partial-Order Reduction for Context-Bounded State Exploration" (Musuvathi, Qadeer 2007) on a work-stealing queue in C."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.paper.native import HERE, compiled, measure_beside
from bpor.search.comparison import Row

SIZES = (3, 4, 5)
PUBLISHED = {  # context bound: terminal executions of cb-dfs and of cb-por, for each size
    0: ((2, 2), (2, 2), (2, 2)),
    1: ((46, 46), (54, 54), (67, 67)),
    2: ((756, 713), (898, 853), (1197, 1136)),
    3: ((8918, 7838), (12711, 8458), (19460, 14563)),
    4: ((66374, 48828), (95935, 52572), (161637, 95068)),
}


@dataclass(frozen=True, slots=True)
class Stolen:
    size: int
    bound: int
    plain: Row
    reduced: Row


def steal_all(most: int) -> list[Stolen]:
    found = []
    for size in SIZES:
        program = compiled(HERE / "work_stealing_queue.c", f"-DSIZE={size}", instrumented=True)
        for bound in PUBLISHED:
            plain, reduced = (measure_beside(program, search, f"preemption:{bound}", 10 * most) for search in ("dfs", "cb-por"))
            found.append(Stolen(size, bound, plain, reduced))
    return found


def queue_table(found: list[Stolen]) -> list[tuple[str, ...]]:
    head = [f"size {size}: {name}" for size in SIZES for name in ("cb-dfs, cb-por published", "cb-dfs", "cb-por", "in vain")]
    table = [("bound", *head)]
    for bound, published in PUBLISHED.items():
        cells = [str(bound)]
        for size, figures in zip(SIZES, published, strict=True):
            each = next(one for one in found if (one.size, one.bound) == (size, bound))
            cells += ["{}, {}".format(*figures), _count(each.plain, each.plain.executions)]
            cells += [_count(each.reduced, each.reduced.counts.complete), str(each.reduced.counts.redundant)]
        table.append(tuple(cells))
    return table


def _count(row: Row, executions: int) -> str:
    return f"{'' if row.finished else '>'}{executions}"
