"""The verb run, and what every verb does with a result: print it, write the JSON and the page, keep it."""

from __future__ import annotations

import sys
from collections.abc import Callable

from bpor import api
from bpor.cli.arguments import Command
from bpor.cli.state import Kept
from bpor.errors import BporError, UsageError
from bpor.report.json_report import to_text
from bpor.report.observers import ShowOutput
from bpor.report.result import Output, Result
from bpor.report.text import text_report
from bpor.report.verdict import of_error
from bpor.search.explorer import Observer
from bpor.search.result import SearchResult
from bpor.settings import Settings

_SHOWN = 60  # bytes of an output


def run(command: Command) -> int:
    settings = command.settings
    if not command.program:
        raise UsageError("no program given: bpor-native PROGRAM [arguments]")
    observers: list[Observer] = [ShowOutput(_write_raw)] if settings.show_output else []
    return reported(command, lambda: _check(command, observers))


def _check(command: Command, observers: list[Observer]) -> Result:
    kept = Kept(command.program, command.settings)
    result = api.check(command.program, command.settings, observers=observers, checkpoints=kept.checkpoints())
    kept.keep(result)
    return result


def reported(command: Command, act: Callable[[], Result]) -> int:
    """Does it and writes what came of it; with --json also when one of our own faults ended it."""
    settings = command.settings
    _writable(settings.json)
    try:
        result = act()
    except BporError as error:
        _write_json(Result(command.program, settings, of_error(error.exit_code, str(error))))
        raise
    _write_json(result)
    _print(result, settings)
    return result.exit_code


def _print(result: Result, settings: Settings) -> None:
    for finding in result.findings:
        print(text_report(finding, colour=sys.stdout.isatty()).rstrip("\n"), end="\n\n")
    for number, site in enumerate(result.stack):
        print(f"  #{number} {site.with_function}  {site.source}".rstrip())
    for output in result.outcomes:
        print(_output(output))
    if result.search is not None and not settings.quiet:
        print(_numbers(result.search))
    print(result.verdict.statement)


def _output(output: Output) -> str:
    """One line each; the whole text is in the JSON."""
    text = repr(output.stdout[:_SHOWN].decode("utf-8", "replace"))
    return f"outcome, {output.count} times: {text}{' ...' * (output.truncated or len(output.stdout) > _SHOWN)}"


def _numbers(search: SearchResult) -> str:
    counts = search.counts
    traces = f"{'about ' * counts.traces_estimated}{counts.distinct_traces} distinct"
    wasted = counts.redundant + counts.over_bound
    executed = f"{search.executions} executions ({traces}, {wasted} redundant)"
    return f"{executed}, {counts.threads} threads, {counts.steps} steps, {search.seconds:.2f} s"


def _writable(path: str | None) -> None:
    """Known before the search, not after ten minutes of it."""
    if path is None:
        return
    try:
        open(path, "a").close()
    except OSError as error:
        raise UsageError(f"--json {path}: {error.strerror}") from None


def _write_json(result: Result) -> None:
    if result.settings.json is not None:
        # An argument that is no UTF-8 holds lone surrogates; backslashreplace writes them as JSON does.
        with open(result.settings.json, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(to_text(result))


def _write_raw(text: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()
