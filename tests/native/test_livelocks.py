"""Livelocks by their states: found before the search, proved by a lasso that is short enough to paste, and never where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpor import api
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.report.backing_off import BackingOff
from bpor.report.finding import Finding, FindingKind
from bpor.report.result import Result
from bpor.report.verdict import VerdictKind
from bpor.search.lasso.check import Proof
from bpor.search.lasso.probe import Probed, probe
from bpor.settings import Settings
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native.compiled import PROGRAMS, compiled
from tests.native.expectations import read_program
from tests.native.looks_endless import CORRECT, HEAD, NOTHING, WAITS_FOR_OTHERS

pytestmark = pytest.mark.needs("gcc")

POLITE = "buggy/livelock/polite.c"
UNUSED = ["-Wno-unused-function", "-Wno-unused-variable", "-Wno-misleading-indentation"]


def built(name: str, *defines: str) -> Path:
    """As the file says."""
    told = read_program(PROGRAMS / name)
    return compiled(told.path, [*told.flags, *(f"-D{define}" for define in defines)], told.instrumented)


def found(name: str, **knobs: object) -> tuple[Result, Finding]:
    result = api.check([str(built(name))], **knobs)  # type: ignore[arg-type]
    assert [finding.kind for finding in result.findings] == [FindingKind.LIVELOCK], result.verdict
    return result, result.findings[0]


@pytest.mark.parametrize(
    ("name", "nature"),
    [
        (POLITE, "may go on for ever; other schedules leave it"),
        ("buggy/livelock/dekker_without_turn.c", "can never end"),
        ("buggy/livelock/mcs_store_for_exchange.c", "waits for ever"),
        ("buggy/livelock/flag_never_set.c", "can never end"),
    ],
)
def test_a_probe_finds_it_and_says_what_it_is(name: str, nature: str) -> None:
    result, finding = found(name)
    assert finding.round is not None and finding.round.nature == nature
    assert result.search is not None and result.search.counts.executions == 0, "the search had not begun"
    assert result.search.executions < 10
    assert len(str(finding.schedule)) < 100
    assert result.exit_code == 1


def test_each_thread_of_the_round_shows_what_it_asks_for_and_who_undoes_it() -> None:
    _, finding = found(POLITE)
    assert finding.round is not None
    looks = [look for thread in finding.round.threads for look in thread.looks]
    assert [(look.step.objects[0].name, look.undone_by and look.undone_by.thread) for look in looks] == [("lock[1]", 2), ("lock[0]", 1)]
    assert all(look.in_round for look in looks)
    assert finding.round.blocked == (0,)


def test_a_livelock_of_the_search_is_a_lasso_too() -> None:
    """Within a bound there is no probe: the long execution is run once more with its states."""
    result, finding = found(POLITE, bound="fair:2", max_steps=600)
    assert result.search is not None and result.search.counts.executions > 0
    assert finding.is_proved and finding.schedule.round
    assert len(str(finding.schedule)) < 150


# ---- replay ----


def replayed(schedule: str, path: Path, **knobs: object) -> Result:
    return api.replay_schedule(Schedule.parse(schedule), [str(path)], Settings(**knobs))  # type: ignore[arg-type]


@pytest.mark.parametrize("rounds", [2, 7])
def test_a_lasso_is_repeated_and_compared(rounds: int) -> None:
    result = replayed("0*2(1,2,1,2,1,2,1,2)*", built(POLITE), rounds=rounds)
    assert result.verdict.kind is VerdictKind.BUG
    assert result.findings[0].schedule == Schedule.parse("0*2(1,2,1,2,1,2,1,2)*")


def test_half_a_round_comes_back_to_another_state() -> None:
    result = replayed("0*2(1,2,1,2)*", built(POLITE))
    assert result.verdict.kind is VerdictKind.INCONCLUSIVE and "does not come back" in result.verdict.reason


def test_a_round_that_takes_an_unfair_scheduler_is_no_livelock() -> None:
    result = replayed("0,1*5(1*3)*", built("correct/yield/poll_under_mutex.c"))
    assert result.verdict.kind is VerdictKind.INCONCLUSIVE and not result.findings
    assert "unfair" in result.verdict.reason, result.verdict


def test_without_identities_the_rounds_go_on_to_the_step_limit() -> None:
    result = replayed("0*2(1,2,1,2,1,2,1,2)*", built(POLITE), carrier="threads", max_steps=2_000)
    assert result.verdict.kind is VerdictKind.INCONCLUSIVE
    assert "not compared" in result.verdict.reason
    assert [finding.is_proved for finding in result.findings] == [False]


def test_a_lasso_of_another_program_diverges() -> None:
    assert replayed("0*2(1,2)*", built("correct/mutex/counter.c")).verdict.kind is VerdictKind.NONDETERMINISTIC


# ---- counters ----


def test_a_livelock_that_counts_is_not_proved_and_names_the_count() -> None:
    path = built("buggy/livelock/counts_retries.c", "COUNT=1")
    result = api.check([str(path)], max_steps=2_000)
    assert result.verdict.kind is VerdictKind.INCONCLUSIVE
    assert "livelock, not proved" in result.verdict.reason and "alike except `retries` (+2 per round)" in result.verdict.reason
    again = api.replay_schedule(result.findings[0].schedule, [str(path)], Settings(max_steps=2_000))
    assert again.findings[0].message == result.findings[0].message


# ---- correct programs ----


def probed(path: Path, max_steps: int = 20_000) -> Probed:
    with NativeExecutor([str(path)], TargetOptions()) as executor:
        return probe(executor, max_steps, clock=lambda: 0.0)


@pytest.mark.parametrize("what", CORRECT)
def test_a_correct_program_is_never_called_a_livelock(what: str, tmp_path: Path) -> None:
    path = tmp_path / "correct.c"
    path.write_text(HEAD + CORRECT[what])
    assert probed(compiled(path, [*UNUSED, "-Wl,--no-as-needed", "-lm"])).found.lasso is None


@pytest.mark.parametrize("what", WAITS_FOR_OTHERS)
def test_what_waits_for_something_outside_is_not_proved(what: str, tmp_path: Path) -> None:
    path = tmp_path / "waits.c"
    path.write_text(HEAD + f"static void *one(void *u) {{ {WAITS_FOR_OTHERS[what]} return u; }}" + NOTHING)
    found = probed(compiled(path, UNUSED), max_steps=400).found
    assert found.checked is None or found.checked.proof is Proof.COUNTS


def test_a_count_that_outlasts_the_step_limit_is_not_proved(tmp_path: Path) -> None:
    """Nobody can tell it from a livelock, so nobody says that it is one."""
    path = tmp_path / "long.c"
    path.write_text(HEAD + CORRECT["gives up after some tries"].replace("500", "500000"))
    found = probed(compiled(path, UNUSED), max_steps=400).found
    assert found.checked is None or found.checked.proof is Proof.COUNTS


def test_a_loop_that_sleeps_comes_back_to_its_state_where_nobody_reads_a_clock(tmp_path: Path) -> None:
    path = tmp_path / "sleeps.c"
    path.write_text(HEAD + "static void *one(void *u) { while (!locked(&flag)) usleep(1000); return u; }" + NOTHING)
    found = probed(compiled(path, UNUSED)).found
    assert found.checked is not None and found.checked.proof is Proof.PROVED


def test_a_loop_that_reads_the_clock_does_not(tmp_path: Path) -> None:
    path = tmp_path / "reads.c"
    path.write_text(HEAD + CORRECT["waits for the clock"].replace("a.tv_sec + 1", "a.tv_sec + 1000000000"))
    found = probed(compiled(path, UNUSED), max_steps=400).found
    assert found.checked is None or found.checked.proof is Proof.COUNTS


def test_two_locks_by_the_standard_library_are_said_and_not_reported() -> None:
    """std::lock backs off; kept in step its threads give way for ever, and that is nobody's bug."""
    with NativeExecutor([str(built("correct/cpp/lock_two.cpp"))]) as executor:
        result = probe(executor, 1_000, BackingOff(lambda: executor.describe(Plan(stop_after_prefix=True))[1]))
    assert result.found.lasso is None
    assert [loop.in_step for loop in result.found.polling] == [True]


def test_a_loop_that_polls_is_named_and_is_no_bug() -> None:
    result = api.check([str(built("correct/spin/flag.c"))])
    assert result.verdict.kind is VerdictKind.PASS
    assert "it ends only if the scheduler is fair" in result.verdict.statement


def test_programs_whose_states_have_no_identities_are_not_probed() -> None:
    with NativeExecutor([str(built(POLITE))], TargetOptions(carrier="threads")) as executor:
        result = probe(executor, 1_000)
    assert result.executions <= 2 and result.found.lasso is None


def test_a_way_out_of_a_round_that_is_none_within_another_bound_is_no_error_of_ours() -> None:
    """A wait of T1 times out where a bound holds the others back, and not where nothing does: the try ended as an internal error."""
    script = compiled(Path(__file__).with_name("script.c"))
    result = api.check([str(script), "v", "w", "myryu", "tslmA"], bound="fair:2,delta:2", max_steps=500)
    assert result.verdict.kind is VerdictKind.BUG and result.findings[0].kind is FindingKind.LIVELOCK
