"""The verb run, and what every verb does with a result: print it, write the JSON and the page, keep it."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from bpor.checking import why_in_python
from bpor.cli.arguments import Command
from bpor.cli.gate import require_reports, test_case, write_reports, written
from bpor.cli.named import require_names
from bpor.cli.python import become_pytest, becomes_pytest, behind_shim, build_and_become_pytest, started_as_pytest
from bpor.cli.state import note
from bpor.errors import BporError, UsageError
from bpor.lazy_dataclass import replace
from bpor.report.checked import Checked, gravest
from bpor.report.counted import counted, estimated
from bpor.report.observers import ShowOutput
from bpor.report.output_file import require_writable, write_whole
from bpor.report.progress import ShowProgress
from bpor.report.result import Output, Result
from bpor.report.verdict import of_error
from bpor.search.bounds.effects import without_effect
from bpor.search.bounds.grammar import parse_bound
from bpor.search.explorer import Observer
from bpor.search.result import SearchResult
from bpor.settings import KNOBS, Settings
from bpor.suite.case import Case
from bpor.suite.gtest import require_tests

if TYPE_CHECKING:
    from bpor.report.coverage_curve import CoverageCurve, CurvePoint
    from bpor.report.text_line import Line

_NARROWEST, _WIDEST = 40, 100  # columns
_SHOWN = 60  # bytes of an output
_BUILD_TOOLS = ("make", "gmake", "ninja")
_IN_FRONT_OF_MAKE = (
    "{tool} is searched itself, with one of the tests that it starts; for all of them: bpor-native build {tool} ...,"
    " then bpor-native suite PROGRAM ... (docs/ci.md, In front of a test)"
)


def run(command: Command) -> int:
    settings = command.settings
    if not command.program:
        raise UsageError("no program given: bpor-native PROGRAM [arguments]")
    for knob in KNOBS:
        if "run" not in knob.verbs and getattr(settings, knob.field) != knob.default:
            verb = "replay last" if knob.verbs[0] == "replay" else knob.verbs[0]
            raise UsageError(f"{knob.flag} belongs to {knob.verbs[0]}: bpor-native {verb} {knob.flag}")
    if _asks_for_tests(command.program):
        os.execvp(command.program[0], command.program)
    if os.path.basename(command.program[0]) in _BUILD_TOOLS:
        note(_IN_FRONT_OF_MAKE.format(tool=os.path.basename(command.program[0])))
    command = behind_shim(command)
    if started_as_pytest(command.program):
        build_and_become_pytest(command)
    if becomes_pytest(command.program):
        become_pytest(command)
    observers: list[Observer] = [ShowOutput(_write_raw)] if settings.show_output else []
    curve = _curve() if settings.html is not None else None
    observers += [curve] if curve is not None else []
    require_reports(settings)
    require_names([(command.program, settings)])
    require_tests(command.program, os.environ)
    if settings.self_check:
        from bpor.cli.self_check import self_check

        return self_check(command)
    tests: list[Checked] = []

    def act() -> Result:
        tests.append(_check(command, observers))
        return tests[0].result

    begun, beforehand = time.monotonic(), why_in_python(settings)
    wants_more = settings.engine == "native" or settings.workers > 1 or settings.cluster is not None
    if beforehand and wants_more:
        note(f"searched in Python, by one process: {beforehand}")
    code = reported(command, act, curve)
    in_python = tests[0].result.in_python
    if in_python and in_python != beforehand and wants_more:
        note(f"searched in Python, by one process: {in_python}")
    if by_one := tests[0].result.by_one:
        note(f"searched by one process: {by_one}")
    for text in _options_without_effect(settings):
        note(text)
    for text in dict.fromkeys((*map(str, tests[0].replayed), *tests[0].warnings)):
        if text not in tests[0].result.verdict.statement:
            note(text)
    code = code or (tests[0].exit_code if tests[0].spoilt else 0)
    return write_reports([replace(tested, seconds=time.monotonic() - begun) for tested in tests], settings, code)


def _curve() -> CoverageCurve:
    from bpor.report.coverage_curve import CoverageCurve  # for a page

    return CoverageCurve()


def _options_without_effect(settings: Settings) -> list[str]:
    parts = {
        "--no-sleep-sets": settings.sleep_sets,
        "--no-transitive-reduction": settings.transitive_reduction,
        "--no-bound-optimisation": settings.bound_optimisation,
        "--no-known-steps": settings.known_steps,
    }
    bound = None if settings.bound is None else parse_bound(settings.bound)
    return without_effect(settings.search, bound, [option for option, on in parts.items() if not on])


def _asks_for_tests(program: Sequence[str]) -> bool:
    if len(program) == 1:
        return False
    from bpor.suite.frameworks import asks_for_tests

    return asks_for_tests(program)


def _check(command: Command, observers: list[Observer]) -> Checked:
    case = Case(os.path.basename(command.program[0]), command.program, command.settings)
    with nullcontext() if command.settings.quiet else ShowProgress(sys.stderr) as progress:
        return test_case(case, [*observers, *([progress] if progress is not None else [])])


def reported(command: Command, act: Callable[[], Result], curve: CoverageCurve | None = None) -> int:
    """Does it and writes what came of it; with --json also when one of our own faults ended it. `curve` saw the search, for the page."""
    settings = command.settings
    require_writable("--json", settings.json)
    require_writable("--html", settings.html)
    try:
        result = act()
    except BporError as error:
        _write_json(Result(command.program, settings, of_error(error.exit_code, str(error))))
        raise
    code = result.exit_code
    try:
        _print(result, settings)
        sys.stdout.flush()
    except OSError as error:  # what was found is written even if nobody listens, and the exit code tells it all the same
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if not isinstance(error, BrokenPipeError):  # `| head`: who listened knows enough
            note(f"the report cannot be printed: {error.strerror}")
            code = gravest((code, UsageError.exit_code))
    return written(written(code, lambda: _write_json(result)), lambda: _write_html(result, curve.points if curve is not None else ()))


def _print(result: Result, settings: Settings) -> None:
    if result.execution is not None and settings.print_trace:
        from bpor.report.listing import all_steps  # of replays only

        show(all_steps(result.execution, width()))
        print()
    if result.execution is not None and settings.step:
        from bpor.cli.stepping import step_through

        step_through(result.execution, show, width())
    for finding in result.findings:
        from bpor.report.text import text_report  # a pass needs none of it

        print(text_report(finding, width=width(), colour=in_colour(), ascii_only=ascii_only()).rstrip("\n"), end="\n\n")
    for number, site in enumerate(result.stack):
        print(f"  #{number} {site.with_function}  {site.source}".rstrip())
    for output in result.outcomes:
        print(_output(output))
    if result.search is not None and not settings.quiet:
        print(_numbers(result.search))
    for words in _poorer(result):
        print(_printable(words))
    print(_printable(result.verdict.statement))


def _poorer(result: Result) -> list[str]:
    """What a damaged file kept from this report."""
    modules = result.census.modules if result.census is not None else ()
    damaged = [f"note: {module.elf.path} is damaged ({', '.join(module.elf.damage)})" for module in modules if module.elf.damage]
    symbols = sys.modules.get("bpor.report.symbols")  # if it was not needed nothing was read
    paths = symbols.unreadable() if symbols is not None else []
    found = [f"note: the debug information of {path} cannot be read whole" for path in paths]
    return [f"{note}: names and lines may be missing" for note in damaged + found]


def show(lines: Iterable[Line]) -> None:
    """On a terminal in colour; everywhere in what it can print."""
    from bpor.report.text_line import coloured, plain

    shown = list(lines)
    text = coloured(shown) if in_colour() else plain(shown)
    print(_printable(text), end="")


def _printable(text: str) -> str:
    """In what the terminal can show."""
    if not ascii_only():
        return text
    from bpor.report.text_line import in_ascii

    return in_ascii(text.replace("≤", "<="))


def in_colour() -> bool:
    """On a terminal, unless it or its user wants none (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """What a terminal has, within reason; a file or a pipe gets what a report is written for."""
    return max(min(shutil.get_terminal_size().columns, _WIDEST), _NARROWEST) if sys.stdout.isatty() else _WIDEST


def ascii_only() -> bool:
    """Whoever reads us knows no more, or says so: Python itself takes LC_ALL=C for UTF-8."""
    if os.environ.get("LC_ALL") in ("C", "POSIX"):
        return True
    try:
        "≤─…→●".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def _output(output: Output) -> str:
    """One line each; the whole text is in the JSON."""
    text = repr(output.stdout[:_SHOWN].decode("utf-8", "replace"))
    return f"outcome, {counted(output.count, 'time')}: {text}{' ...' * (output.truncated or len(output.stdout) > _SHOWN)}"


def _numbers(search: SearchResult) -> str:
    counts = search.counts
    if not counts.executions and search.failures:
        return f"{counted(search.executions, 'execution')} before the search, {search.seconds:.2f} s"
    traces = f"{estimated(counts.distinct_traces, counts.traces_error)} distinct"
    if counts.matched:  # what would have followed there was not run, so traces were not counted
        traces = f"{counts.matched} to a known state"
    traces += f", {counts.repeated} repeated" if counts.repeated else ""
    beyond = f", {counts.over_bound} over the bound" if counts.over_bound else ""
    beyond += f", {counts.assumed} assumed away" if counts.assumed else ""
    executed = f"{counted(search.executions, 'execution')} ({traces}, {counts.redundant + counts.asked} redundant{beyond})"
    return f"{executed}, {counted(counts.threads, 'thread')}, {counted(counts.steps, 'step')}, {search.seconds:.2f} s"


def _write_json(result: Result) -> None:
    if result.settings.json is not None:
        from bpor.report.json_report import to_text

        write_whole(result.settings.json, to_text(result))  # an argument that is no UTF-8 holds lone surrogates, written as JSON does


def _write_html(result: Result, curve: Sequence[CurvePoint]) -> None:
    if result.settings.html is not None:
        from bpor.report.html import html_page  # jinja2 is not needed otherwise

        write_whole(result.settings.html, html_page(result, curve))


def _write_raw(text: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()
