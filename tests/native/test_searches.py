"""Every search runs real programs, and `compare` puts them side by side."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bpor.api import check
from bpor.cli import main
from bpor.errors import UsageError
from bpor.report.result import Result
from bpor.search.registry import IN_PARTS, SEARCHES, SHARED

Program = Callable[..., Path]


@pytest.mark.parametrize(
    ("search", "bound", "traces"),
    [
        ("optimal", None, 15),
        ("optimal", "preemption:0", 14),
        ("optimal:stride", None, 15),
        ("cb-por", "preemption:0", 14),
        ("cb-por", "none", 15),
        ("best-first:pb,random", "preemption:0", 14),
        ("best-first:dpor", "none", 15),
    ],
)
def test_a_search_finds_every_trace_of_a_real_program(
    search: str, bound: str | None, traces: int, program: Program, tmp_path: Path
) -> None:
    path = tmp_path / "result.json"
    words = ["--search", search, *(["--bound", bound] if bound else []), "--keep-going", "--state", "none", "--json", str(path)]
    main([*words, str(program("buggy/deadlock/philosophers.c", "-DN=4"))])
    assert json.loads(path.read_text())["distinct_traces"] == traces


def test_cartesian_search_finds_a_deadlock_and_claims_no_more_than_it_covers(program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--search", "cartesian", "--state", "none", str(program("buggy/deadlock/bank.c"))]) == 1
    assert "deadlock" in capsys.readouterr().out
    assert main(["--search", "cartesian", "--state", "none", str(program("correct/mutex/counter.c"))]) == 0
    assert "pass: every local state of every thread and every deadlock, not every final state; " in capsys.readouterr().out


def test_a_function_of_the_program_is_searched_first(program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    """The deadlock needs a switch inside `transfer`: told so, the search meets it at once."""
    bank = str(program("buggy/deadlock/bank.c"))

    def executions(search: str) -> int:
        assert main(["compare", "--search", search, "--bound", "preemption:2", bank]) == 0
        return int(capsys.readouterr().out.splitlines()[-1].split()[-1])

    assert executions("best-first-all:method:transfer+pb") < executions("dfs")
    assert executions("best-first-all:var:a+pb") != executions("best-first-all:pb")


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_is_run_by_several_processes_or_says_before_it_starts_that_it_is_not(program: Program, name: str) -> None:
    def searched() -> Result:
        bound = "delta:1" if name == "delay" else "none"
        return check([str(program("correct/mutex/counter.c"))], search=name, workers=2, bound=bound, max_executions=20, state="none")

    if name in (*IN_PARTS, *SHARED):
        assert not searched().in_python
    else:
        with pytest.raises(UsageError, match=f"-j 2: --search {name} is run by one process"):
            searched()


def test_compare_prints_a_table_and_writes_a_plot_and_the_numbers(
    program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plot, numbers = tmp_path / "plot.svg", tmp_path / "numbers.json"
    words = ["compare", "--search", "bpor,optimal,dfs", "--bound", "preemption:1", "--plot", str(plot), "--json", str(numbers)]
    assert main([*words, str(program("buggy/deadlock/bank.c"))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["search", "bpor", "optimal", "dfs"]
    assert plot.read_text().startswith("<svg")
    found = {row["search"]: row["counts"]["distinct_traces"] for row in json.loads(numbers.read_text())["searches"]}
    assert found == {"bpor": 3, "optimal": 3, "dfs": 3}


def test_compare_exits_3_if_a_search_did_not_finish(program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "--search", "dfs", "--max-executions", "3", str(program("buggy/deadlock/bank.c"))]
    assert main(words) == 3
    assert "not finished" in capsys.readouterr().out
