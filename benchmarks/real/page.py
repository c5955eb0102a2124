"""docs/real-programs.md, from the rows that are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.real.build import BUILDS
from benchmarks.real.row import Row
from benchmarks.real.subjects import Subject

Rows = Mapping[tuple[str, str], Row]

HEAD = """# Real programs

This page is written by `python -m benchmarks.real.run`. The script takes libraries from Debian 12 and has a short test of each
([benchmarks/real/tests](../benchmarks/real/tests)). It builds every test twice: *plain*, as a user would, and *instrumented*, with
`bpor-native cc`. **+** marks instrumented builds that contain the library's own sources too; in the others only the test is
instrumented. Each build is searched with the default options. Seconds are processor time of the tool and the program together, so that a
busy machine gives the same table. The number of executions is exact only where a search ended by itself. The rows are kept in
[rows.jsonl](../benchmarks/real/rows.jsonl).

The strongest statement is *all schedules*, or a number of preemptions; *none* means that not even the schedules without a preemption were
completed. *(fair:2)* means: within a fair bound, which keeps a thread waiting that only goes round in a loop while others could run.
*Changed* says what a maintainer has to change in the test or its build.
"""
_CLASSES = {
    "all": "all schedules",
    "calls": "all schedules, of the library calls only",
    "some": "at least one preemption completed",
    "bug": "bug",
    "none": "cut before that",
    "uncontrolled": "cannot be controlled",
    "other": "other",
}


def page(subjects: Sequence[Subject], rows: Rows) -> str:
    told = [subject for subject in subjects if all((subject.name, how) in rows for how in BUILDS)]
    left = len(subjects) - len(told)
    state = f"{_states(_of(told, rows))}; {left} tests were not run.\n"
    parts = [HEAD, state, _budgets(told, rows), _counts(told, rows), _shares(told, rows), _table(told, rows), _remarks(told, rows)]
    return "\n".join(filter(None, parts))


def _states(rows: Sequence[Row]) -> str:
    """Of the tool, of which the rows are: what is said stays true when it changes."""
    days = sorted(row.day for row in rows)
    states = len({row.tool for row in rows})
    if states == 1:
        return f"All rows are of one state of the tool, that of {days[-1]}"
    return f"The rows are of {states} states of the tool, from {days[0]} to {days[-1]}" if rows else "There are no rows"


def _budgets(subjects: Sequence[Subject], rows: Rows) -> str:
    """Of the searches that were cut: the others needed less than theirs."""
    cut = Counter(row.budget for row in _of(subjects, rows) if row.verdict == "inconclusive")
    return f"Searches that were cut: {', '.join(f'{count} after {seconds} s' for seconds, count in sorted(cut.items()))}.\n" if cut else ""


def _of(subjects: Sequence[Subject], rows: Rows) -> list[Row]:
    return [rows[subject.name, how] for subject in subjects for how in BUILDS]


def _shares(subjects: Sequence[Subject], rows: Rows) -> str:
    """What was asked of the default budget, and what it gives."""
    classes = [[_class(rows[subject.name, how]) for how in BUILDS] for subject in subjects]
    lines = ["| of the tests | goal | plain | instrumented | the better of the two |", "|---|---|---|---|---|"]
    for text, goal, good in (
        ("preemption:1 complete, or a verdict", "90 %", ("all", "calls", "some", "bug")),
        ("a final verdict", "60 %", ("all", "calls", "bug")),
    ):
        counts = [sum(both[column] in good for both in classes) for column in range(len(BUILDS))]
        counts.append(sum(any(one in good for one in both) for both in classes))
        lines.append(f"| {text} | {goal} | {' | '.join(f'{100 * count / max(len(classes), 1):.0f} %' for count in counts)} |")
    found = [subject for subject in subjects if any(rows[subject.name, how].verdict == "bug" for how in BUILDS)]
    judged = Counter(subject.judged or "not yet looked at" for subject in found)
    by_hand = ", ".join(f"{count} {name}" for name, count in judged.items()) or "none"
    passes = [row for row in _of(subjects, rows) if row.verdict == "pass"]
    checked = [row for row in passes if row.checked]
    wrong = sum(bool(row.found) for row in checked)
    lines += ["", f"Tests with a finding, as judged by hand: {by_hand}. False alarms: {judged['false']}."]
    lines += [f"Passes: {len(passes)}; {len(checked)} of them were looked at by random searches; false passes: {wrong}.", ""]
    return "\n".join(lines)


def _counts(subjects: Sequence[Subject], rows: Rows) -> str:
    lines = [f"{len(subjects)} tests of {len({subject.packages[:1] for subject in subjects})} packages.", ""]
    lines += [f"| build | {' | '.join(_CLASSES.values())} |", "|---" * (len(_CLASSES) + 1) + "|"]
    for how in BUILDS:
        count = Counter(_class(rows[subject.name, how]) for subject in subjects)
        lines.append(f"| {how} | {' | '.join(str(count[name]) for name in _CLASSES)} |")
    return "\n".join([*lines, ""])


def _class(row: Row) -> str:
    if row.verdict in ("bug", "uncontrolled"):
        return row.verdict
    if row.verdict == "pass":
        return "calls" if row.coverage == "calls" else "all"
    if row.verdict != "inconclusive":
        return "other"
    return "none" if row.reached == "none" or row.reached.startswith("≤ 0") else "some"


def _table(subjects: Sequence[Subject], rows: Rows) -> str:
    lines = ["| test | kind | version | plain | instrumented | changed |", "|---|---|---|---|---|---|"]
    for subject in subjects:
        plain, other = (rows[subject.name, how] for how in BUILDS)
        own = " **+**" if subject.source else ""
        test = f"[{subject.name}](../benchmarks/real/tests/{subject.test})"
        cells = (test, subject.kind, plain.version, _cell(plain), f"{_cell(other)}{own}", subject.changed)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _cell(row: Row) -> str:
    words = [row.verdict if row.verdict != "pass" or not row.found else "FALSE PASS"]
    if row.verdict in ("pass", "inconclusive"):
        words.append(row.reached)
    if row.executions:
        executed = f"{_many(row.executions, 'execution')} of {_many(row.steps, 'step')}"
        words.append(f"{executed}, {_many(row.threads, 'thread')}, {row.seconds:.0f} s")
    if row.coverage and row.verdict in ("pass", "inconclusive"):
        words.append(f"coverage {row.coverage}")
    if row.checked:
        words.append(f"{row.checked} s of random search: {'; '.join(row.found) or 'nothing'}")
    return "; ".join(words)


def _remarks(subjects: Sequence[Subject], rows: Rows) -> str:
    lines = ["## What was found, and what stood in the way", ""]
    for subject in subjects:
        ended = [(how, rows[subject.name, how]) for how in BUILDS]
        said = [f"{how}: {row.says}" for how, row in ended if row.verdict not in ("pass", "inconclusive") and row.says]
        if subject.remark or said:
            lines.append(f"**{subject.name}.** {subject.remark}".rstrip())
            lines += [f"  - {one}" for one in said]
            lines.append("")
    return "\n".join(lines)
