"""What may be said of a search, and which exit code goes with it."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

import pytest

from bpor.cli.arguments import parse
from bpor.model.schedule import Schedule
from bpor.model.trace import Description, End, Outcome, Trace
from bpor.report.finding import Finding, FindingKind, SourceSite
from bpor.report.next_command import replay_command
from bpor.report.verdict import Evidence, Verdict, VerdictKind, decide, of_error
from bpor.search.bounds import parse_bound
from bpor.search.budget import SearchStop
from bpor.search.coverage import Level
from bpor.search.livelock import Starvation
from bpor.search.result import Failure, SearchResult
from bpor.search.tally import Counts
from bpor.settings import Settings
from bpor.target.census import Unseen

ARGV = ("./my_test", "--size", "a b")
CONDITIONS = "coverage calls: assumes no data races and no inline atomics; timeouts only when idle; no spurious wake-ups"


def level(bound: str, finished: bool = True, refused: int = 0, cut: int = 0) -> Level:
    return Level(parse_bound(bound), Counts(executions=5, cut=cut, threads=2), finished, refused)


def searched(
    *levels: Level, stop: SearchStop = SearchStop.EXHAUSTED, exhausted: bool = True, threads: int = 3, **rest: Any
) -> SearchResult:
    counts = Counts(executions=5, threads=threads, passed=5)
    return replace(SearchResult(stop, exhausted, (), counts, levels, 1.0, 5), **rest)


def verdict(found: SearchResult, /, *findings: Finding, cuts: dict[Outcome, int] | None = None, **knobs: Any) -> Verdict:
    return decide(found, findings, ARGV, Settings(**knobs), Evidence(cuts=cuts or {}))


def seen(coverage: str, unseen: Unseen | None = None) -> Verdict:
    return decide(searched(level("none")), (), ARGV, Settings(), Evidence(coverage, unseen=unseen or Unseen()))


def finding(preemptions: int = 1) -> Finding:
    trace = Trace(End(Outcome.DEADLOCK), ())
    site = SourceSite("bank.c", 41, "transfer")
    return Finding(FindingKind.DEADLOCK, "T1 and T2 wait", Schedule((0, 1)), preemptions, trace, Description(), "replay", site)


def next_settings(verdict: Verdict) -> Settings:
    """What the next command asks for: it must parse, and name the same program."""
    words = shlex.split(verdict.next)
    assert words[0] == "bpor-native"
    command = parse(words[1:])
    assert command.program == ARGV
    return command.settings


def test_a_finished_unbounded_search_says_all_schedules() -> None:
    assert seen("memory").statement == "pass: all schedules; coverage memory; timeouts only when idle; no spurious wake-ups"


def test_a_pass_at_coverage_calls_begins_with_what_it_is_and_ends_with_what_to_do() -> None:
    unseen = Unseen(atomics=44, where=("my_test", "libfoo.so"), plain=("my_test", "libfoo.so"))
    assert seen("calls", unseen).statement == (
        "pass of the library calls only: 44 atomic instructions in 2 modules were not seen (./my_test, libfoo.so); all schedules;"
        " coverage calls: assumes no data races; timeouts only when idle; no spurious wake-ups;"
        " next: build ./my_test, libfoo.so with `bpor-native cc`"
    )


def test_no_atomic_instruction_is_not_taken_for_no_atomics() -> None:
    line = seen("calls", Unseen(plain=("my_test",))).statement
    assert line.startswith("pass of the library calls only: no atomic instructions, but plain loads and stores were not seen (./my_test); ")


@pytest.mark.parametrize(
    "unseen",
    [Unseen(), Unseen(told=True), Unseen(atomics=1, where=("my_test",), told=True), Unseen(unread=("lib.so",))],
)
def test_whatever_was_not_seen_a_pass_of_calls_is_never_one_of_everything(unseen: Unseen) -> None:
    assert seen("calls", unseen).statement.startswith("pass of the library calls only: ")
    assert "no inline atomics" in seen("calls", replace(unseen, atomics=0)).assumptions


def beyond(bound: str) -> Level:
    return Level(parse_bound(bound), Counts(executions=5, over_bound=5, threads=2), True, 0)


def test_a_bound_within_which_nothing_ends_is_no_pass() -> None:
    for bound in ("context:1", "depth:3", "local-depth:2"):
        found = verdict(searched(beyond(bound), counts=Counts(executions=5, over_bound=5, threads=2)), bound=bound)
        assert found.kind is VerdictKind.INCONCLUSIVE
        assert f"no execution came to its end within {bound}: all 5 executions went over it" in found.statement
        assert (wider := next_settings(found).bound) is not None and parse_bound(wider) != parse_bound(bound)


def test_a_bound_within_which_nothing_ends_is_part_of_a_larger_one_that_was_completed() -> None:
    found = verdict(searched(beyond("depth:1"), level("depth:2", refused=1)), bound="depth:1..2")
    assert found.reason.startswith("all schedules with ≤ 2 steps; ")


def test_a_search_that_ran_nothing_is_no_pass() -> None:
    assert verdict(searched(Level(parse_bound("none"), Counts(), True, 0), counts=Counts())).kind is VerdictKind.INCONCLUSIVE


def test_known_bugs_that_ended_every_execution_leave_nothing_tested() -> None:
    seen = Evidence(suppressed={"misuse:known": 4, "deadlock:old": 1})
    found = decide(searched(level("none"), counts=Counts(executions=5)), (), ARGV, Settings(suppressions="file"), seen)
    assert found.kind is VerdictKind.INCONCLUSIVE
    assert "nothing was tested behind `misuse:known`, `deadlock:old`: all 5 executions ended there" in found.statement
    assert next_settings(found).suppressions is None


def test_known_bugs_that_ended_some_executions_are_counted_in_a_pass() -> None:
    seen = Evidence(suppressed={"misuse:known": 1})
    found = decide(searched(level("none")), (), ARGV, Settings(suppressions="file"), seen)
    assert found.reason.startswith("all schedules; ")
    assert "known bug misuse:known, which ended 1 execution" in found.assumptions


def test_a_pass_names_its_bound() -> None:
    search = searched(level("fair:2,preemption:2", refused=3))
    statement = verdict(search, bound="fair:2,preemption:2").statement
    assert "; all schedules with ≤ 2 preemptions (fair:2)" in statement
    assert "; coverage calls: assumes no data races; timeouts only when idle; no spurious wake-ups; " in statement


def test_a_bound_that_never_refused_a_thread_says_all_schedules() -> None:
    assert verdict(searched(level("preemption:9")), bound="preemption:9").statement.count("; all schedules;") == 1


def test_one_thread_is_nothing_to_interleave() -> None:
    result = verdict(searched(level("none"), threads=1))
    assert result.kind is VerdictKind.PASS
    assert result.reason.startswith("nothing to interleave")


def test_a_cut_execution_is_never_a_pass() -> None:
    result = verdict(searched(level("preemption:2", cut=1)), bound="preemption:2", cuts={Outcome.STEP_LIMIT: 1})
    assert result.kind is VerdictKind.INCONCLUSIVE
    assert "1 of 5 executions cut short: 1 by --max-steps" in result.reason
    assert next_settings(result).max_steps == 80_000


def test_a_step_limit_names_the_thread_and_its_loop() -> None:
    where = (SourceSite("queue.c", 7, "spin"), SourceSite("queue.c", 9, "spin"), SourceSite("queue.c", 7, "spin"))
    seen = Evidence(cuts={Outcome.STEP_LIMIT: 1}, long_thread=2, long_at=where)
    result = decide(searched(level("preemption:2", cut=1)), (), ARGV, Settings(bound="preemption:2"), seen)
    assert "1 by --max-steps; T2 goes round queue.c:7 in spin, queue.c:9 in spin" in result.reason


def test_one_unfinished_level_of_a_range_is_never_a_pass() -> None:
    result = verdict(
        searched(level("preemption:0", cut=1), level("preemption:1", refused=1)), bound="preemption:0..1", cuts={Outcome.KILLED: 1}
    )
    assert result.kind is VerdictKind.INCONCLUSIVE
    assert "complete up to 1 preemption;" in result.reason


def test_a_search_by_chance_is_never_a_pass() -> None:
    result = verdict(searched(exhausted=False, stop=SearchStop.MAX_EXECUTIONS), search="random", max_executions=5)
    assert result.kind is VerdictKind.INCONCLUSIVE
    assert next_settings(result).max_executions == 20
    ended = verdict(searched(exhausted=False), search="determinism")
    assert ended.kind is VerdictKind.INCONCLUSIVE
    assert next_settings(ended) == Settings(bound="preemption:2")


def test_a_time_out_says_what_was_complete_and_ends_with_the_next_command() -> None:
    levels = level("preemption:0", refused=1), level("preemption:1", refused=4), level("preemption:2", finished=False)
    result = verdict(searched(*levels, stop=SearchStop.MAX_TIME, exhausted=False), max_time=20.0)
    assert result.kind is VerdictKind.INCONCLUSIVE
    assert "complete up to 1 preemption;" in result.statement
    assert "stopped by --max-time 20s after 5 executions" in result.statement
    assert result.statement.endswith(f"next: {result.next}")
    assert next_settings(result).max_time == 80.0


def test_an_interrupted_search_is_inconclusive() -> None:
    result = verdict(searched(stop=SearchStop.INTERRUPTED, exhausted=False))
    assert result.kind is VerdictKind.INCONCLUSIVE
    assert "no bound was completed; interrupted after 5 executions" in result.reason


def test_a_spinner_that_starves_the_others_hints_at_the_fair_bound() -> None:
    starved = Starvation(1, (2,), (), True, "bound fair:2")
    search = searched(level("preemption:2", cut=1), starvation=starved)
    result = verdict(search, bound="preemption:2", cuts={Outcome.STEP_LIMIT: 1})
    assert "T1 spins and starves T2" in result.reason
    assert next_settings(result).bound == "fair:2,preemption:2"


def test_a_bug_names_its_place_and_what_it_takes() -> None:
    statement = verdict(searched(level("preemption:2", finished=False), stop=SearchStop.FINDINGS, exhausted=False), finding()).statement
    assert statement.startswith("bug: deadlock bank.c:41 in transfer; with 1 preemption; found in 5 executions within preemption:2;")


def test_a_bug_is_found_in_traces_however_often_they_were_executed() -> None:
    """Several workers execute a trace more than once, and say the same words as one."""
    search = searched(level("none"), counts=Counts(executions=5, threads=3, distinct_traces=3))
    assert "found in 3 traces; " in verdict(search, finding()).statement
    assert search.counts.repeated == 2


def test_a_bug_of_a_search_that_saw_every_schedule_is_not_said_to_be_within_a_bound() -> None:
    """Which of the two trees of the default search comes to its end first depends on the number of workers."""
    whole = Level(parse_bound("preemption:1"), Counts(executions=5, threads=2, passed=5), True, 0)
    counts = Counts(executions=5, threads=3, distinct_traces=3)
    assert "found in 3 traces; " in verdict(searched(whole, counts=counts), finding()).statement
    assert "found in 3 traces within preemption:1; " in verdict(searched(replace(whole, refused=1), counts=counts), finding()).statement


def test_a_bug_of_the_default_schedule_fails_without_any_preemption() -> None:
    assert "fails without any preemption" in verdict(searched(level("none")), finding(0)).statement


def test_a_call_out_of_control_is_not_a_bug() -> None:
    trace = Trace(End(Outcome.REFUSED, message="pthread_cancel is not supported"), ())
    search = searched(level("none", finished=False), stop=SearchStop.UNCONTROLLED, exhausted=False, uncontrolled=Failure(Schedule(), trace))
    result = verdict(search)
    assert result.kind is VerdictKind.UNCONTROLLED
    assert result.statement == "uncontrolled: pthread_cancel is not supported"


def test_a_thread_out_of_sight_is_named_with_its_place() -> None:
    trace = Trace(End(Outcome.WATCHDOG, thread=1, message="no scheduling point"), ())
    search = searched(stop=SearchStop.UNCONTROLLED, exhausted=False, uncontrolled=Failure(Schedule(), trace))
    evidence = Evidence(stack=(SourceSite("spin.c", 3, "spin"), SourceSite("spin.c", 9, "main")))
    result = decide(search, (), ARGV, Settings(watchdog=2.0), evidence)
    assert result.kind is VerdictKind.UNCONTROLLED
    assert result.reason == "T1 runs or blocks out of our sight at spin.c:3 in spin: no scheduling point within --watchdog 2s"


def test_inferred_yields_are_an_assumption_named_by_place() -> None:
    evidence = Evidence("atomics", inferred=(SourceSite("spin.c", 3, "spin"), SourceSite("spin.c", 3, "spin")))
    assert decide(searched(level("none")), (), ARGV, Settings(), evidence).statement.endswith("yields inferred at spin.c:3")


def test_assumptions_follow_the_options() -> None:
    result = verdict(searched(level("none")), timeouts="explore", signal="fifo", spurious=True)
    assert result.assumptions == ("no data races", "no inline atomics", "every timeout at any time", "a signal wakes the oldest waiter")


CODES = [
    (VerdictKind.PASS, {}, 0),
    (VerdictKind.BUG, {}, 1),
    (VerdictKind.USAGE, {}, 2),
    (VerdictKind.INCONCLUSIVE, {}, 3),
    (VerdictKind.INCONCLUSIVE, {"inconclusive": "pass"}, 0),
    (VerdictKind.UNCONTROLLED, {}, 4),
    (VerdictKind.UNCONTROLLED, {"uncontrolled": "skip"}, 77),
    (VerdictKind.NONDETERMINISTIC, {}, 5),
    (VerdictKind.INTERNAL, {}, 99),
    (VerdictKind.BUG, {"inconclusive": "pass", "uncontrolled": "skip"}, 1),
]


@pytest.mark.parametrize(("kind", "knobs", "code"), CODES)
def test_every_verdict_has_its_exit_code(kind: VerdictKind, knobs: dict[str, Any], code: int) -> None:
    assert Verdict(kind, "").exit_code(Settings(**knobs)) == code


@pytest.mark.parametrize(
    ("code", "kind"), [(2, VerdictKind.USAGE), (4, VerdictKind.UNCONTROLLED), (5, VerdictKind.NONDETERMINISTIC), (99, VerdictKind.INTERNAL)]
)
def test_an_error_of_ours_is_a_verdict_too(code: int, kind: VerdictKind) -> None:
    assert of_error(code, "why") == Verdict(kind, "why")


def test_the_replay_line_survives_a_shell_and_our_own_parser() -> None:
    settings = Settings(signal="fifo", stdin="in put", bound="preemption:2", json="x")
    words = shlex.split(replay_command(Schedule((0, 0, 1)), ARGV, settings))
    command = parse(words[1:])
    assert (command.verb, command.schedule, command.program) == ("replay", "0*2,1", ARGV)
    assert command.settings == replace(Settings(), signal="fifo", stdin="in put")


def test_a_fair_bound_that_kept_a_thread_waiting_which_got_on_is_no_pass_and_names_the_line() -> None:
    lossy = Level(parse_bound("fair:2,preemption:1"), Counts(executions=5, threads=2, lost=3, lost_at=7), True, 3)
    evidence = Evidence(lost_at=(SourceSite(file="work.c", line=12, function="work"),))
    counts = Counts(executions=5, threads=2, passed=5, lost=3, lost_at=7)
    found = decide(searched(lossy, counts=counts), (), ARGV, Settings(bound="fair:2,preemption:1"), evidence)
    assert found.kind is VerdictKind.INCONCLUSIVE
    assert "fair:2 kept a thread at work.c:12 in work waiting at 3 states though it was getting on with something" in found.statement
    assert "--bound=fair:512,preemption:1" in found.statement  # where a loop that only counts its rounds shows it


def test_a_loop_that_only_counts_its_rounds_is_an_assumption_of_the_pass() -> None:
    counting = Counts(executions=5, threads=2, passed=5, counting_at=7)
    evidence = Evidence(counting_at=(SourceSite(file="backoff.c", line=7, function="snooze"),))
    level = Level(parse_bound("fair:512"), counting, True, 3)
    found = decide(searched(level, counts=counting), (), ARGV, Settings(bound="fair:512"), evidence)
    assert found.kind is VerdictKind.PASS
    assert "the loop at backoff.c:7 in snooze, which went round 256 times alone, only waits" in found.statement
