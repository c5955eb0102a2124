"""check and replay, wired to simulated programs: the same code as for native ones, without a process."""

from __future__ import annotations

import pickle
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import bpor
from bpor.api import check
from bpor.checking import check_target
from bpor.cli.arguments import parse as parse_arguments
from bpor.confirmation import Subject, WidenedExecutor
from bpor.errors import Uncontrolled, UsageError
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Description, Outcome, Trace
from bpor.replaying import replay_target
from bpor.report.finding import FindingKind
from bpor.report.result import Result
from bpor.report.verdict import VerdictKind
from bpor.search.explorer import Explorer
from bpor.searching import Searching
from bpor.settings import Settings
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.program import Program

ABBA = "lock a; lock b; unlock b; unlock a | lock b; lock a; unlock a; unlock b"
COUNTER = "lock; RMW x; unlock | lock; RMW x; unlock"
ASSERTS = "Wx | Rx; assert"


class Described(SimulatedExecutor):
    def describe(self, plan: Plan) -> tuple[Trace, Description]:
        return self.run(plan), Description()


class Simulated:
    """A target that counts how often it was started afresh; `programs` are used one after another, the last for ever."""

    def __init__(self, *programs: Program) -> None:
        self.programs = list(programs)
        self.opened = 0
        self.target = Subject(("./simulated", "x"), self.open)

    @contextmanager
    def open(self) -> Iterator[WidenedExecutor]:
        program = self.programs[min(self.opened, len(self.programs) - 1)]
        self.opened += 1
        yield Described(program)


def checked(*texts: str, **knobs: Any) -> Result:
    return check_target(Simulated(*map(parse, texts)).target, Settings(**knobs))


def test_a_deadlock_is_a_bug_with_the_schedule_that_repeats_it() -> None:
    result = checked(ABBA, bound="preemption:1")
    assert (result.verdict.kind, result.exit_code) == (VerdictKind.BUG, 1)
    (finding,) = result.findings
    assert (finding.kind, finding.preemptions, result.confirmed) == (FindingKind.DEADLOCK, 1, 1)
    again = replay_target(Simulated(parse(ABBA)).target, finding.schedule, Settings())
    assert (again.verdict.kind, again.findings[0].schedule) == (VerdictKind.BUG, finding.schedule)


def test_the_replay_line_of_a_finding_says_what_was_run() -> None:
    (finding,) = checked(ABBA, bound="preemption:1", signal="fifo").findings
    command = parse_arguments(shlex.split(finding.replay)[1:])
    assert command.verb == "replay"
    assert command.schedule is not None
    assert Schedule.parse(command.schedule) == finding.schedule
    assert command.program == ("./simulated", "x")
    assert command.settings == Settings(signal="fifo")


def test_below_its_bound_the_deadlock_is_not_there() -> None:
    result = checked(ABBA, bound="preemption:0")
    assert (result.verdict.kind, result.exit_code, result.findings) == (VerdictKind.PASS, 0, ())


def test_a_correct_program_passes_with_all_schedules() -> None:
    result = checked(COUNTER)
    assert "; all schedules; " in result.verdict.statement
    assert result.search is not None
    assert result.search.counts.distinct_traces == 2


def test_a_finding_that_does_not_repeat_is_nondeterminism_and_not_a_bug() -> None:
    simulated = Simulated(parse(ABBA), parse("lock a; unlock a; lock b; unlock b | lock b; unlock b; lock a; unlock a"))
    result = check_target(simulated.target, Settings(bound="preemption:1"))
    assert (result.verdict.kind, result.exit_code, result.findings) == (VerdictKind.NONDETERMINISTIC, 5, ())
    assert simulated.opened == 2


def test_every_finding_is_confirmed_in_a_fresh_process() -> None:
    simulated = Simulated(parse(ABBA))
    check_target(simulated.target, Settings(bound="preemption:1"))
    assert simulated.opened == 2


class Interrupting(Simulated):
    """Ctrl-C arrives in the n-th execution of all that are run."""

    def __init__(self, program: Program, at: int) -> None:
        super().__init__(program)
        self.runs, self.at = 0, at

    @contextmanager
    def open(self) -> Iterator[WidenedExecutor]:
        with super().open() as executor:
            run = executor.run

            def run_or_interrupt(plan: Plan) -> Trace:
                self.runs += 1
                if self.runs == self.at:
                    raise KeyboardInterrupt
                return run(plan)

            executor.run = run_or_interrupt  # type: ignore[method-assign]
            yield executor


def test_a_failure_that_was_found_is_told_however_early_ctrl_c_comes_after_it() -> None:
    undisturbed = Interrupting(parse(f"3*yield; {ABBA}"), at=0)
    settings = Settings(search="random", seed=3, max_executions=200)
    whole = check_target(undisturbed.target, settings)
    assert whole.search is not None and whole.findings[0].why is not None
    kinds = []
    for at in range(whole.search.executions + 1, undisturbed.runs + 1):
        result = check_target(Interrupting(parse(f"3*yield; {ABBA}"), at).target, settings)
        assert result.findings or ("an execution failed (deadlock)" in result.verdict.statement and "replay" in result.verdict.next)
        kinds.append(result.verdict.kind)
    assert kinds.count(VerdictKind.INCONCLUSIVE) == 1  # where it was about to be confirmed
    assert kinds.count(VerdictKind.BUG) == len(kinds) - 1 > 5


def test_ctrl_c_between_two_searches_tells_what_the_first_one_did(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Searching) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Searching, "_wider", interrupted)
    assert [checked(text).verdict.kind for text in ("Wx | Rx", ABBA)] == [VerdictKind.PASS, VerdictKind.BUG]


def test_keep_going_finds_every_way_to_fail() -> None:
    both = "Wx; lock a; lock b; unlock b; unlock a | Rx; assert; lock b; lock a; unlock a; unlock b"
    stopped, going = checked(both), checked(both, keep_going=True)
    assert len(stopped.findings) == 1
    assert {finding.kind for finding in going.findings} == {FindingKind.ASSERTION, FindingKind.DEADLOCK}
    assert going.search is not None and stopped.search is not None
    assert going.search.executions > stopped.search.executions


def test_a_finding_is_made_small_before_it_is_reported() -> None:
    result = checked(f"3*yield; {ABBA}", search="random", seed=3, max_executions=200)
    (finding,) = result.findings
    assert finding.preemptions == 1


def test_a_budget_makes_it_inconclusive() -> None:
    result = checked("Wx;Wx;Wx | Wx;Wx;Wx | Wx;Wx;Wx", bound="none", max_executions=10)
    assert (result.verdict.kind, result.exit_code) == (VerdictKind.INCONCLUSIVE, 3)
    assert "--max-executions=40" in result.verdict.next
    assert checked("Wx;Wx | Wx;Wx", bound="none", max_executions=2, inconclusive="pass").exit_code == 0


def test_a_step_limit_makes_it_inconclusive() -> None:
    result = checked("100*Wx", bound="none", max_steps=50)
    assert result.verdict.kind is VerdictKind.INCONCLUSIVE
    assert "--max-steps" in result.verdict.statement


def test_coverage_below_what_is_required_is_uncontrolled() -> None:
    with pytest.raises(Uncontrolled, match="below --require atomics"):
        checked(COUNTER, require="atomics")


def test_observers_see_every_execution() -> None:
    seen: list[Outcome] = []

    class Watching:
        def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
            seen.append(trace.end.outcome)

    result = check_target(Simulated(parse(COUNTER)).target, Settings(bound="none"), [Watching()])
    assert result.search is not None
    assert len(seen) == result.search.executions


def test_outcomes_are_counted_when_asked_for() -> None:
    assert checked(COUNTER, bound="none").outcomes == ()
    result = checked(COUNTER, bound="none", outcomes=True)
    assert [output.count for output in result.outcomes] == [2]


def test_a_result_pickles() -> None:
    result = checked(ABBA, bound="preemption:1")
    assert pickle.loads(pickle.dumps(result)) == result


def test_replaying_a_passing_schedule_speaks_of_that_schedule_only() -> None:
    result = replay_target(Simulated(parse(COUNTER)).target, Schedule((0, 0)), Settings())
    assert result.verdict.kind is VerdictKind.PASS
    assert "no other was run" in result.verdict.statement
    assert result.trace is not None
    assert result.trace.end.outcome is Outcome.PASSED


@pytest.mark.parametrize("knobs", [{"bound": "nonsense"}, {"search": "nonsense"}])
def test_a_bad_bound_or_search_is_a_usage_error(knobs: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        checked(COUNTER, **knobs)


def test_an_unknown_knob_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="bounds"):
        check(["/bin/true"], bounds="none")


def test_the_package_exports_what_it_lists() -> None:
    assert all(getattr(bpor, name) is not None for name in bpor.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = bpor.nonsense
