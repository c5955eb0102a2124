"""Exploration: a whole tree, or two that take turns, searched by the executor itself. Batch: what came of it so far, as values.

A plan with an exploration asks for many executions at once; the answer is the trace of the last one, if it is worth a look, and the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bpor.lazy_dataclass import dataclass, field, replace

if TYPE_CHECKING:
    from bpor.model.operation import Footprint
    from bpor.model.plan import Limits, Plan
    from bpor.model.trace import Outcome, Trace

BATCH_SECONDS = 0.1  # so that progress is shown and budgets are kept


@dataclass(frozen=True, slots=True)
class Subtree:
    """What lies below one choice of a tree that somebody else owns (bpor/search/engine/trunk.py)."""

    schedule: tuple[int, ...]  # choices that lead to it, the last one new
    hash: int = 0  # Step.hash of the steps before the last
    sleep: tuple[tuple[int, Footprint], ...] = ()  # in the state where the last one is made


@dataclass(frozen=True, slots=True)
class Above:
    """What a subtree says about the states above it, so far."""

    wanted: tuple[tuple[int, int], ...]  # for each, from the first: masks of the threads to be tried, and of the conservative ones
    exceeded: bool  # the bound refused a thread in the subtree
    watch: Footprint | None  # what wakes the thread of its first choice; None: it cannot sleep
    alternatives: int = 1  # of its first choice
    refused: bool = False  # the bound refused others


@dataclass(frozen=True, slots=True)
class Sample:
    """How executions are drawn, and from which one on."""

    kind: int  # bpor_sample
    seed: int
    depth: int  # pct
    number: int
    longest: int  # execution so far, in steps


@dataclass(frozen=True, slots=True)
class Ranking:
    """The order of a best-first search."""

    priorities: tuple[int, ...]  # bpor_priority, the first counts most
    seed: int
    marks: Callable[[int | None, tuple[int, ...]], int]  # of an object, or of a stack of calls: bit k, the k-th priority looks for it


@dataclass(frozen=True, slots=True)
class TreeOrder:
    """A tree that begins: its bound, and which parts of the reduction are on."""

    limits: Limits
    max_steps: int
    known_steps: bool = False
    in_parts: bool = False  # others have parts of it, or had
    leads: bool = False  # the preemption bound is ignored while every trace lies within it
    sleep_sets: bool = True
    transitive_reduction: bool = True
    bound_optimisation: bool = True
    release_optimisation: bool = True
    any_order: bool = False
    everything: bool = False  # no reduction at all
    match: str = "off"  # how states are recognised
    match_limit: int = 0
    wakeups: int | None = None  # optimal search instead, with this order (bpor_wakeup_order)
    sample: Sample | None = None  # no search: executions are drawn
    ranking: Ranking | None = None  # best-first search
    graphs: bool = False  # CB-POR: states are happens-before graphs
    cartesian: bool = False  # threads are run alone, from states that are recognised ...
    identify: bool = False  # ... also by their identities
    below: Subtree | None = None  # only a part of it
    goes_on: bool = False  # a further part: counts go on


@dataclass(frozen=True, slots=True)
class Exploration:
    trees: tuple[bool, bool]  # which of the two take part; both: the first one's turn while `lead` <= 0
    begin: tuple[TreeOrder | None, TreeOrder | None] = (None, None)  # those that begin anew
    roots: tuple[int, int] = (0, 0)  # of those that go on: states at the bottom of their stacks that belong to somebody else
    begin_total: bool = False
    lead: int = 0  # executions of the first minus those of the second, by weight, while both take part
    weight: int = 1  # one execution of the second makes up for so many of the first
    distinct_cap: int = 1 << 20
    narrowed: int = 0  # tables that only save work have 1 / 2^k of their room
    states_cap: int = 1 << 20
    executions: int | None = None  # at most
    seconds: float = BATCH_SECONDS  # at most, but for the execution that runs
    stop_at_bug: bool = True
    stop_at_step_limit: bool = True
    stop_at_shared_state: bool = True  # to begin again; a search that has found a bug goes on as it is
    record: bool = False
    worker: tuple[int, int] = (0, 1)  # cartesian search: which of those that share its states, and how many they are
    handed: bytes = b""  # likewise: states that the others have sent
    others: tuple[Exploration, ...] = ()  # what further processes of the program do meanwhile; the fields of `part` count

    def part(self, other: Exploration) -> Exploration:
        """What another process does within this order."""
        return replace(self, **{name: getattr(other, name) for name in ("trees", "begin", "roots", "lead", "worker", "handed")})

    @property
    def idle(self) -> bool:
        return self.trees == (False, False)


@dataclass(frozen=True, slots=True)
class ExecutionRecord:
    """One execution, for comparisons: `schedule` is a hash of the thread numbers."""

    schedule: int
    outcome: Outcome
    hash: int
    steps: int


@dataclass(frozen=True, slots=True)
class Hashes:
    """A table of distinct hashes at one moment (bpor/search/distinct.py); `table` reads its slots, before the next batch only."""

    level: int = 0
    used: int = 0
    zero: bool = False
    bits: int = 8
    table: Callable[[], bytes] = field(default=bytes, repr=False, compare=False)
    cap: int = 0  # a third of its room; 0: unknown


@dataclass(frozen=True, slots=True)
class Told:
    """A tally at one moment."""

    executions: int = 0
    steps: int = 0
    refused: int = 0
    threads: int = 0
    ended: dict[Outcome, int] = field(default_factory=dict)
    traces: Hashes = Hashes()
    states: Hashes = Hashes()
    lost: int = 0
    lost_at: int = 0
    counting_at: int = 0
    walked: int = 0
    checked: int = 0
    asked: int = 0
    made: int = 0


@dataclass(frozen=True, slots=True)
class Graph:
    """States by number, the root first, from 1 on."""

    enabled: tuple[int, ...]  # masks
    edges: tuple[tuple[int, int, int], ...]  # state, thread, state


@dataclass(frozen=True, slots=True)
class Shelved:
    """What best-first search has on disk."""

    states: int = 0  # now
    written: int = 0  # altogether, ...
    bytes: int = 0  # ... which took so much on disk ...
    plain_bytes: int = 0  # ... and in memory before


@dataclass(frozen=True, slots=True)
class TreeTold:
    begun: bool = False
    finished: bool = False
    refused: int = 0
    estimate: tuple[float, float, float] = (1.0, 1.0, 1.0)
    tally: Told = field(default_factory=Told)
    leads: bool = False  # its stack is not that of the bounded search, which has not begun ...
    left_bound: bool = False  # ... and has to: a trace lies outside of the bound
    above: Above | None = None  # of a subtree that has begun
    longest: int = 0  # execution that was drawn, in steps
    nodes: int = 0  # states that best-first search keeps
    most_nodes: int = 0
    shelved: Shelved = Shelved()
    given: bytes = b""  # states of cartesian search for others
    states: int = 0  # distinct ones, where they are recognised
    unidentified: int = 0  # states that could not be told apart
    contradicted_at: int | None = None  # a thread did something else after the operation of this call site (0: unknown) than its past told
    # of the states; before the next batch only
    graph: Callable[[], Graph | None] = field(default=lambda: None, repr=False, compare=False)
    # everything but the tally, as tree_state.py loads it; before the next batch only
    save: Callable[[], dict[str, Any]] = field(default=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Batch:
    executions: int  # in this batch
    ended: dict[Outcome, int]  # likewise
    lead: int
    total: Told
    trees: tuple[TreeTold, TreeTold]
    plan: Plan | None = None  # of the last execution, if it is the one in the trace
    inferred: tuple[int, ...] = ()  # call sites of yields that the program does not write, of the whole search
    orders: frozenset[int] = frozenset()  # memory orders of its atomic accesses (Operation.order), likewise
    records: tuple[ExecutionRecord, ...] = ()
    unidentified: str = ""  # why states of the last execution have no identity, if somebody asks for those
    ran: bool = True  # False: this process had nothing to do
    others: tuple[Trace, ...] = ()  # of the further processes, each with its own batch
