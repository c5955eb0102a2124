"""With --keep-going a report tells every way to fail, however many executions failed before in another, whoever searches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bpor.cluster import jury
from tests.native.compiled import compiled
from tests.native.random_c import Sentence, c_source
from tests.native.test_cluster import make_cluster, on_cluster
from tests.native.tool import Run, run_inside

HERE = Path(__file__).parent
SEARCH = ("--keep-going", "--bound", "none", "--state", "none")


@pytest.fixture(scope="module")
def program() -> Path:
    return compiled(HERE / "late_failure.c", [])


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with make_cluster() as one:
        yield one.scheduler_address


def said(run: Run) -> tuple[str, list[str], int]:
    return run.report["statement"], [finding["message"] for finding in run.report["findings"]], run.report["executions"]


@pytest.mark.parametrize("options", [("-j", "2"), ("--engine", "python"), ("--bound", "preemption:9")])
def test_a_second_way_to_fail_is_found_behind_a_hundred_failures_of_the_first(program: Path, options: tuple[str, ...]) -> None:
    alone = run_inside(program, (), SEARCH)
    assert "(and 1 more)" in alone.report["statement"] and alone.report["executions"] == 210
    other = run_inside(program, (), [*SEARCH, *options])
    assert other.report["findings"][1]["message"] == alone.report["findings"][1]["message"]
    assert said(other) == said(alone) or "preemption" in options[1]


def test_a_cluster_tells_the_same_ways_to_fail(program: Path, cluster: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jury, "SHARE", 1)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert said(on_cluster(program, cluster, *SEARCH[:-2])) == said(run_inside(program, (), SEARCH))


def test_which_way_is_told_first_does_not_depend_on_the_executions_that_a_table_spared(tmp_path: Path) -> None:
    """Nor on whose table it is: the first one that was met of the shorter way was longer, and a cluster named the other one."""
    (tmp_path / "two_deadlocks.c").write_text(c_source(Sentence(668059804, threads=(4, 4), sections=(2, 4)).threads(), False))
    program, search = compiled(tmp_path / "two_deadlocks.c", ["-Wno-unused-variable"]), (*SEARCH, "--bound", "preemption:1")
    saving, every = run_inside(program, (), search), run_inside(program, (), [*search, "--no-known-steps"])
    assert saving.report["executions"] < every.report["executions"]
    assert "(and 1 more)" in saving.report["statement"] and said(saving)[:2] == said(every)[:2]
