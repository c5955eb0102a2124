"""SearchOptions: every switch of the algorithms, once. Data only."""

from __future__ import annotations

from collections.abc import Callable

from bpor.lazy_dataclass import dataclass
from bpor.model.operation import Operation
from bpor.protocol import wire
from bpor.search.naming import Naming

FAIR_ENOUGH: int = wire.constant("BPOR_FAIR_ENOUGH")  # a fair bound under which loops that only count their rounds show it
OFF, AUTO, MEMORY, HAPPENS_BEFORE = "off", "auto", "memory", "happens-before"  # how states are recognised
ALL = "all"  # rounds of a loop that looks until it finds what it needs
SAMPLED = 1 << 12  # hashes of local states kept in a run that only reports their number: within some 2 %
Sealing = Callable[[Operation, Operation], bool]  # does a thread stay in code that is trusted to be atomic from one operation to its next?


@dataclass(frozen=True, slots=True)
class SearchOptions:
    sleep_sets: bool = True
    transitive_reduction: bool = True
    bound_optimisation: bool = True
    release_optimisation: bool = True  # unbounded search only (erratum E7)
    any_order: bool = False  # the guard that makes orders other than depth-first complete (erratum E26)
    check_postconditions: bool = False  # debugging: quadratic, and sleep sets are off
    engine: str = "python"  # where it is possible, native: trees are searched beside the program; library: by the same code in our process
    workers: int = 1  # processes of the program that run at the same time
    as_one: bool = False  # several run the very executions of one: nobody is given a part before it is sure that one would come to it next
    match: str = OFF  # states are recognised; auto: by the default search, once it has met an endless loop
    match_limit: int = 0  # states whose futures are known, at most; 0: as many as there is room for
    open_limit: int = 0  # best-first: states kept in memory, at most, the others on disk; 0: as many as there is room for
    alternatives: bool = False  # steps may go several ways, so that one execution does not show all that a thread does
    known_steps: bool = False  # library: what an execution has shown is not executed again
    max_steps: int = 20_000
    narrowed: int = 0  # tables beside the program that only save work have 1 / 2^k of their room
    distinct_cap: int = 1 << 20  # exact up to here, an estimate beyond
    states_cap: int = 1 << 20  # likewise of local states where trees are searched beside the program: every step makes one
    pct_depth: int = 3
    repeats: int = 2  # determinism: executions per schedule beyond the first
    rounds: int = 10  # determinism: schedules tried
    naming: Naming | None = None  # best-first: what its priorities call functions and variables; None: they have no names
    weak: bool = False  # default search: accesses may take old stores, whose number is widened beside that of preemptions
    sealed: Sealing | None = None  # bpor only: code that is not preempted inside
    fair_start: int = 2  # default search: the first fair bound after a step limit, doubled from there
    fair_ceiling: int | None = 8  # default search: never raise the fair bound beyond; None: as long as the budget lasts
