"""docs/packages.md, from what was recorded."""

from __future__ import annotations

import platform
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.packages.record import HUNG, Ended
from benchmarks.packages.subjects import MODES, Pair, Subject, minimal, pairs

WIDTH = 136  # of a line of prose
LETTERS = {
    "pass": "·",
    "nonlinearizable": "N",
    "race": "R",
    "memory": "M",
    "crash": "C",
    "deadlock": "D",
    "assertion": "A",
    "inconclusive": "B",
    "uncontrolled": "U",
    "nondeterministic": "U",
    HUNG: "U",
}


def page(subjects: Sequence[Subject], ended: Mapping[str, Ended], executions: int, seconds: int) -> str:
    introduction = _INTRODUCTION.format(python=platform.python_version(), executions=executions, seconds=seconds)
    return "\n\n".join([introduction.rstrip(), *(section(subject, ended) for subject in subjects)]) + "\n"


def section(subject: Subject, ended: Mapping[str, Ended]) -> str:
    names = list(subject.every)
    lines = [f"## {subject.package} {subject.version}, {subject.what}", "", *textwrap.wrap(f"Its sources: {subject.says}.", WIDTH), ""]
    lines += [_row(["", *names]), _row(["---"] * (len(names) + 1))]
    for i, first in enumerate(names):
        lines.append(_row([first, *[""] * i, *(_cell(ended, subject, first, second) for second in names[i:])]))
    lines += ["", *(_summary(mode, [ended[str(pair)] for pair in pairs(subject) if pair.gil == mode]) for mode in MODES)]
    lines += ["", *textwrap.wrap(subject.remark, WIDTH)] if subject.remark else []
    return "\n".join(lines)


def counts(subject: Subject, ended: Mapping[str, Ended]) -> dict[str, int]:
    """How many pairs without the GIL ended how."""
    return dict(Counter(LETTERS[ended[str(pair)].kind] for pair in pairs(subject) if pair.gil == "off"))


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
| B | budget: stopped before the bound was exhausted, without a finding; neither a pass nor a bug |
| U | uncontrolled, or did not repeat itself: not counted as a finding |
| - | not run in this mode |

**What the second verdict means.** It is about the code as an interpreter with the GIL compiles it, run as if there were no GIL. Where a
package protects itself by `Py_BEGIN_CRITICAL_SECTION` or by code under `#ifdef Py_GIL_DISABLED`, that protection is not in such a
build: an N or M there says what the critical sections are for, not that a free-threaded build of the package is broken. Where it has
none, and does not claim to work without a GIL, an N or M is what its users would meet if it did. No finding here was reported to
anybody as a bug.

A few were run by hand in a free-threaded CPython 3.13.5, where that protection is compiled in
([extensions](extensions.md#free-threaded-interpreters)): bitarray 3.12.3, all 21 pairs pass; xxhash 4.1.0, all 10 pass; lru-dict 1.4.1,
`get` beside `set` crashes, and beside `delete`, `popitem`, `clear` and `set_size` uses freed memory. multidict 7.2.1 does not compile
there. The others, and the other pairs of lru-dict, were not run.

**What a pass means.** This pair of operations, on this object, once each, at this bound; the interpreter itself and other libraries are
not seen.
"""
