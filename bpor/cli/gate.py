"""One test of a gate, and what a CI job reads of it: JUnit, SARIF, GitHub's annotations and summary. The same for one test and a suite."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from bpor import api
from bpor.cli.state import Kept, note
from bpor.errors import UsageError
from bpor.report.checked import Checked, gravest
from bpor.report.output_file import require_writable, write_whole
from bpor.report.result import Result
from bpor.search.explorer import Checkpoints, Observer
from bpor.settings import Settings
from bpor.suite.corpus import Corpus, build_now, settled
from bpor.suite.discovery import Case

_SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"


def test_case(case: Case, observers: Sequence[Observer] = ()) -> Checked:
    """The corpus first; if nothing of it still fails, the search."""
    settings = case.settings
    corpus = Corpus(settings.corpus, case.name) if settings.corpus is not None else None
    replayed, failing = corpus.replay(case.argv, settings) if corpus is not None else ((), None)
    if failing is not None:
        return Checked(case.name, failing, case.expect, replayed=replayed)
    kept = Kept(case.argv, settings)
    result = kept.keep(_checked(case.argv, settings, observers, kept.checkpoints()))
    if corpus is not None:
        for path in corpus.add(result.findings, settings, build_now(case.argv)):
            note(f"new finding: {path}")
    return Checked(case.name, result, case.expect, replayed=tuple(settled(one, result) for one in replayed))


def _checked(argv: tuple[str, ...], settings: Settings, observers: Sequence[Observer], checkpoints: Checkpoints | None) -> Result:
    if settings.cluster is None:
        return api.check(argv, settings, observers=observers, checkpoints=checkpoints)
    from bpor.cluster.members import Members  # with an optional dependency, of a second to load

    with Members(argv, settings) as members:
        there = replace(settings, workers=members.size)
        result = api.check(argv, there, observers=observers, checkpoints=checkpoints, elsewhere=members)
    for loss in members.losses:
        note(f"{loss}; the search went on from what was last saved")
    return replace(result, settings=replace(result.settings, workers=1))


def require_reports(settings: Settings) -> None:
    """Raises UsageError for a report that could not be written later."""
    require_writable("--junit", settings.junit)
    require_writable("--sarif", settings.sarif)


def write_reports(tests: Sequence[Checked], settings: Settings, code: int) -> int:
    """The exit code of all, which was `code`. Each form is loaded when it is asked for: together they are a twentieth of the start of
    the tool."""
    junit, sarif = settings.junit, settings.sarif
    if junit is not None:
        from bpor.report.junit import junit_xml

        code = written(code, lambda: write_whole(junit, junit_xml(tests)))
    if sarif is not None:
        from bpor.report.sarif import sarif_text

        code = written(code, lambda: write_whole(sarif, sarif_text(tests)))
    if settings.github:
        from bpor.report.github import step_summary, workflow_commands

        for line in workflow_commands(tests):
            print(line)
        _append_summary(step_summary(tests))
    return code


def written(code: int, write: Callable[[], None]) -> int:
    """The exit code after a report was written. One that cannot be is said in a line, and does not hide a bug that was found."""
    try:
        write()
    except UsageError as error:
        note(str(error))
        return gravest((code, error.exit_code))
    return code


def _append_summary(text: str) -> None:
    """Other steps of the job write there too."""
    path = os.environ.get(_SUMMARY_VARIABLE)
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        note(f"{_SUMMARY_VARIABLE}: {path}: {error.strerror}; the summary is lost, the verdict is not")
