"""For GitHub Actions: annotations (workflow commands on stdout) and a step summary (Markdown).

Invariant: nothing that a program printed or is called can become a command, HTML or Markdown of its own: workflow commands are escaped as
GitHub's toolkit does, the summary shows foreign text as text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from bpor.report.checked import Checked, Standing
from bpor.report.finding import SourceSite
from bpor.report.relative_path import relative_path
from bpor.report.symbols_source import printable
from bpor.report.text import text_report
from bpor.report.verdict import VerdictKind

_SUMMARY_LIMIT = 900_000  # bytes; GitHub drops a summary larger than 1 MiB
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+.!|~@:/-])")


def workflow_commands(tests: Sequence[Checked], root: str | None = None) -> Iterator[str]:
    """One line each. `root`: paths below it are named relative to it."""
    for tested in tests:
        for finding in tested.result.findings:
            level = "notice" if tested.standing is Standing.PASSED else "error"
            yield command(level, f"{tested.name}: {finding}\nReplay: {finding.replay}", finding.summary, finding.site, root)
        if not tested.result.findings and tested.standing is not Standing.PASSED:
            level = "warning" if tested.standing is Standing.SKIPPED or tested.result.verdict.kind is VerdictKind.INCONCLUSIVE else "error"
            yield command(level, f"{tested.name}: {tested.summary}", f"bpor-native: {tested.result.verdict.kind.value}")
        for text in tested.warnings:
            yield command("warning", f"{tested.name}: {text}", "bpor-native")


def command(level: str, message: str, title: str, site: SourceSite | None = None, root: str | None = None) -> str:
    properties = {"title": title}
    if site is not None and site.line:
        properties |= {"file": relative_path(site.file, root), "line": str(site.line)}
    listed = ",".join(f"{name}={_escape(value, ':,')}" for name, value in properties.items())
    return f"::{level} {listed}::{_escape(message)}"


def _escape(text: str, also: str = "") -> str:
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    for char in "%\r\n" + also:
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def step_summary(tests: Sequence[Checked]) -> str:
    lines = ["## bpor-native", "", "| | test | verdict | executions | time |", "|---|---|---|---:|---:|"]
    lines += [_row(tested) for tested in tests]
    size = sum(len(line.encode("utf-8", "replace")) + 1 for line in lines)
    for tested in tests:
        for finding in tested.result.findings:
            block = _details(tested.name, text_report(finding), finding.summary)
            size += len(block.encode("utf-8", "replace"))
            if size > _SUMMARY_LIMIT:
                return "\n".join([*lines, "", "More findings than fit here: see the job's output."]) + "\n"
            lines += ["", block]
    return "\n".join(lines).encode("utf-8", "backslashreplace").decode("utf-8") + "\n"


def _row(tested: Checked) -> str:
    mark = {Standing.PASSED: "✅", Standing.SKIPPED: "⚠️"}.get(tested.standing, "❌")
    search = tested.result.search
    executions = str(search.executions) if search is not None else ""
    return f"| {mark} | {_plain(tested.name)} | {_plain(tested.summary)} | {executions} | {tested.seconds:.1f} s |"


def _details(name: str, text: str, summary: str) -> str:
    return f"<details><summary>{html.escape(printable(f'{name}: {summary}'))}</summary>\n\n<pre>{_preformatted(text)}</pre>\n</details>"


def _preformatted(text: str) -> str:
    """Blank lines would end the HTML block; they carry a no-break space instead."""
    return "\n".join(html.escape(printable(line)) or "&nbsp;" for line in text.splitlines())


def _plain(text: str) -> str:
    """Foreign text in a table cell: neither Markdown nor HTML."""
    return _MARKDOWN.sub(r"\\\1", html.escape(printable(text.splitlines()[0] if text else ""), quote=False))
