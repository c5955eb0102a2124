"""Does a test of an extension give one answer, however often it runs?

    python -m tests.native.soak_answers RUNS [examples] [PACKAGE ...]

Runs every example of native_tests/extensions, with its bug and fixed, or every pair of the packages (benchmarks/packages, built if need
be; `all` of them, or those that are `built`), or both, as often as that, and compares verdict, number of schedules and replay line. Exits
with 1 if any of them differs. A pair has a budget of executions and none of time, so that no answer depends on what else the machine does.
What was answered is kept in build/answers: one that was stopped goes on where it was when it is started again; with another tool it begins
anew.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.packages.subjects import suite
from benchmarks.packages.survey import SUBJECTS, build, setting, site, written
from tests.native.extension_modules import EXAMPLES, built_examples
from tests.native.pytest_project import PytestRun, run_pytest

PLACE = EXAMPLES.parents[1] / "build" / "answers"
EXECUTIONS, A_DAY = 400, 24 * 3600


def main() -> None:
    runs, packages = int(sys.argv[1]), sys.argv[2:]
    different = 0
    for name, tests, modules in subjects(packages):
        answers = answered(name, tests, modules, runs)
        counted = Counter(repr(sorted(one.items())) for one in answers)
        different += len(counted) > 1
        print(f"{name}: {len(answers[0])} tests, {runs} runs, {len(counted)} answer{'s' * (len(counted) > 1)}", flush=True)
        for test in sorted(answers[0]) if len(counted) > 1 else ():
            if len(told := Counter(one.get(test, "no answer") for one in answers)) > 1:
                print(f"  {test}: {dict(told)}")
    print(f"{different} of them differ")
    raise SystemExit(different > 0)


def answered(name: str, tests: list[Path], modules: str, runs: int) -> list[dict[str, str]]:
    """By as many runs; those that are known already are not done again."""
    kept = PLACE / f"{setting()}.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    answers = [line["answer"] for line in lines if line["name"] == name][:runs]
    while len(answers) < runs:
        files = [one.name for one in tests]
        answers.append(answer(run_pytest(tests[0].parent, "--bpor", "-q", *files, patience=A_DAY, PYTHONPATH=modules)))
        with kept.open("a") as file:
            file.write(json.dumps({"name": name, "answer": answers[-1]}) + "\n")
    return answers


def subjects(packages: list[str]) -> Iterator[tuple[str, list[Path], str]]:
    """A name, files of tests in one directory, and where the modules are that they need."""
    root = str(EXAMPLES.parents[1])
    for variant in ("buggy", "fixed") if not packages or "examples" in packages else ():
        tests = [copied(one, variant) for one in sorted(EXAMPLES.glob("*/test_*.py"))]
        yield f"examples, {variant}", tests, f"{root}:{built_examples(variant)}"
    for subject in SUBJECTS:
        if subject.package in packages or "all" in packages or ("built" in packages and site(subject).exists()):
            build(subject)
            tests = [copied(written(f"{subject.stem}.py", suite(subject, EXECUTIONS, A_DAY)), subject.stem)]
            yield f"{subject.package} {subject.version}, {subject.what}", tests, f"{root}:{site(subject)}"


def copied(tests: Path, variant: str) -> Path:
    copy = PLACE / variant / tests.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(tests.read_text())
    return copy


def answer(run: PytestRun) -> dict[str, str]:
    """What came of each test."""
    names = ("bpor_verdict", "bpor_finding", "bpor_schedules", "bpor_replay")
    return {test: " ".join(told.properties.get(name, "-") for name in names) for test, told in run.tests.items()}


if __name__ == "__main__":
    main()
