"""The comparison with other tools: what is in its table, and what its programs are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks.growth import LAWS, row
from benchmarks.peers.rows import ROWS, TRIVIAL, Row
from benchmarks.peers.run import Run, cell, least_of, markdown
from benchmarks.peers.tools import GenMC, McMini, Ours, Relacy, Tool

GENMC = GenMC("genmc")


@pytest.mark.parametrize("row", (TRIVIAL, *ROWS), ids=lambda row: row.name)
def test_each_program_is_plain_c_that_every_tool_can_take(row: Row) -> None:
    subprocess.run(["cc", "-std=gnu11", "-Wall", "-Werror", "-fsyntax-only", *row.defines, row.source], check=True)


def test_what_a_tool_needs_to_start_is_taken_off() -> None:
    one = cell(GENMC, Run(0.75, 0, "Number of complete executions explored: 90\n"), Run(0.25, 0, ""))
    assert (one["seconds"], one["searching"], one["executions"]) == (0.75, 0.5, "90")


def test_executions_that_were_given_up_are_counted_beside_the_others() -> None:
    output = "Number of complete executions explored: 2640\nNumber of blocked executions seen: 3810\n"
    assert GENMC.executions(output) == "2640 + 3810"
    assert Ours().executions("25680 executions (25680 distinct, 0 redundant), 4 threads") == "25680"
    assert Ours().executions("1 execution, 2 threads") == "1"
    assert McMini("mcmini").executions("Number of traces: 6\n") == "6"


def test_a_tool_has_no_row_of_a_program_that_it_cannot_see(tmp_path: Path) -> None:
    treiber = next(row for row in ROWS if row.program == "treiber")
    assert McMini("mcmini").prepare(treiber, tmp_path) is None
    assert Relacy(tmp_path).prepare(treiber, tmp_path) is None


class Fixed(Tool):
    """Prints what it is told to, or never ends."""

    def __init__(self, name: str, *argv: str) -> None:
        self.name = name
        self.argv = list(argv)

    def prepare(self, row: Row, directory: Path) -> list[str]:
        return self.argv

    def executions(self, output: str) -> str:
        return output.strip()


def test_the_table_has_a_column_for_each_tool_and_a_row_for_each_program(tmp_path: Path) -> None:
    tools = [Fixed("ours", "echo", "5"), Fixed("theirs", "echo", "7")]
    start = least_of(2, tools, TRIVIAL, tmp_path)
    table = {row.name: {tool.name: cell(tool, start[tool.name], start[tool.name]) for tool in tools} for row in (TRIVIAL, *ROWS)}
    del table[ROWS[0].name]["theirs"]
    table[ROWS[1].name]["theirs"] = cell(tools[1], None, start["theirs"])
    lines = markdown(table, tools).splitlines()
    assert lines[0] == "| program | ours | theirs |"
    assert lines[3] == "| mutex 4x2 | 0.010 (5) | - |"
    assert lines[4] == "| lost update 3x2 | 0.010 (5) | > 30 s |"
    assert lines[5] == "| lost update 2x5 | 0.010 (5) | 0.010 (7) |"
    assert len(lines) == 3 + len(ROWS)


@pytest.mark.parametrize("dear", [False, True], ids=["linear", "quadratic"])
def test_a_curve_that_breaks_its_law_is_told(dear: bool) -> None:
    costs = {"pages": {size: 1e-5 + 1e-9 * size * (size if dear else 1) for size in (1, 10, 100, 1000)}}
    assert row(LAWS["pages"], costs)["holds"] is not dear
