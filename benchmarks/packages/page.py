"""docs/packages.md, from what was recorded."""

from __future__ import annotations

import json
import platform
import re
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.packages.record import HUNG, Ended
from benchmarks.packages.subjects import MODES, Pair, Subject, minimal, pairs

WIDTH = 136  # of a line of prose
LETTERS = {
    "pass": "·",
    "nonlinearizable": "N",
    "race": "R",
    "memory": "M",
    "crash": "C",
    "terminate": "C",
    "deadlock": "D",
    "assertion": "A",
    "inconclusive": "B",
    "uncontrolled": "U",
    "nondeterministic": "U",
    HUNG: "U",
}


FREE_THREADED = json.loads((Path(__file__).parent / "free_threaded.json").read_text())
FOUND = "NMRCAD"  # letters of what is not a pass


def page(subjects: Sequence[Subject], ended: Mapping[str, Ended], executions: int, seconds: int) -> str:
    introduction = _INTRODUCTION.format(python=platform.python_version(), executions=executions, seconds=seconds)
    parts = [introduction.rstrip(), overview(subjects, ended), *(section(subject, ended) for subject in subjects)]
    return "\n\n".join(parts) + "\n"


def overview(subjects: Sequence[Subject], ended: Mapping[str, Ended]) -> str:
    """A line for each subject: how many of its pairs find something, by interpreter."""
    lines = [_row(["", "with the GIL", "simulated", *FREE_THREADED]), _row(["---"] * (3 + len(FREE_THREADED)))]
    for subject in subjects:
        title = _title(subject)
        simulated = [_found(counts(subject, ended, mode)) for mode in MODES]
        real = [_found(of[title]) if title in of else "-" for of in FREE_THREADED.values()]
        lines.append(_row([f"[{title}](#{_anchor(title)})", *simulated, *real]))
    return "\n".join(lines)


def _title(subject: Subject) -> str:
    return f"{subject.package} {subject.version}, {subject.what}"


def _anchor(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def _found(letters: Mapping[str, int]) -> str:
    return f"{sum(count for letter, count in letters.items() if letter in FOUND)} of {sum(letters.values())}"


def section(subject: Subject, ended: Mapping[str, Ended]) -> str:
    names = list(subject.every)
    lines = [f"## {_title(subject)}", "", *textwrap.wrap(f"Its sources: {subject.says}.", WIDTH), ""]
    lines += [_row(["", *names]), _row(["---"] * (len(names) + 1))]
    for i, first in enumerate(names):
        lines.append(_row([first, *[""] * i, *(_cell(ended, subject, first, second) for second in names[i:])]))
    lines += ["", *(_summary(mode, [ended[str(pair)] for pair in pairs(subject) if pair.gil == mode]) for mode in MODES)]
    lines += ["", *textwrap.wrap(subject.remark, WIDTH)] if subject.remark else []
    lines += ["", f"Upstream: <{subject.upstream}>"] if subject.upstream else []
    lines += _shown(subject, ended[subject.stem]) if subject.example else []
    return "\n".join(lines)


def _shown(subject: Subject, ended: Ended) -> list[str]:
    """The smallest test, what it says first, and its replay line."""
    file = f"{subject.stem}_example.py"
    said = ["```text", ended.says, f"replay: pytest {file} '{ended.replay}'", "```"]
    return ["", f"`{file}`:", "", "```python", minimal(subject).rstrip(), "```", "", *said]


def counts(subject: Subject, ended: Mapping[str, Ended], mode: str = "off") -> dict[str, int]:
    """How many pairs ended how."""
    return dict(Counter(LETTERS[ended[str(pair)].kind] for pair in pairs(subject) if pair.gil == mode))


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(ended: Mapping[str, Ended], subject: Subject, first: str, second: str) -> str:
    found = (ended.get(str(Pair(subject, mode, first, second))) for mode in MODES)
    return " ".join(LETTERS[one.kind] if one else "-" for one in found)


def _summary(mode: str, told: Sequence[Ended]) -> str:
    counted = Counter(LETTERS[one.kind] for one in told)
    words = ", ".join(f"{count} {letter}" for letter, count in sorted(counted.items()))
    return f'* `gil="{mode}"`: {len(told)} pairs, {sum(one.schedules for one in told)} schedules: {words}'


_INTRODUCTION = """\
# Real packages

Written by `python -m benchmarks.packages.survey`; do not edit. It builds each package from its sdist on PyPI with `bpor-native build
pip install --no-binary`, so that only the package's own modules are instrumented, and runs every pair of some operations on one shared
object: two threads, one operation each, `bpor.linearizable`, all schedules with at most one preemption. A pair has a budget of {executions}
schedules and {seconds} seconds. CPython {python}.

Each cell has two verdicts. The first is with the GIL (`gil="real"`): threads switch where the extension lets the GIL go or
synchronises. The second is without (`gil="off"`): a simulated free-threaded interpreter, in which threads switch at the accesses of the
extension's own memory that race, and at its calls on dicts, lists and sets. Such a search begins again with every racing place it
finds; the schedules counted are those of the last one, up to the first finding.

| | |
|---|---|
| · | pass: every schedule within the bound gave what some serial order gives |
| N | nonlinearizable: results, or a state afterwards, that no serial order gives |
| M | memory: a block was used after it was freed |
| R | race: a data race that was not explored further |
| C, A, D | crash, assertion, deadlock |
| B | inconclusive: the budget was used up, or nothing of the package ran; neither a pass nor a bug |
| U | uncontrolled, or did not repeat itself: not counted as a finding |
| - | not run in this mode |

**What the second verdict means.** It is about the code as an interpreter with the GIL compiles it, run as if there were no GIL. Where a
package protects itself by `Py_BEGIN_CRITICAL_SECTION` or by code under `#ifdef Py_GIL_DISABLED`, that protection is not in such a
build: an N or M there says what the critical sections are for, not that a free-threaded build of the package is broken. Where it has
none, and does not claim to work without a GIL, an N or M is what its users would meet if it did. Findings were looked at by
hand: the text below a table says whether it is true of the package, and where there is one, the issue of its maintainers. No finding
here was reported to anybody as a bug.

**Real free-threaded interpreters** (`make free-threaded`) ran the packages that have a number in their columns: what is found there is
found in the code that users run. They differ from the simulation in two ways. Code that only one of the two builds has, such as critical
sections. And objects that one thread made and another drops: there the first one frees them, when it runs Python again, so an object
that the test made before its threads outlives a use that would be a use after free (`M`) in the simulation, and in a program in which the
thread that made it goes on. U in 3.14: the failing schedule did not repeat itself.

**What a pass means.** This pair of operations, on this object, once each, at this bound; the interpreter itself and other libraries are
not seen.

**Your package here.** `build/packages/*/tests` has a file of tests for each package, which needs nothing but pytest and bpor-native. An
entry of `benchmarks/packages/subjects.toml` makes one: how to make an object, what to do to it, how to look at it afterwards. `python -m
benchmarks.packages.replay` repeats every replay line of this page.

**How many pairs find something:**
"""
