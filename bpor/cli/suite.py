"""The verb suite: read the file, build, find the cases, run them, judge, report."""

from __future__ import annotations

import fnmatch
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bpor.cli.arguments import Command
from bpor.cli.gate import require_reports, test_case, write_reports, written
from bpor.cli.named import require_names
from bpor.cli.state import NOWHERE, note
from bpor.errors import UsageError
from bpor.lazy_dataclass import replace
from bpor.native_target import look_at
from bpor.report.checked import Checked, Standing, gravest
from bpor.report.output_file import require_writable
from bpor.report.suppressions import read_suppressions
from bpor.report.text import text_report
from bpor.settings import KNOBS, Settings
from bpor.store.directory import StateDirectory
from bpor.suite.baseline import compare, gone, read_baseline, write_baseline
from bpor.suite.case import Case
from bpor.suite.config import SuiteConfig, config_of, find_config, read_config
from bpor.suite.discovery import cases_of, selected, sharded
from bpor.suite.processes import program_of
from bpor.suite.rounds import run_in_rounds
from bpor.suite.scheduler import Scheduler
from bpor.suite.table import progress_line, summary_table

_MOST_NAMED = 4  # files that are no programs


def suite(command: Command) -> int:
    settings = command.settings
    config, patterns = _asked(command)
    require_outputs(settings)
    build(config)
    every = cases_of(config, os.environ)
    return search_cases(every, selected(every, patterns), config, settings)


def require_outputs(settings: Settings) -> None:
    """Raises UsageError for what could not be read or written later."""
    require_reports(settings)
    require_writable("--write-baseline", settings.write_baseline)
    if settings.baseline is not None:
        read_baseline(settings.baseline)


def search_cases(every: Sequence[Case], chosen: Sequence[Case], config: SuiteConfig, settings: Settings) -> int:
    """Of all cases those that were chosen and are in this shard: run, judged against the baseline, reported. The exit code."""
    baseline = read_baseline(settings.baseline) if settings.baseline is not None else {}
    cases = sharded(chosen, settings.shard, os.environ)
    if not cases:
        note(f"--shard {settings.shard} is empty: there are only {len(every)} tests, and nothing was tested here")
    if settings.resume and settings.state != NOWHERE:
        StateDirectory(settings.state).adopt()  # once, before the workers look
    prepared = [_prepared(case, config, settings) for case in cases]
    require_names([(case.argv, case.settings) for case in (_prepared(case, config, settings) for case in every)])
    for program in dict.fromkeys(case.argv[0] for case in cases if not case.refused):
        look_at(str(config.root / program), settings)
    begun = time.monotonic()
    tests = _run(config, prepared, settings)
    seconds = time.monotonic() - begun
    tests = with_unused_suppressions(compare(tests, baseline), whole=len(cases) == len(every))
    for tested in tests:
        for finding in tested.result.findings if tested.standing is not Standing.PASSED else ():
            print(text_report(finding).rstrip("\n"), end="\n\n")
    print(summary_table(tests, seconds), end="")
    missing = gone((case.name for case in every), baseline, (tested.name for tested in tests))
    for name in missing:
        note(f"{name} is in the baseline and no longer in the suite; write the baseline anew if that is meant")
    code = write_reports(tests, settings, gravest([*(tested.exit_code for tested in tests), *(3 for _ in missing)]))
    path = settings.write_baseline
    return code if path is None else written(code, lambda: write_baseline(path, tests))


def _asked(command: Command) -> tuple[SuiteConfig, tuple[str, ...]]:
    """The suite, and which of its tests; a path of a program that no suite lists is a suite of its own."""
    settings, words = command.settings, command.program
    path = Path(settings.config) if settings.config else find_config(Path.cwd(), needed=not _is_program(words))
    config = read_config(path, given(settings)) if path is not None else None
    if config is not None and not (_is_program(words) and not _lists(config, words[0])):
        return config, words
    return config_of(_commands(words), given(settings)), ()


def _commands(words: Sequence[str]) -> list[list[str]]:
    """`./hits --fast` is one program with its arguments. `tests/t-*`, files of which several are programs, is those programs: their
    sources, which the pattern matches too, are none."""
    programs = [word for word in words if _is_program([word])]
    if len(programs) < 2 or not all("/" in word and os.path.isfile(word) for word in words):
        return [list(words)]
    others = [word for word in words if word not in programs]
    if others:
        note(f"not programs, and left out: {', '.join(others[:_MOST_NAMED])}{' ...' if len(others) > _MOST_NAMED else ''}")
    return [[program] for program in programs]


def _lists(config: SuiteConfig, program: str) -> bool:
    """By its name or by a pattern, wherever we are."""
    path = os.path.relpath(os.path.realpath(program), os.path.realpath(config.root))
    return any(path == os.path.normpath(entry.program) or fnmatch.fnmatchcase(path, entry.program) for entry in config.tests)


def _is_program(words: Sequence[str]) -> bool:
    """`./hits` and `build/hits` are, if they are there; `hits` is the name of a test."""
    return bool(words) and "/" in words[0] and os.path.isfile(words[0]) and os.access(words[0], os.X_OK)


def with_unused_suppressions(tests: Sequence[Checked], whole: bool = True) -> list[Checked]:
    """One file serves the whole suite: a line is unused if no test used it, and then it is said once. Of a part of the suite (a shard)
    nothing is said: another part may use it."""
    unused = [set(tested.result.unused_suppressions) for tested in tests if tested.result.search is not None]
    everywhere = tuple(sorted(set.intersection(*unused))) if unused and whole else ()
    said = [everywhere, *(() for _ in tests[1:])]
    return [replace(tested, result=replace(tested.result, unused_suppressions=unused)) for tested, unused in zip(tests, said, strict=False)]


def build(config: SuiteConfig) -> None:
    """The file's own command, as a list of words, where the file is. What it prints goes to stderr."""
    if not config.build:
        return
    try:
        result = subprocess.run(config.build, cwd=config.root, stdin=subprocess.DEVNULL, stdout=2)
    except OSError as error:
        raise UsageError(f"build: {config.build[0]}: {error.strerror}") from None
    if result.returncode != 0:
        raise UsageError(f"build: {' '.join(config.build)} ended with {result.returncode}")


def _run(config: SuiteConfig, cases: Sequence[Case], settings: Settings) -> list[Checked]:
    jobs = settings.jobs or config.jobs or len(os.sched_getaffinity(0))
    budget = settings.budget if settings.budget is not None else config.budget
    tests: dict[tuple[int, int], Checked] = {}
    place = {case.name: number for number, case in enumerate(cases)}
    for case, tested in _in_rounds(config, cases, jobs, budget, settings):
        key = place[program_of(case.name)], case.settings.process
        before = tests[key].seconds if key in tests else 0.0
        tests[key] = replace(tested, seconds=before + tested.seconds)
        if not settings.quiet:
            note(progress_line(tests[key]))
    return [tested for _, tested in sorted(tests.items(), key=lambda row: row[0])]


def _in_rounds(
    config: SuiteConfig, cases: Sequence[Case], jobs: int, budget: float | None, settings: Settings
) -> Iterator[tuple[Case, Checked]]:
    kept = settings.state != NOWHERE
    clusters = {(case.settings.cluster, case.settings.insecure_cluster) for case in cases}
    address, insecure = clusters.pop() if len(clusters) == 1 else (None, False)
    if address is None:  # none, or several, each for itself
        yield from run_in_rounds(Scheduler(config.root, test_case, jobs, budget), cases, kept)
        return
    from bpor.cluster.lending import Lending

    with Lending(address, insecure) as lending:
        shares = lending.shares

        def act(case: Case) -> Checked:
            return test_case(case, lent=shares.lent_to(case.name))

        yield from run_in_rounds(Scheduler(config.root, act, min(len(cases), shares.size), budget, lender=shares), cases, kept)


def given(settings: Settings) -> dict[str, Any]:
    """What the command line says about every test."""
    fields = ("bound", "max_time", "inconclusive", "uncontrolled", "resume", "cluster", "send_files", "insecure_cluster")
    values = {knob.field: getattr(settings, knob.field) for knob in KNOBS if knob.field in fields}
    return {name: value for name, value in values.items() if value != getattr(Settings(), name)}


def _prepared(case: Case, config: SuiteConfig, settings: Settings) -> Case:
    """Paths on the command line are relative to where we are, those of the file to where it is."""
    suppressions = os.path.abspath(settings.suppressions) if settings.suppressions else _beside(config, config.suppressions)
    if suppressions is not None:
        read_suppressions(suppressions)  # complain once, not once per test
    return replace(
        case,
        started=os.getcwd(),
        settings=replace(
            case.settings,
            suppressions=suppressions,
            corpus=os.path.abspath(settings.corpus) if settings.corpus else _beside(config, config.corpus),
            state=settings.state,
            quiet=True,
        ),
    )


def _beside(config: SuiteConfig, path: str | None) -> str | None:
    return None if path is None else str(config.root / path)
