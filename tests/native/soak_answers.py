"""Does a test of an extension give one answer, however often it runs?

    python -m tests.native.soak_answers RUNS [examples] [PACKAGE ...]

Runs every example of native_tests/extensions, with its bug and fixed, or every pair of the packages (benchmarks/packages, built if need
be; `all` of them, or those that are `built`), or both, as often as that, and compares verdict, number of schedules and replay line. Exits
with 1 if any of them differs.

Every test has budgets of executions and of steps and none of time, so that no answer depends on what else the machine does. A process of
pytest's runs its tests several times, and there are several processes: what was read of files is read once for each. Tests that can depend
on addresses, those without the GIL, come before the others, and no test is far ahead of another. What was answered is kept in
build/answers: a soak that was stopped goes on where it was; with another tool it begins anew.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.packages.subjects import MODES, Subject, suite
from benchmarks.packages.survey import SUBJECTS, build, setting, site, written
from tests.native.extension_modules import EXAMPLES, built_examples
from tests.native.pytest_project import PytestRun, run_pytest

ROOT = EXAMPLES.parents[1]
PLACE = ROOT / "build" / "answers"
EXECUTIONS, STEPS, A_DAY = 400, 2_000, 24 * 3600
AT_ONCE = 5  # runs of a test in one process
RISKY_FIRST = tuple(sorted(MODES))  # off, real

Answer = dict[str, str]  # what came of each test


@dataclass(frozen=True)
class Soaked:
    """Some tests that one process runs."""

    name: str
    tests: list[Path]  # files in one directory
    modules: str  # a path to those that they need
    times: int  # that a process runs each


def main() -> None:
    runs, packages = int(sys.argv[1]), sys.argv[2:]
    every = list(all_soaked(packages, min(runs, AT_ONCE)))
    known = Known()
    for done in range(0, runs):
        for one in every:
            if len(known.answers[one.name]) <= done:
                known.add(one.name, answers(one))
    raise SystemExit(tell(every, known, runs) > 0)


class Known:
    """The answers so far; each is written at once."""

    def __init__(self) -> None:
        self._path = PLACE / f"{setting()}.jsonl"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self.answers: dict[str, list[Answer]] = defaultdict(list)
        for line in self._path.read_text().splitlines() if self._path.exists() else ():
            self.answers[json.loads(line)["name"]].append(json.loads(line)["answer"])

    def add(self, name: str, answers: list[Answer]) -> None:
        self.answers[name] += answers
        with self._path.open("a") as file:
            file.writelines(json.dumps({"name": name, "answer": answer}) + "\n" for answer in answers)


def tell(every: list[Soaked], known: Known, runs: int) -> int:
    """How many sets of tests gave more than one answer."""
    different = 0
    for one in every:
        told = known.answers[one.name][:runs]
        tests = sorted(set().union(*told))
        flipping = {test: counted for test in tests if len(counted := Counter(answer.get(test, "no answer") for answer in told)) > 1}
        different += bool(flipping)
        print(f"{one.name}: {len(tests)} tests, {len(told)} runs, {len(flipping)} with more than one answer", flush=True)
        for test, counted in flipping.items():
            print(f"  {test}: {dict(counted)}")
    print(f"{different} of {len(every)} differ")
    return different


def all_soaked(packages: list[str], times: int) -> Iterator[Soaked]:
    for variant in ("buggy", "fixed") if not packages or "examples" in packages else ():
        tests = [copied(one, variant) for one in sorted(EXAMPLES.glob("*/test_*.py"))]
        yield Soaked(f"examples, {variant}", tests, f"{ROOT}:{built_examples(variant)}", 1)
    chosen = [subject for subject in SUBJECTS if is_chosen(subject, packages)]
    for subject in chosen:
        build(subject)
    for mode in RISKY_FIRST:
        yield from (of_package(subject, mode, times) for subject in chosen)


def is_chosen(subject: Subject, packages: list[str]) -> bool:
    return subject.package in packages or "all" in packages or ("built" in packages and site(subject).exists())


def of_package(subject: Subject, mode: str, times: int) -> Soaked:
    text = suite(subject, EXECUTIONS, A_DAY, (mode,), STEPS, times)
    tests = [copied(written(f"{subject.stem}_{mode}.py", text), f"{subject.stem}_{mode}")]
    return Soaked(f"{subject.package} {subject.version}, {subject.what}, gil={mode}", tests, f"{ROOT}:{site(subject)}", times)


def copied(tests: Path, variant: str) -> Path:
    copy = PLACE / variant / tests.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(tests.read_text())
    return copy


def answers(one: Soaked) -> list[Answer]:
    files = [file.name for file in one.tests]
    run = run_pytest(one.tests[0].parent, "--bpor", "-q", *files, patience=A_DAY, PYTHONPATH=one.modules)
    if one.times == 1:
        return [told(run, lambda test: test)]
    return [told(run, numbered(number)) for number in range(one.times)]


def numbered(number: int) -> Callable[[str], str]:
    """The name without its number, which stands first in its brackets; empty: it has another one."""

    def name(test: str) -> str:
        which, _, rest = test.partition("[")[2].partition("-")
        return f"[{rest}" if which == str(number) else ""

    return name


def told(run: PytestRun, name_of: Callable[[str], str]) -> Answer:
    properties = ("bpor_verdict", "bpor_finding", "bpor_schedules", "bpor_replay")
    return {
        name: without_number(" ".join(one.properties.get(key, "-") for key in properties), test, name)
        for test, one in run.tests.items()
        if (name := name_of(test))
    }


def without_number(answer: str, test: str, name: str) -> str:
    """The replay line names the test."""
    return answer.replace(test, name)


if __name__ == "__main__":
    main()
