"""The tree and its history, on hand-made traces: what no simulated program can show."""

from __future__ import annotations

import itertools

import pytest

from bpor.errors import Diverged, InternalError
from bpor.model.operation import ObjectAccess, Operation
from bpor.model.plan import Plan
from bpor.model.step import Step
from bpor.model.trace import End, Outcome, Trace
from bpor.protocol.ops import Op
from bpor.search.bounds import NONE, Bound, parse_bound
from bpor.search.bounds.runahead import RunAhead
from bpor.search.budget import Budget
from bpor.search.engine import watch as watch_module
from bpor.search.engine.history import History
from bpor.search.engine.tree import Tree
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.programs import last_zero
from tests.unit.search_runs import runs, search


def writes(address: int, size: int = 1) -> Operation:
    return Operation(Op.WRITE, (ObjectAccess(address, True, size),))


def reads(address: int, size: int = 1) -> Operation:
    return Operation(Op.READ, (ObjectAccess(address, False, size),))


class Threads:
    """An executor of straight-line threads, one operation after the other."""

    def __init__(self, *threads: list[Operation]) -> None:
        self.threads = threads
        self.reported = 0

    def run(self, plan: Plan) -> Trace:
        done = [0] * len(self.threads)
        steps: list[Step] = []
        last = 0
        for index in range(sum(map(len, self.threads))):
            enabled = sum(1 << number for number, operations in enumerate(self.threads) if done[number] < len(operations))
            ahead = last if enabled >> last & 1 else (enabled & -enabled).bit_length() - 1
            thread = plan.prefix[index] if index < len(plan.prefix) else ahead
            operation = self.threads[thread][done[thread]]
            done[thread] += 1
            last = thread
            if index >= plan.report_from:
                left = self.threads[thread][done[thread] : done[thread] + 1]
                announced = tuple((thread, following) for following in left)
                steps.append(Step(thread, operation, operation.footprint, enabled, announced))
        self.reported += len(steps)
        initial = tuple((number, operations[0]) for number, operations in enumerate(self.threads))
        return Trace(End(Outcome.PASSED), tuple(steps), plan.report_from, initial, threads=len(self.threads))


def explore(executor: Threads, bound: str = "none") -> int:
    options = SearchOptions(sleep_sets=False)  # the executor above knows no sleep
    strategy = make_strategy(None, parse_bound(bound), options)
    result = Explorer(executor, strategy, Budget(10_000, None, None)).run()
    assert result.exhausted
    return result.counts.distinct_traces


@pytest.mark.parametrize(
    ("first", "second", "traces"),
    [
        (writes(100, 8), reads(104, 4), 2),
        (writes(100, 8), reads(108, 4), 1),
        (writes(100, 8), reads(107, 1), 2),
        (writes(104, 1), writes(100, 8), 2),
        (reads(100, 8), reads(104, 4), 1),
    ],
)
def test_accesses_of_different_size_race_iff_they_overlap(first: Operation, second: Operation, traces: int) -> None:
    assert explore(Threads([first], [second])) == traces
    assert explore(Threads([second], [first])) == traces


def test_a_wide_write_met_after_narrow_ones_races_with_each_of_them() -> None:
    narrow = [writes(100, 4)], [writes(104, 4)]
    assert explore(Threads(*narrow, [writes(100, 8)])) == 4
    assert explore(Threads(*narrow)) == 1


def test_an_execution_of_a_hundred_thousand_steps_needs_no_recursion_and_costs_its_new_steps_only() -> None:
    private = [writes(address) for address in itertools.islice(itertools.cycle(range(1000, 1100)), 100_000)]
    executor = Threads([*private, writes(5)], [writes(5)])
    assert explore(executor) == 2
    assert executor.reported == 100_002 + 2  # the second execution branches at the last step but one


def test_the_prefix_of_a_plan_is_checked_up_to_the_new_choice() -> None:
    tree = Tree(NONE, RunAhead(), SearchOptions())
    executor = SimulatedExecutor(parse("Wa; Wx | Wx"))
    first = tree.next_plan()
    assert first == Plan(limits=RunAhead().limits)
    trace = executor.run(first)
    tree.learn(trace)
    second = tree.next_plan()
    assert second is not None
    assert (second.prefix, second.report_from, second.prefix_hash) == ((0, 1), 1, trace.steps[0].hash)


def test_the_sleep_set_of_a_plan_is_that_of_the_state_before_its_last_step() -> None:
    tree = Tree(NONE, RunAhead(), SearchOptions())
    executor = SimulatedExecutor(parse("Wx | Wx"))
    tree.learn(executor.run(Plan()))
    plan = tree.next_plan()
    assert plan is not None
    ((sleeper, footprint),) = plan.sleep
    assert (sleeper, len(footprint), footprint[0].write) == (0, 1, True)  # it will wake at once; the executor sees to that


def test_a_sleeper_that_starts_a_block_watches_all_it_would_do() -> None:
    tree = Tree(Bound.of(preemption=0), RunAhead(preemption=0), SearchOptions())
    executor = SimulatedExecutor(parse("Wa; Wx | Wx"))
    tree.learn(executor.run(Plan()))
    plan = tree.next_plan()
    assert plan is not None
    assert plan.prefix == (1,)
    assert plan.wake_next
    ((sleeper, footprint),) = plan.sleep
    assert (sleeper, len(footprint)) == (0, 2)


def test_a_watch_set_of_too_many_objects_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with_watch = search(last_zero(3), "preemption:1")
    monkeypatch.setattr(watch_module, "LARGEST", 1)
    without = search(last_zero(3), "preemption:1")
    assert without.counts.executions > with_watch.counts.executions
    assert without.counts.distinct_traces == with_watch.counts.distinct_traces


def test_an_executor_that_runs_another_thread_than_chosen_is_our_fault() -> None:
    tree = Tree(NONE, RunAhead(), SearchOptions())
    executor = SimulatedExecutor(parse("Wx | Wx"))
    tree.learn(executor.run(Plan()))
    assert tree.next_plan() is not None
    with pytest.raises(InternalError, match="thread 1 was chosen"):
        tree.learn(executor.run(Plan()))


def test_an_execution_that_ends_before_the_step_asked_for_has_diverged() -> None:
    tree = Tree(NONE, RunAhead(), SearchOptions())
    tree.learn(SimulatedExecutor(parse("Wa; Wx | Wx")).run(Plan()))
    plan = tree.next_plan()
    assert plan is not None
    with pytest.raises(Diverged):
        tree.learn(Trace(End(Outcome.PASSED), (), first=1))


def test_a_killed_execution_is_cut_and_the_search_goes_on() -> None:
    tree = Tree(NONE, RunAhead(), SearchOptions())
    executor = SimulatedExecutor(parse("Wx | Wx | Wx"))
    tree.learn(executor.run(Plan()))
    assert tree.next_plan() is not None
    tree.learn(Trace(End(Outcome.KILLED), (), first=1))
    while (plan := tree.next_plan()) is not None:
        tree.learn(executor.run(plan))
    level = tree.level()
    assert level.finished and not level.complete
    assert level.counts.cut == 1


def test_popping_every_step_leaves_the_history_as_it_was() -> None:
    history = History(track_locks=True)
    trace = SimulatedExecutor(parse("lock; Wx; unlock; spawn 2 | lock; Rx; unlock | Wx; join 0")).run(Plan())
    history.begin(trace.initial)

    def picture() -> object:
        cells = history.cells._by_range.values()
        state = [(cell.writers.copy(), cell.readers.copy(), cell.pending_access, cell.pending_write, cell.reads_hash) for cell in cells]
        threads = {number: (thread.clock, thread.hash, thread.operation, thread.children) for number, thread in history.threads.items()}
        return state, threads, history.locks._held.copy(), history._live, history._enders

    for step in trace.steps:  # so that every cell exists
        history.push(step)
    for _ in trace.steps:
        history.pop()
    pictures = []
    for step in trace.steps:
        pictures.append(picture())
        history.push(step)
    for before in reversed(pictures):
        history.pop()
        assert picture() == before
    for length, before in enumerate(pictures):
        for step in trace.steps[len(history) :]:
            history.push(step)
        history.pop_to(length)
        assert picture() == before


def test_equivalent_executions_have_equal_trace_hashes_and_others_have_not() -> None:
    def trace_hash(text: str, schedule: list[int]) -> int:
        trace = SimulatedExecutor(parse(text)).run(Plan(prefix=schedule))
        history = History()
        history.begin(trace.initial)
        for step in trace.steps:
            history.push(step)
        return history.trace_hashes[-1]

    readers = "Rx | Rx | Wx"
    assert trace_hash(readers, [0, 1, 2]) == trace_hash(readers, [1, 0, 2])
    assert len({trace_hash(readers, list(order)) for order in itertools.permutations(range(3))}) == 4
    creators = "spawn 2; Wx | spawn 3; Wy | Wa | Wb"  # numbers of the created threads depend on the order, their names do not
    assert trace_hash(creators, [0, 1, 2, 3]) == trace_hash(creators, [1, 0, 3, 2])


def test_the_end_of_the_process_races_with_everything_before_it_and_after_it() -> None:
    assert search("exit | Wa | Wb", "none").counts.distinct_traces == 4
    assert search("Rx; assert | Wa", "none").counts.distinct_traces == 1
    assert search("Wx; Rx; assert | Wa", "none").counts.distinct_traces == 2  # the failed assertion comes before or after Wa


def test_creation_and_join_order_steps_and_race_with_nothing() -> None:
    assert runs(search("spawn 1; join 1; Wx | Wx", "none")) == (1, 0)
    assert runs(search("spawn 1; Wx | Wx", "none")) == (2, 0)


def test_a_created_thread_races_with_steps_before_its_creation() -> None:
    result = search("Wx | spawn 2 | Rx", "none")
    assert runs(result) == (2, 0)
    assert result.counts.distinct_traces == 2


def test_every_timed_waiter_may_be_the_first_whose_time_is_up() -> None:
    text = "lock a; timedwait(c1, a); Wx | lock b; timedwait(c2, b); Wx"
    for bound in ("none", "preemption:0", "fair:0"):
        assert search(text, bound).counts.distinct_traces == 2


def test_the_postconditions_hold_and_can_be_checked_while_searching() -> None:
    options = SearchOptions(check_postconditions=True)
    for bound in ("none", "preemption:1", "fair:1", "fair:1,preemption:1"):
        result = search("lock; Wx; unlock; yield | Rx; lock; yield; unlock | spawn 3; Rx | Wx", bound, options=options)
        assert result.exhausted
        assert result.counts.redundant == 0  # sleep sets are off


def test_a_missing_backtrack_point_violates_a_postcondition() -> None:
    class Forgetful(RunAhead):
        def backtrack(self, tree: Tree, index: int, thread: int) -> None:
            tree.add(index, thread)  # erratum E1: no point at the start of the block

    tree = Tree(Bound.of(preemption=0), Forgetful(preemption=0), SearchOptions(check_postconditions=True))
    with pytest.raises(InternalError, match="postcondition: the block of step 1"):
        tree.learn(SimulatedExecutor(parse("Wa; Wx | Wx")).run(Plan()))
