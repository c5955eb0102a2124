"""One test of a gate, and what a CI job reads of it: JUnit, SARIF, GitHub's annotations and summary. The same for one test and a suite."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bpor import api
from bpor.cli.state import Kept, note
from bpor.errors import Uncontrolled, UsageError
from bpor.lazy_dataclass import replace
from bpor.report.checked import Checked, gravest
from bpor.report.finding import FindingKind
from bpor.report.output_file import require_writable, write_whole
from bpor.report.result import Result
from bpor.report.verdict import Verdict, VerdictKind
from bpor.search.explorer import Checkpoints, Observer
from bpor.settings import Settings
from bpor.suite.case import Case

if TYPE_CHECKING:
    from bpor.cluster.lending import Lent

_SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"


def test_case(case: Case, observers: Sequence[Observer] = (), lent: Lent | None = None) -> Checked:
    """The corpus first; if nothing of it still fails, the search. `lent`: workers of a suite's cluster."""
    if case.refused:
        raise Uncontrolled(case.refused)
    if case.settings.corpus is not None:
        return _with_corpus(case, case.settings.corpus, observers, lent)
    return Checked(case.name, skipped_by_itself(_searched(case, observers, lent), case.skips_with), case.expect)


def _with_corpus(case: Case, directory: str, observers: Sequence[Observer], lent: Lent | None) -> Checked:
    from bpor.suite.corpus import Corpus, build_now, settled

    settings = case.settings
    corpus = Corpus(directory, case.name)
    replayed, failing = corpus.replay(case.argv, settings)
    if failing is not None:
        return Checked(case.name, failing, case.expect, replayed=replayed)
    result = skipped_by_itself(_searched(case, observers, lent), case.skips_with)
    for path in corpus.add(result.findings, settings, build_now(case.argv)):
        note(f"new finding: {path}")
    return Checked(case.name, result, case.expect, replayed=tuple(settled(one, result) for one in replayed))


def _searched(case: Case, observers: Sequence[Observer], lent: Lent | None) -> Result:
    kept = Kept(case.argv, case.settings, case.place.environment, case.started)
    return kept.keep(_checked(case.argv, case.settings, observers, kept.checkpoints(), lent))


def skipped_by_itself(result: Result, status: int | None) -> Result:
    """A test that ends with the status by which its runner lets it say that it does not apply has not failed, and has tested nothing."""
    findings = result.findings
    if status is None or not findings or not all(one.kind is FindingKind.EXIT and one.trace.end.code == status for one in findings):
        return result
    verdict = Verdict(VerdictKind.UNCONTROLLED, f"the test skips itself: exit status {status}")
    return replace(result, findings=(), verdict=verdict, settings=replace(result.settings, uncontrolled="skip"))


def _checked(
    argv: tuple[str, ...], settings: Settings, observers: Sequence[Observer], checkpoints: Checkpoints | None, lent: Lent | None
) -> Result:
    if settings.cluster is None:
        return api.check(argv, settings, observers=observers, checkpoints=checkpoints)
    return searched_by_cluster(argv, settings, observers, checkpoints, lent)


def searched_by_cluster(
    argv: tuple[str, ...],
    settings: Settings,
    observers: Sequence[Observer] = (),
    checkpoints: Checkpoints | None = None,
    lent: Lent | None = None,
) -> Result:
    from bpor.cluster.members import Members  # with an optional dependency, of a second to load

    with Members(argv, settings, lent) as members:
        there = replace(settings, workers=members.size)
        result = api.check(argv, there, observers=observers, checkpoints=checkpoints, elsewhere=members)
    for loss in members.losses:
        note(f"{loss}; the search went on from what was last saved")
    verdict = result.verdict
    for remark in members.remarks:
        verdict = verdict.after(remark, verdict.next)
    return replace(result, settings=replace(result.settings, workers=1), verdict=verdict)


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
