"""What a text report promises whatever the finding: short, safe for a terminal, honest about what it leaves out."""

from __future__ import annotations

import re

import pytest

from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Description, End, Outcome, Trace
from bpor.protocol.ops import Op
from bpor.report.finding import Finding, FindingKind, SourceSite, SourceStep, ThreadAtEnd
from bpor.report.finding_build import build_finding
from bpor.report.symbols_source import source_line
from bpor.report.text import text_report
from bpor.report.text_line import TextSpan, clip, fitted
from bpor.report.trace_columns import _between, cell, clip_place
from bpor.report.trace_columns_select import select
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse


def finding_of(program: str, schedule: str = "", replay: str = "") -> Finding:
    return build_finding(SimulatedExecutor(parse(program)).run(Plan(prefix=Schedule.parse(schedule).threads)), replay=replay)


def a_finding(**facts: object) -> Finding:
    end = End(Outcome.EXIT, code=1)
    return Finding(FindingKind.EXIT, "m", Schedule(), 0, Trace(end, ()), Description(), "", **facts)  # type: ignore[arg-type]


def test_a_long_execution_fits_a_screen_and_counts_what_it_folds() -> None:
    finding = finding_of("2000*Rx; lock a; lock b | 2000*Rx; lock b; lock a", "0*1001,1*2001")
    text = text_report(finding)
    assert len(text.splitlines()) < 60
    shown = len(re.findall(r"^ *\d+  ", text, re.MULTILINE))
    folded = sum(int(count) for count in re.findall(r"… (\d+) steps? of", text))
    assert shown + folded == len(finding.steps) == len(finding.schedule)


def test_a_folded_preemption_is_counted() -> None:
    finding = finding_of("50*Rx; lock; lock | 50*Rx", "0,1," * 40)
    text = text_report(finding)
    shown = len(re.findall(r"── preemption", text))
    folded = sum(int(count) for count in re.findall(r"(\d+) preemptions? …", text))
    assert shown + folded == finding.preemptions == 79


def test_a_single_step_is_never_folded() -> None:
    for length in range(20, 60):
        finding = finding_of(f"{length}*Rx; lock; lock | Rx; Rx", "0*9,1,0*4,1")
        assert "… 1 step of" not in text_report(finding)


def test_every_lock_held_at_the_end_has_its_row() -> None:
    """Even if a hundred later steps on the same lock would fill the screen."""
    finding = finding_of("lock a; 100*Rx; lock b; sem_wait | 100*trylock a; 100*trylock b", "0*102,1*200")
    taken = {lock.step.index for thread in finding.threads for lock in thread.held if lock.step is not None}
    assert taken == {0, 101}
    assert taken <= select(finding)


def test_no_escape_sequence_of_the_program_reaches_the_terminal() -> None:
    evil = "\x1b[2J\x1b]0;owned\x07\u202e"
    finding = Finding(
        FindingKind.CRASH,
        evil,
        Schedule.of([0]),
        0,
        Trace(End(Outcome.CRASH, stdout=evil.encode(), stderr=evil.encode()), ()),
        Description(),
        "",
    )
    assert not set(text_report(finding)) & set(evil.replace("[2J", "").replace("]0;owned", ""))


def test_source_lines_are_read_without_control_characters(tmp_path: object) -> None:
    path = f"{tmp_path}/x.c"
    with open(path, "wb") as file:
        file.write(b"first\n\tint\tx; \x1b[2J\xff\n")
    assert source_line(path, 2) == "int x; \ufffd[2J\ufffd"
    assert source_line(path, 3) == source_line(path, 0) == source_line("/no/such", 1) == ""


def test_without_a_replay_command_none_is_promised() -> None:
    assert "See it again" not in text_report(finding_of("lock; lock"))
    assert text_report(finding_of("lock; lock", replay="again")).splitlines()[-3:-1] == ["  again", ""]


def test_the_last_line_is_for_grep() -> None:
    assert text_report(finding_of("lock; lock")).splitlines()[-1] == "SUMMARY: bpor-native: deadlock"
    where = a_finding(site=SourceSite("/src/bank.c", 41, "transfer"))
    assert text_report(where).splitlines()[-1] == "SUMMARY: bpor-native: exit bank.c:41 in transfer"


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (SourceStep(0, 0, Op.SPAWN, target=3), "create T3"),
        (SourceStep(0, 0, Op.JOIN, target=3), "join T3"),
        (SourceStep(0, 0, Op.YIELD), "yield"),
        (SourceStep(0, 0, Op.MUTEX_TRYLOCK, failed=True), "trylock: failed"),
        (SourceStep(0, 0, Op.COND_WAKE, failed=True, timed_out=True), "cond wake: timed out"),
        (SourceStep(0, 0, Op.CAS, value=-1, inferred=True), "compare-exchange = -1 (yields)"),
    ],
)
def test_a_step_is_told_in_a_few_words(step: SourceStep, text: str) -> None:
    assert cell(step) == text


def test_a_long_file_name_keeps_its_line() -> None:
    assert clip_place(SourceSite("/x/a_very_long_file_name.c", 1234), 12) == "a_very…:1234"
    assert clip_place(SourceSite("/x/a.c", 1), 12) == "a.c:1"


def test_pieces_of_a_line_are_cut_where_they_end() -> None:
    assert clip("abcdef", 4) == "abc…"
    assert fitted([TextSpan("0123456789"), TextSpan("abcdefghijklmnop")], 20) == [TextSpan("0123456789"), TextSpan("abcdefghi…")]
    assert fitted([TextSpan("0123456789"), TextSpan("abcdefgh")], 13) == [TextSpan("0123456789")]


def test_many_threads_share_one_column() -> None:
    threads = tuple(ThreadAtEnd(number) for number in range(30))
    steps = tuple(SourceStep(number, number, Op.YIELD) for number in range(20))
    text = text_report(a_finding(threads=threads, steps=steps))
    assert "T19 yield" in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_what_closes_a_line_between_steps_is_never_alone_on_the_next() -> None:
    text = "      ── preemption 1: T1 is left after cache.h:18, before lock cache.mutex_ at cache.h:11; T2 runs ──"
    for width in range(40, 110):
        lines = ["".join(span.text for span in line) for line in _between(text, width)]
        assert all(len(line) <= width for line in lines) and len(lines[-1].split()) > 1
        assert " ".join(" ".join(lines).split()) == text.strip()
