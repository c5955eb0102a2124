"""Table 1 of the Cartesian paper, row by row: its figures, the same searches here, and the cartesian search of this tool."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from benchmarks.paper.cartesian import published as figures
from benchmarks.paper.cartesian.programs import FileSystem, Indexer, Philosophers, Robots, SharedArray, SharedPointer
from benchmarks.paper.cartesian.published import Published
from benchmarks.paper.cartesian.sorting import Sorting
from benchmarks.paper.cartesian.space import PaperSpace
from benchmarks.paper.cartesian.system import Size, System, without_reduction
from benchmarks.paper.cartesian.vector import with_reduction
from bpor.search.cartesian.explore import explore

Line = tuple[System, Published]
LINES: tuple[Line, ...] = (
    (SharedPointer(), figures.SHARED_POINTER),
    (SharedArray(), figures.SHARED_ARRAY),
    *((Robots(count), found) for count, found in figures.ROBOTS.items()),
    *((FileSystem(threads), found) for threads, found in figures.FILE_SYSTEM.items()),
    *((Indexer(threads), found) for threads, found in figures.INDEXER.items()),
    *((Philosophers(count), found) for count, found in figures.PHILOSOPHERS.items()),
    *((Sorting(cut, length), found) for (cut, length), found in figures.SORTING.items()),
)


@dataclass(frozen=True, slots=True)
class Reduced:
    """One row; None where a search would have taken more states than were allowed."""

    program: str
    published: Published
    standard: Size | None
    cartesian: Size
    ours: Size | None

    @property
    def exact(self) -> bool:
        """Every published figure that could be compared is ours too."""
        standard, cartesian = self.published
        return (standard is None or self.standard in (None, standard)) and cartesian in (None, self.cartesian)


OURS_AT_MOST = 2_000  # states: this tool's search keeps more of each than the paper's


def reduce_one(line: Line, max_states: int) -> Reduced:
    system, published = line
    fits = published[0] is not None and published[0].states <= max_states
    found = explore(PaperSpace(system), max_states=OURS_AT_MOST)
    ours = Size(found.states, found.transitions) if found.finished else None
    return Reduced(system.name, published, without_reduction(system, max_states) if fits else None, with_reduction(system), ours)


def reduce_all(max_states: int, lines: Sequence[Line] = LINES) -> list[Reduced]:
    """On all processors, the large ones first."""
    with ProcessPoolExecutor() as pool:
        found = {line[0].name: pool.submit(reduce_one, line, max_states) for line in sorted(lines, key=_weight, reverse=True)}
        return [found[system.name].result() for system, _ in lines]


def _weight(line: Line) -> int:
    return max(size.transitions for size in line[1] if size is not None)


def cartesian_table(reduced: Sequence[Reduced]) -> list[tuple[str, ...]]:
    head = ("program", "standard, published", "standard, here", "cartesian, published", "cartesian, here", "", "this tool's search")
    return [head, *(_cells(each) for each in reduced)]


def _cells(each: Reduced) -> tuple[str, ...]:
    standard, cartesian = each.published
    agree = "equal" if each.exact else "differs"
    return each.program, _size(standard), _size(each.standard), _size(cartesian), _size(each.cartesian), agree, _size(each.ours)


def _size(size: Size | None) -> str:
    return "" if size is None else f"{size.states} / {size.transitions}"
