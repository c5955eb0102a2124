"""Plan: what the controller wants from one execution. Limits: the bounds that the runtime itself applies (ALGORITHM 1.13)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bpor.lazy_dataclass import dataclass
from bpor.model.exploration import Exploration, Sample
from bpor.model.operation import Footprint, Operation
from bpor.model.step import Step
from bpor.model.value import value


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one tree: fair, and one of those that are summed up along a schedule; or a local one, which only an engine knows."""

    preemption: int | None = None
    fair: int | None = None
    context: int | None = None
    delta: int | None = None
    local_depth: int | None = None
    local_context: int | None = None
    local_preemption: int | None = None
    stale: int | None = None  # alternatives of weak memory that are taken


@value
class State:
    """What a chooser sees (ASK): the state before step `index`."""

    index: int
    enabled: int
    timed: int
    last: int | None  # thread of the previous step
    pending: dict[int, Operation]
    step: Step | None = None  # the previous step; None: the executor does not tell, or there is none
    identity: int | None = None  # of the state, if the plan asks for it and it has one


Chooser = Callable[[State], int | None]  # the thread to run next; None stops the execution


@value
class Plan:
    """Follow `prefix`, then the default policy of `limits` (the bound's Initialize), or ask `chooser` for every step.

    `sleep` is the sleep set of the state *before the last step of the prefix* (sleep_in + done there): thread -> watch set.
    The runtime filters it while it performs that step and every later one.
    """

    prefix: Sequence[int] = ()
    prefix_hash: int | None = None  # Step.hash of the last but one step of the prefix: all but the new choice; None: do not check
    sleep: tuple[tuple[int, Footprint], ...] = ()
    limits: Limits = Limits()
    wake_next: bool = False  # WakeNext (preemption and combined bounds)
    max_steps: int = 20_000
    report_from: int = 0  # index of the first step wanted in the trace
    chooser: Chooser | None = None
    stop_after_prefix: bool = False
    tentative: bool = False  # the prefix may be no schedule of this program: where it parts from one is not asked
    debugger: bool = False  # native programs: run it where a debugger can attach
    identify: bool = False  # states from `report_from` on, where the executor can
    match: bool = False  # states are recognised: identities tell names too, yields are normalised, and who comes round may stop (MATCHED)
    lasso: bool = False  # identities tell whether the program goes on alike, whatever races were ordered before
    quantum: int = 0  # a probe: after the prefix, round robin by so many steps until a state comes back; 0: it is none
    gather: int = 0  # a probe: thread 0 begins, until it has to wait or so many threads are there
    compare: tuple[int, int] | None = None  # tell which words differ between states: the first one's index, and steps from one to the next
    sample: Sample | None = None  # native programs: who runs after the prefix is drawn
    exploration: Exploration | None = None  # many executions at once; only for an executor that can
