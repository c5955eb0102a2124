"""The oracle's bounds by their definitions, on programs small enough to count by hand, and its two ways of identifying states."""

from __future__ import annotations

import pytest

from bpor.model.trace import Outcome
from bpor.simulate.bounds import Combined, OracleBound, OracleContext, OracleDelta, OracleDepth, OracleLocalDepth, Unbounded, preemption
from bpor.simulate.errata import COUNTEREXAMPLES, Counterexample
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from bpor.simulate.program import Semantics


def schedules(text: str, bound: OracleBound, semantics: Semantics | None = None) -> int:
    return Oracle(parse(text), semantics or Semantics()).explore(bound).schedules


def test_without_a_bound_every_interleaving_is_a_schedule() -> None:
    assert schedules("Wx; Wx | Wx; Wx", Unbounded()) == 6
    assert schedules("Wx | Wx | Wx", Unbounded()) == 6


def test_a_preemption_is_leaving_a_thread_that_could_go_on() -> None:
    assert [schedules("Wx; Wx | Wx; Wx", preemption(bound)) for bound in range(3)] == [2, 4, 6]
    assert schedules("lock; Wx; unlock | lock; Wx; unlock", preemption(0)) == 2
    assert schedules("Wx; yield; Wx | Ry", preemption(0)) == 3  # leaving after a yield is free


def test_a_fair_bound_stops_a_spinner_until_others_have_run() -> None:
    assert schedules("yield; yield | Wx", Combined(fair=0)) == 2
    assert schedules("yield; yield | Wx", Combined(fair=1)) == 3
    assert schedules("5*yield; Wd | Rd", Combined(fair=2)) == 4


def test_the_fair_bound_excludes_finite_schedules() -> None:
    """Erratum E25: under fair:2 the reader never sees the write."""
    truth = Oracle(parse("5*yield; Wd | Rd")).explore(Combined(fair=2))
    assert truth.traces == 1 and Oracle(parse("5*yield; Wd | Rd")).explore().traces == 2


def test_a_context_switch_counts_whatever_its_reason() -> None:
    assert [schedules("Wx; Wx | Wx; Wx", OracleContext(bound)) for bound in range(4)] == [0, 2, 4, 6]
    assert schedules("lock; Wx; unlock | lock; Wx; unlock", OracleContext(0)) == 0


def test_a_delay_passes_over_enabled_threads_in_rotation() -> None:
    assert schedules("Wx | Wx | Wx", OracleDelta(0)) == 1
    assert schedules("Wx | Wx | Wx", OracleDelta(1)) == 3  # 012, 102, 021
    assert schedules("Wx | Wx | Wx", OracleDelta(9)) == 6


def test_a_depth_bound_reaches_final_states_of_short_executions_only() -> None:
    assert schedules("Wx | Wx", OracleDepth(2)) == 2 and schedules("Wx | Wx", OracleDepth(1)) == 0
    assert len(Oracle(parse("Wx | Wx")).explore(OracleDepth(1)).coverage.local) == 2


def test_depth_and_local_depth_reach_the_same_local_states() -> None:
    for text in ("Wx; Rx | Rx; Wx | Wx", "lock; Wx; unlock | lock; Rx; unlock", "CASx; Ry | CASx; Wy | Rx"):
        oracle = Oracle(parse(text))
        for bound in (1, 2, 3, 4):
            assert oracle.explore(OracleDepth(bound)).coverage.local == oracle.explore(OracleLocalDepth(bound)).coverage.local


def test_an_idle_state_lets_timed_waiters_go_when_everybody_else_is_fair_blocked() -> None:
    """The half of idle timeouts that needs a fair bound: without the timeout the spinner would never end."""
    text = "until Rx | lock; timedwait; unlock; Wx"
    truth = Oracle(parse(text)).explore(Combined(fair=1))
    assert truth.schedules > 0 and {outcome for outcome, _ in truth.coverage.final} == {Outcome.PASSED}


def test_under_explore_a_timed_wait_can_be_signalled_without_a_preemption() -> None:
    """Erratum E27."""
    semantics = Semantics(explore_timeouts=True)
    truth = Oracle(parse("lock; timedwait; unlock | lock; signal; unlock"), semantics).explore(preemption(0))
    assert truth.traces == 3


def test_any_gives_more_traces_than_fifo() -> None:
    text = "lock; wait; unlock | lock; wait; unlock | lock; signal; unlock"
    assert Oracle(parse(text)).explore().traces > Oracle(parse(text), Semantics(fifo=True)).explore().traces


def test_threads_created_by_different_threads_keep_their_names_in_every_order() -> None:
    """Two creators number their children in either order; the traces are the same."""
    truth = Oracle(parse("spawn 2 | spawn 3 | Wx | Wx")).explore()
    assert truth.traces == 2


@pytest.mark.parametrize("example", COUNTEREXAMPLES, ids=str)
def test_events_and_values_identify_the_same_states(example: Counterexample) -> None:
    oracle = Oracle(example.program, example.semantics)
    by_events, by_values = oracle.explore(example.bound), oracle.explore_values(example.bound)
    assert by_events.coverage.local_values == by_values.coverage.local_values
    assert by_events.coverage.final_values == by_values.coverage.final_values
    assert by_events.schedules == by_values.schedules
