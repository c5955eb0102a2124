"""The summary of a suite: a line per test, what needs attention, one line with the sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bpor.report.checked import Checked, Standing
from bpor.report.counted import counted
from bpor.report.symbols_source import printable
from bpor.report.verdict import VerdictKind

_NAME = 48
_FEW = 3  # tests that a line names


def progress_line(tested: Checked) -> str:
    """As each test ends."""
    return f"{_word(tested):<13} {printable(tested.name)}  {tested.seconds:.1f} s"


def summary_table(tests: Sequence[Checked], seconds: float) -> str:
    rows = [("", "verdict", "test", "executions", "time", "reached"), *map(_row, tests)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = ["  ".join([*(_fit(row[column], width, column) for column, width in enumerate(widths)), row[-1]]).rstrip() for row in rows]
    return "\n".join([*lines, *_attention(tests), _sums(tests, seconds)]) + "\n"


def _row(tested: Checked) -> tuple[str, ...]:
    search = tested.result.search
    mark = {Standing.PASSED: " ", Standing.SKIPPED: "?"}.get(tested.standing, "!")
    executions = str(search.executions) if search is not None else "-"
    return mark, tested.result.verdict.kind.value, _short(tested.name), executions, f"{tested.seconds:.1f} s", reached(tested)


def reached(tested: Checked) -> str:
    """The strongest statement that was completed."""
    return "; ".join([_covered(tested), *(f"known: {printable(finding.summary)}" for finding in tested.result.suppressed)])


def _covered(tested: Checked) -> str:
    search = tested.result.search
    if tested.result.findings:
        return printable(tested.result.findings[0].summary)
    if search is None or search.strongest is None:
        return "no bound" if search is not None else "nothing"
    return search.strongest.statement()


def _attention(tests: Sequence[Checked]) -> list[str]:
    lines: list[str] = []
    shared: dict[str, list[str]] = {}  # what searches that did not finish looked at is mostly the same: told once
    for tested in tests:
        if tested.standing is Standing.PASSED:
            continue
        summary = _one_line(tested.summary)
        if _unfinished(tested):
            summary, covered = _without_coverage(summary.removeprefix(f"{_word(tested)}: "))
            shared.setdefault(covered, []).append(printable(tested.name))
        lines.append(f"{_word(tested)}: {printable(tested.name)}: {summary}")
    lines += [f"coverage: {_who(names)}: {text}" for text, names in shared.items() if text]
    lines += [f"warning: {_who(names)}: {_one_line(text)}" for text, names in _warnings(tests).items()]
    return ["", *lines] if lines else []


def _unfinished(tested: Checked) -> bool:
    """It counts as failed, since it is no pass, but nothing was found."""
    is_open = tested.result.verdict.kind is VerdictKind.INCONCLUSIVE and tested.expected == "pass"
    return is_open and tested.standing is Standing.FAILED and not (tested.lost or tested.spoilt)


def _without_coverage(summary: str) -> tuple[str, str]:
    """The statement without what was looked at, and that."""
    reason, is_next, command = summary.partition("; next: ")
    reason, _, covered = reason.partition("; coverage ")
    return reason + is_next + command, covered


def _warnings(tests: Sequence[Checked]) -> dict[str, list[str]]:
    """Each once, with the tests that it is about."""
    about: dict[str, list[str]] = {}
    for tested in tests:
        for text in tested.warnings:
            about.setdefault(text, []).append(printable(tested.name))
    return about


def _who(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _FEW else f"{', '.join(names[:_FEW])} and {len(names) - _FEW} more"


def _sums(tests: Sequence[Checked], seconds: float) -> str:
    counts = Counter(tested.standing for tested in tests)
    unfinished = sum(map(_unfinished, tests))
    failed = f"{counts[Standing.FAILED] - unfinished} failed" + (f", {unfinished} inconclusive" if unfinished else "")
    standings = {each: f"{counts[each]} {each.value}" for each in Standing}
    standings |= {Standing.FAILED: failed, Standing.ERROR: counted(counts[Standing.ERROR], "error")}
    return f"suite: {counted(len(tests), 'test')}: {', '.join(standings.values())}; {seconds:.1f} s"


def _word(tested: Checked) -> str:
    if tested.standing is Standing.SKIPPED or _unfinished(tested):
        return f"{tested.result.verdict.kind.value}"
    return f"{tested.standing.value}"


def _short(name: str) -> str:
    name = printable(name)
    return name if len(name) <= _NAME else f"…{name[1 - _NAME :]}"


def _fit(text: str, width: int, column: int) -> str:
    return text.rjust(width) if column in (3, 4) else text.ljust(width)


def _one_line(text: str) -> str:
    return printable(text.splitlines()[0] if text else "")
