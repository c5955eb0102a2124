"""The order of best-first search, and what it keeps in memory. That every order is complete is tested on random programs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bpor.errors import UsageError
from bpor.model.operation import ObjectAccess, Operation
from bpor.model.plan import Plan
from bpor.model.trace import Outcome, Trace
from bpor.protocol.ops import Op
from bpor.search.best_first.priority import Choice, parse_priorities
from bpor.search.bounds import parse_bound
from bpor.search.bounds.runahead import RunAhead
from bpor.search.engine.cells import Cells
from bpor.search.engine.frame import Frame
from bpor.search.engine.history import History
from bpor.search.engine.sleep import Sleep
from bpor.search.options import SearchOptions
from bpor.search.strategies.best_first import BestFirst, best_first
from bpor.simulate.action import object_name
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.programs import last_zero, philosophers, work_stealing_queue
from tests.unit.search_runs import runs, search


class Names:
    """Notation gives every operation its own call site: 1 + 64 * thread + position."""

    def __init__(self, functions: dict[int, str] | None = None) -> None:
        self._functions = functions or {}

    def functions(self, address: int) -> tuple[str, ...]:
        return (self._functions[address],) if address in self._functions else ()

    def variable(self, identity: int) -> str:
        return object_name(identity)


def choice(price: int = 0, raced: bool = False, sleeping: bool = False, site: int = 0, touches: int = 0) -> Choice:
    return Choice(price, raced, sleeping, Operation(Op.WRITE, (ObjectAccess(touches, True),) if touches else (), None, site), None)


def schedules(program: str, name: str, bound: str, options: SearchOptions = SearchOptions()) -> list[tuple[int, ...]]:  # noqa: B008 (frozen)
    found: list[tuple[int, ...]] = []

    class Noting(SimulatedExecutor):
        def run(self, plan: Plan) -> Trace:
            trace = super().run(plan)
            found.append((*plan.prefix[: trace.first], *(step.thread for step in trace.steps)))
            return trace

    search(program, bound, name, options, executor=Noting(parse(program)))
    return found


def preemptions(text: str, schedule: tuple[int, ...]) -> int:
    return SimulatedExecutor(parse(text)).run(Plan(prefix=schedule)).preemptions


@pytest.mark.parametrize("name", ["best-first", "best-first:dpor", "best-first:sleep,pb", "best-first:random"])
def test_the_reduced_space_is_the_same_in_every_order(name: str) -> None:
    for program, bound in ((philosophers(3), "preemption:1"), (work_stealing_queue(2, 2, 2), "preemption:2")):
        assert runs(search(program, bound, name)) == runs(search(program, bound, "bpor"))


def test_the_whole_space_is_every_schedule() -> None:
    assert runs(search(philosophers(3), "preemption:1", "best-first-all:dpor,pb")) == (57, 0)


def test_fewest_preemptions_come_first() -> None:
    text = "Wx; Wy; Wx | Rx; Ry | Rx"
    costs = [preemptions(text, schedule) for schedule in schedules(text, "best-first-all:pb", "preemption:2")]
    assert costs == sorted(costs) and costs[-1] == 2


def test_without_priorities_that_differ_the_newest_choice_is_taken_first() -> None:
    """All priorities equal: the next execution shares as much as possible with the last one, as in depth-first search."""
    found = schedules("Wx; Wx | Wx; Wx", "best-first-all:sleep", "preemption:3")
    first, second = found[:2]
    assert first == (0, 0, 1, 1)
    assert second[:1] == (0,) and second != first


def test_a_method_is_searched_first() -> None:
    """Thread 0's second write (site 2) stands in `push`: switches there come before all others."""
    text = "Wa; Wb; Wc | Wa; Wb; Wc"
    options = SearchOptions(naming=Names({2: "Stack::push(int)"}))
    found = schedules(text, "best-first-all:method:push,pb", "preemption:2", options)
    inside = [_runs_at(schedule, 0, 1) for schedule in found[1:]]
    assert inside[0] and not all(inside)
    assert not _runs_at(schedules(text, "best-first-all:pb", "preemption:2")[1], 0, 1)  # by itself `pb` goes elsewhere
    assert sorted(found) == sorted(schedules(text, "best-first-all:pb", "preemption:2"))


def _runs_at(schedule: tuple[int, ...], thread: int, position: int) -> bool:
    """Does a switch lead to or away from a thread that is about to do its operation number `position`?"""
    done = 0
    for before, after in zip((None, *schedule), schedule, strict=False):
        if before not in (None, after) and thread in (before, after) and done == position:
            return True
        done += after == thread
    return False


def test_a_variable_is_searched_first() -> None:
    priority = parse_priorities("var:q,pb", Names(), 0)
    at_q, elsewhere = choice(3, touches=ord("q")), choice(0, touches=ord("z"))
    assert [p.rank(at_q) for p in priority] < [p.rank(elsewhere) for p in priority]


def test_names_match_what_a_user_would_type() -> None:
    for name in ("push", "Stack::push"):
        (priority,) = parse_priorities(f"method:{name}", Names({1: "Stack::push(int)", 2: "pushed"}), 0)
        assert priority.rank(choice(site=1)) == 0 and priority.rank(choice(site=2)) == 1


def test_races_and_awake_threads_come_first() -> None:
    dpor, sleep = parse_priorities("dpor,sleep", None, 0)
    assert dpor.rank(choice(raced=True)) < dpor.rank(choice())
    assert sleep.rank(choice()) < sleep.rank(choice(sleeping=True))


def test_a_seed_gives_the_same_order_again() -> None:
    def order(seed: int) -> list[float]:
        (priority,) = parse_priorities("random", None, seed)
        return [priority.rank(replace(choice(), schedule=schedule)) for schedule in range(5)]

    assert order(1) == order(1) != order(2)


@pytest.mark.parametrize("name", ["best-first:fast", "best-first:pb:3", "best-first:method", "best-first:pb,,dpor", "best-first-all:x"])
def test_a_priority_that_does_not_exist_is_refused_with_those_that_do(name: str) -> None:
    with pytest.raises(UsageError, match="pb, dpor, sleep, random, method:NAME, var:NAME"):
        search("Wx | Wx", "none", name)


def test_names_are_refused_where_there_are_none() -> None:
    with pytest.raises(UsageError, match="names"):
        search("Wx | Wx", "none", "best-first:method:push")


def test_storage_follows_the_open_executions() -> None:
    """Nodes that nothing open needs are gone; at the end all are."""
    strategy: BestFirst = best_first(parse_bound("preemption:2"), SearchOptions(), 0, "random")
    executor = SimulatedExecutor(last_zero(4))
    executions = 0
    while (plan := strategy.next_plan()) is not None:
        strategy.learn(executor.run(plan))
        executions += 1
        tree = strategy.tree
        longest = 12  # steps: 4 writers with 2 each, and the reader
        assert tree.nodes <= tree.open_choices * (longest + 1)
    assert strategy.tree.nodes == strategy.tree.open_choices == 0
    assert strategy.tree.most_nodes < executions * longest / 2  # the whole tree would be far larger


def test_best_first_meets_the_deadlock_of_the_philosophers_and_says_what_it_covered() -> None:
    result = search(philosophers(3), "preemption:0..2", "best-first:pb")
    assert any(failure.trace.end.outcome is Outcome.DEADLOCK for failure in result.failures)
    assert [str(level.bound) for level in result.levels] == ["preemption:0", "preemption:1", "preemption:2"]
    assert all(level.complete for level in result.levels)


def test_the_last_thread_finds_no_sibling_asleep_when_any_order_is_allowed() -> None:
    """Erratum E26."""
    watch = Cells().resolve((ObjectAccess(7, True),)).watch
    frame = Frame(1, 0b11, 0, last=1)
    frame.watches = {0: watch}
    for any_order, expected in ((True, ()), (False, ((0, watch.footprint()),))):
        assert Sleep(RunAhead(preemption=1), History(), any_order).plan(frame, 1) == expected
