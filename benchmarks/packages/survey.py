"""Builds the packages from their sdists, runs test_pairs.py, writes docs/packages.md:  python -m benchmarks.packages.survey [PACKAGE ...]

Needs the network. With names, only those packages are run, and the table is printed instead of written.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import textwrap
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.packages.subjects import MODES, SUBJECTS, Subject
from benchmarks.packages.test_pairs import EXECUTIONS, operations
from bpor.target.elf import read_elf

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "build" / "packages"
WIDTH = 136  # of a line of prose
PAGE = ROOT / "docs" / "packages.md"
LETTERS = {
    "pass": "·",
    "nonlinearizable": "N",
    "race": "R",
    "memory": "M",
    "crash": "C",
    "deadlock": "D",
    "assertion": "A",
    "inconclusive": "?",
    "uncontrolled": "U",
    "nondeterministic": "U",
}


@dataclass(frozen=True)
class Verdict:
    letter: str
    schedules: int


Verdicts = dict[tuple[str, str, str, str, str], Verdict]  # package, class, mode, operation, operation


def main() -> None:
    names = sys.argv[1:] or sorted({subject.package for subject in SUBJECTS})
    chosen = [subject for subject in SUBJECTS if subject.package in names]
    began = time.monotonic()
    verdicts: Verdicts = {}
    for package in names:
        build(next(subject for subject in chosen if subject.package == package))
        verdicts |= run(package)
    text = page(chosen, verdicts)
    if sys.argv[1:]:
        print(text)
    else:
        PAGE.write_text(text)
    print(f"{len(verdicts)} pairs in {time.monotonic() - began:.0f} s")


def site(package: str) -> Path:
    return PLACE / package


def build(subject: Subject) -> None:
    """From the sdist, into a place of its own; its build dependencies come as wheels and are not instrumented."""
    target = site(subject.package)
    if not target.exists():
        words = ["--quiet", "--no-deps", "--no-binary", subject.package, "--target", target, f"{subject.package}=={subject.version}"]
        pip = [sys.executable, "-m", "pip", "install", *words]
        subprocess.run([sys.executable, "-m", "bpor", "build", *pip], check=True, cwd=ROOT)
    for module in modules(subject.package):
        elf = read_elf(str(module))
        assert elf is not None and elf.instrumented, f"{module} is not instrumented"


def modules(package: str) -> list[Path]:
    return sorted(site(package).rglob("*.so"))


def run(package: str) -> Verdicts:
    report = PLACE / f"{package}.xml"
    print(f"{package} ...", flush=True)
    words = ["--bpor", "-q", "-k", f"{package}-", "--junitxml", report, "benchmarks/packages/test_pairs.py"]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{site(package)}"}
    with open(PLACE / f"{package}.log", "w") as log:  # the reports of what was found
        subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT, env=environment, stdout=log, stderr=log, check=False)
    return read(report)


def read(report: Path) -> Verdicts:
    """What the plugin and the tests tell, out of JUnit's file."""
    found: Verdicts = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        told = {item.get("name", ""): item.get("value", "") for item in case.iter("property")}
        package, what, mode, first, second = json.loads(told["pair"])
        kind = told.get("bpor_finding", told.get("bpor_verdict", "uncontrolled"))
        found[package, what, mode, first, second] = Verdict(LETTERS[kind], int(told.get("bpor_schedules", 0)))
    return found


# ---- the page ----


def page(subjects: list[Subject], verdicts: Verdicts) -> str:
    introduction = _INTRODUCTION.format(python=platform.python_version(), executions=EXECUTIONS)
    return "\n\n".join([introduction.rstrip(), *(section(subject, verdicts) for subject in subjects)]) + "\n"


def section(subject: Subject, verdicts: Verdicts) -> str:
    names = list(operations(subject, "real"))
    mine = {key: verdict for key, verdict in verdicts.items() if key[:2] == (subject.package, subject.what)}
    lines = [f"## {subject.package} {subject.version}, {subject.what}", "", f"Its sources: {subject.says}.", ""]
    lines += [_row(["", *names]), _row(["---"] * (len(names) + 1))]
    for i, first in enumerate(names):
        cells = [_cell(mine, subject, first, second) for second in names[i:]]
        lines.append(_row([first, *[""] * i, *cells]))
    lines += ["", *(_summary(mode, mine) for mode in subject.modes)]
    lines += ["", *textwrap.wrap(subject.remark, WIDTH)] if subject.remark else []
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(mine: Verdicts, subject: Subject, first: str, second: str) -> str:
    letters = (mine.get((subject.package, subject.what, mode, first, second)) for mode in MODES)
    return " ".join(verdict.letter if verdict else "-" for verdict in letters)


def _summary(mode: str, mine: Verdicts) -> str:
    told = [verdict for key, verdict in mine.items() if key[2] == mode]
    counted = Counter(verdict.letter for verdict in told)
    words = ", ".join(f"{count} {letter}" for letter, count in sorted(counted.items()))
    return f"* `gil=\"{mode}\"`: {len(told)} pairs, {sum(verdict.schedules for verdict in told)} schedules: {words}"


_INTRODUCTION = """\
# Real packages

Written by `python -m benchmarks.packages.survey`; do not edit. It builds each package from its sdist on PyPI with `bpor-native build
pip install --no-binary`, so that only the package's own modules are instrumented, and runs every pair of some operations on one shared
object: two threads, one operation each, `bpor.linearizable`, all schedules with at most one preemption, at most {executions} of them.
CPython {python}.

Each cell has two verdicts. The first is with the GIL (`gil="real"`): threads switch where the extension lets the GIL go or
synchronises. The second is without (`gil="off"`): a simulated free-threaded interpreter, in which threads switch at the accesses of the
extension's own memory that race, and at its calls on dicts, lists and sets. Such a search begins again with every racing place it
finds; the schedules counted are those of the last one.

| | |
|---|---|
| · | pass: every schedule within the bound gave what some serial order gives |
| N | nonlinearizable: results, or a state afterwards, that no serial order gives |
| M | memory: a block was used after it was freed |
| R | race: a data race that was not explored further |
| C, A, D | crash, assertion, deadlock |
| ? | inconclusive: stopped before the bound was exhausted, without a finding |
| U | uncontrolled, or did not repeat itself: says nothing about the package |
| - | not run in this mode |

**What the second verdict means.** It is about the code as an interpreter with the GIL compiles it, run as if there were no GIL. Where a
package protects itself by `Py_BEGIN_CRITICAL_SECTION` or by code under `#ifdef Py_GIL_DISABLED`, that protection is not in such a
build: an N or M there says what the critical sections are for, not that a free-threaded build of the package is broken. Where it has
none, and does not claim to work without a GIL, an N or M is what its users would meet if it did. No finding here was reported to
anybody as a bug.

**What a pass means.** This pair of operations, on this object, once each, at this bound; the interpreter itself and other libraries are
not seen.
"""

if __name__ == "__main__":
    main()
