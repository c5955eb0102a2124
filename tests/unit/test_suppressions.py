"""Suppressions: tsan's syntax, and a search that goes on behind a known bug."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from bpor.checking import check_target
from bpor.errors import UsageError
from bpor.model.schedule import Schedule
from bpor.model.trace import Description, End, Outcome, Trace
from bpor.report.finding import Finding, FindingKind, SourceSite
from bpor.report.suppressions import matching, parse_suppressions
from bpor.search.result import Failure
from bpor.settings import Settings
from bpor.suppressing import Suppressing
from tests.unit.gate_examples import deadlock
from tests.unit.test_api import ABBA, Simulated, parse

# Fails by a deadlock in some schedules and by the assertion in others.
BOTH = "lock a; lock b; Wx; unlock b; unlock a | lock b; lock a; Rx; assert; unlock a; unlock b"


def suppressed(text: str, finding: Finding | None = None) -> bool:
    return matching(finding or deadlock(), parse_suppressions(text)) is not None


@pytest.mark.parametrize(
    ("line", "matches"),
    [
        ("deadlock:transfer", True),
        ("deadlock:trans", True),
        ("deadlock:^transfer$", True),
        ("deadlock:^trans$", False),
        ("deadlock:t*r", True),
        ("deadlock:^t*e$", False),
        ("deadlock:bank.c", True),
        ("deadlock:/src/", True),
        ("deadlock:bankxc", False),
        ("deadlock:refund", False),
        ("race:transfer", False),
        ("deadlock:*", True),
    ],
)
def test_a_pattern_matches_functions_and_files_as_tsans_does(line: str, matches: bool) -> None:
    assert suppressed(line) is matches


def test_everybody_in_the_cycle_counts_and_a_bystander_does_not() -> None:
    finding = deadlock()
    threads = tuple(replace(t, site=SourceSite("/src/x.c", 1, f"in{t.number}"), stack=()) for t in finding.threads)
    finding = replace(finding, threads=threads)
    in_cycle = set(finding.cycle) - {0}
    assert in_cycle and 0 in finding.cycle
    finding = replace(finding, cycle=tuple(in_cycle), site=None)
    for thread in threads:
        assert suppressed(f"deadlock:^in{thread.number}$", finding) is (thread.number in in_cycle)


def test_comments_blanks_and_tsans_own_kinds_are_taken() -> None:
    text = "# known\n\n  deadlock:a  \nmutex:b\nrace_top:c\nthread:d\nsignal:e\ncalled_from_lib:f\n"
    assert [(one.kind, one.pattern) for one in parse_suppressions(text)] == [
        (FindingKind.DEADLOCK, "a"),
        (FindingKind.MISUSE, "b"),
        (FindingKind.RACE, "c"),
    ]


def test_race_top_looks_at_the_innermost_frames_only() -> None:
    finding = replace(
        deadlock(), kind=FindingKind.RACE, cycle=(), stack=(SourceSite("a.c", 1, "inner"), SourceSite("a.c", 2, "outer")), site=None
    )
    assert suppressed("race:outer", finding) and suppressed("race_top:inner", finding)
    assert not suppressed("race_top:outer", finding)


@pytest.mark.parametrize(
    ("line", "complaint"), [("deadlock", "is not KIND:PATTERN"), ("deadlock:", "is not KIND"), ("dedlock:x", "is not one of")]
)
def test_a_line_that_is_not_understood_is_an_error_with_its_number(line: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint) as error:
        parse_suppressions(f"# first\n{line}\n", "known.supp")
    assert str(error.value).startswith("known.supp:2: ")


def dressed(text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str) -> object:
    """A simulated search whose findings stand in functions named after their kind."""
    import bpor.confirmation as confirmation
    import bpor.suppressing as suppressing

    plain = confirmation.finding_of

    def named(*arguments: object) -> Finding | None:
        finding = plain(*arguments)  # type: ignore[arg-type]
        return None if finding is None else replace(finding, site=SourceSite("x.c", 1, f"in_{finding.kind.value}"))

    monkeypatch.setattr(suppressing, "finding_of", named)
    (tmp_path / "s").write_text(line)
    return check_target(Simulated(parse(text)).target, Settings(bound="none", suppressions=str(tmp_path / "s")))


def test_a_known_bug_does_not_hide_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = dressed(BOTH, monkeypatch, tmp_path, "deadlock:in_deadlock\n")
    assert [finding.kind for finding in result.findings] == [FindingKind.ASSERTION]  # type: ignore[attr-defined]


def test_a_pass_behind_a_known_bug_names_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = dressed(ABBA, monkeypatch, tmp_path, "deadlock:in_deadlock\ndeadlock:never\n")
    assert result.exit_code == 0  # type: ignore[attr-defined]
    assert "known bug deadlock:in_deadlock" in str(result)
    assert result.unused_suppressions == ("deadlock:never",)  # type: ignore[attr-defined]
    assert [finding.kind for finding in result.suppressed] == [FindingKind.DEADLOCK]  # type: ignore[attr-defined]


def test_a_line_that_does_not_match_suppresses_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = dressed(ABBA, monkeypatch, tmp_path, "deadlock:elsewhere\n")
    assert result.exit_code == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("lines", "described"),
    [
        ("crash:fails\n", 1),  # where the failing thread stood decides
        ("race:fails\ncrash:fails\n", 1),
        ("crash:elsewhere\ncrash:fails\n", 3),  # the first line may match by another thread's stack
        ("crash:waits\n", 3),  # it does match by one only
    ],
)
def test_executions_that_end_alike_are_described_once_where_their_end_decides(
    lines: str, described: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = Trace(End(Outcome.CRASH, 6, 1, "SIGABRT", stack=(1, 2)), ())
    finding = deadlock(site=SourceSite("x.c", 1, "waits"), kind=FindingKind.CRASH, stack=(SourceSite("x.c", 2, "fails"),))
    executor = Mock(describe=Mock(return_value=(trace, Description())))
    monkeypatch.setattr("bpor.suppressing.finding_of", lambda *_: finding)
    known = Suppressing(parse_suppressions(lines), Settings())
    known.attach(executor)
    explorer = Mock(failures=[])
    for _ in range(3):
        explorer.failures.append(Failure(Schedule.parse("0*2"), trace))
        known.executed(explorer, Mock(), trace)
    assert explorer.failures == []
    assert sum(known.counts.values()) == 3
    assert executor.describe.call_count == described


def test_a_file_that_is_not_there_is_one_line() -> None:
    with pytest.raises(UsageError, match="--suppressions nowhere: No such file"):
        check_target(Simulated(parse(ABBA)).target, Settings(suppressions="nowhere"))
