"""GitHub's annotations as its own toolkit writes them (actions-toolkit), and a summary that a Markdown parser reads as text."""

from __future__ import annotations

import contextlib
import io
from dataclasses import replace
from itertools import pairwise

import pytest
from actions_toolkit import core
from markdown_it import MarkdownIt

from bpor.report.finding import SourceSite
from bpor.report.github import command, step_summary, workflow_commands
from bpor.report.verdict import VerdictKind
from tests.unit.gate_examples import HERE, HOSTILE, bug, deadlock, ended, passed

TEXTS = ["plain", "100% of a, b: c", "two\nlines\r\n", "::error::no", HOSTILE.replace("\udcff", "")]


def by_the_toolkit(level: str, message: str, **properties: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        getattr(core, level)(message, **properties)
    return out.getvalue().removesuffix("\n")


def parsed(line: str) -> tuple[str, dict[str, str], str]:
    """The command, its properties without order (the toolkit also writes empty ones), the message: all still escaped."""
    _, head, message = line.split("::", 2)
    name, _, properties = head.partition(" ")
    return name, {key: value for key, _, value in (pair.partition("=") for pair in properties.split(",")) if value}, message


@pytest.mark.parametrize("level", ["error", "warning", "notice"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_command_is_escaped_as_the_toolkit_does_it(level: str, text: str) -> None:
    assert parsed(command(level, text, text)) == parsed(by_the_toolkit(level, text, title=text))


def test_a_finding_stands_at_its_line_relative_to_the_checkout() -> None:
    (line,) = workflow_commands([bug()], "/src")
    _, properties, message = parsed(line)
    assert line.startswith("::error ")
    assert (properties["file"], properties["line"]) == ("bank.c", "20")
    assert message.startswith("bank: deadlock")


@pytest.mark.parametrize(
    ("tested", "levels"),
    [
        (passed(), []),
        (bug(expected="bug"), ["notice"]),
        (ended(VerdictKind.INCONCLUSIVE), ["warning"]),
        (ended(VerdictKind.UNCONTROLLED), ["error"]),
        (ended(VerdictKind.UNCONTROLLED, uncontrolled="skip"), ["warning"]),
    ],
)
def test_the_level_tells_how_grave_it_is(tested: object, levels: list[str]) -> None:
    assert [parsed(line)[0] for line in workflow_commands([tested])] == levels  # type: ignore[list-item]


def test_nothing_hostile_becomes_a_command_of_its_own() -> None:
    tested = bug(HOSTILE, replace(deadlock(SourceSite(f"/src/{HOSTILE.replace(chr(0), '')}", 1, HOSTILE)), message=HOSTILE))
    for line in workflow_commands([tested], "/src"):
        assert "\n" not in line and "\r" not in line
        assert line.startswith("::error ")
        line.encode("utf-8")


def cells(text: str) -> list[list[str]]:
    """The rows of the table, as text."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    rows: list[list[str]] = []
    for before, token in pairwise(tokens):
        if before.type == "tr_open":
            rows.append([])
        if token.type == "inline" and before.type in ("td_open", "th_open"):
            rows[-1].append("".join(child.content for child in token.children or ()))
            assert {child.type for child in token.children or ()} <= {"text", "text_special"}
    return rows


def test_the_summary_is_a_table_with_a_row_per_test() -> None:
    rows = cells(step_summary([bug(), passed(), ended(VerdictKind.INCONCLUSIVE)]))
    assert [row[0:2] for row in rows[1:]] == [["❌", "bank"], ["✅", "counter"], ["❌", "odd"]]


def test_hostile_names_in_the_summary_stay_text() -> None:
    hostile = HOSTILE.replace("\n", " ")
    text = step_summary([bug(hostile, replace(deadlock(replace(HERE, source=HOSTILE)), message=HOSTILE)), passed()])
    text.encode("utf-8")
    assert "<script>" not in text
    assert "<script>alert(1)</script>" in cells(text)[1][1]
    html = [t.content for t in MarkdownIt("gfm-like", {"linkify": False}).parse(text) if t.type == "html_block"]
    assert html and all("<script" not in block for block in html)


def test_a_summary_never_grows_beyond_what_github_takes() -> None:
    many = [bug(f"test{number}", replace(deadlock(), replay="x" * 50_000)) for number in range(40)]
    text = step_summary(many)
    assert len(text.encode()) < 1 << 20
    assert "More findings than fit here" in text
