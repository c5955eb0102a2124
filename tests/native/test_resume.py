"""--resume: a search that is killed goes on, and ends as if nothing had happened."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bpor
from bpor.search.resume import thaw
from bpor.store.checkpoints import SqliteCheckpoints
from bpor.store.pieces import Pieces
from tests.native.compiled import ROOT
from tests.native.tool import command, environment, run_words
from tests.patience import PATIENCE, eventually

COUNTER = "correct/mutex/counter.c"
KILLS = int(os.environ.get("BPOR_TEST_KILLS", "10"))  # make soak: 50
EXECUTIONS = 160 * KILLS
SCRIPT = Path(__file__).with_name("resumable.py")


def saved(database: Path) -> dict[str, Any]:
    read = Pieces(database).read()
    return {"executions": 0} if read is None else thaw(*read[1])  # None: killed before the first checkpoint


def traces(state: dict[str, Any]) -> set[int]:
    return set(array("Q", state["strategy"]["total"]["traces"]["slots"])) - {0}


def life(program: Path, database: Path, executions: int = EXECUTIONS, engine: str = "python") -> subprocess.Popen[bytes]:
    words = [sys.executable, str(SCRIPT), str(program), str(database), str(executions), engine]
    return subprocess.Popen(words, env=environment(), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def written(database: Path) -> int:
    """When; 0: it is not there. A search that was killed before its first checkpoint leaves an empty one, which the next search removes."""
    try:
        return database.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def kill_after_a_checkpoint(process: subprocess.Popen[bytes], database: Path, generator: random.Random) -> None:
    """At any moment soon after the state was written anew: while it is read, written, or while an execution runs."""
    before = written(database)
    eventually(lambda: process.poll() is not None or written(database) not in (0, before), "a checkpoint")
    time.sleep(generator.random() * 0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()


@pytest.mark.slow
def test_kills_and_a_resume_give_the_traces_of_one_run(program: Callable[..., Path], tmp_path: Path) -> None:
    binary = program(COUNTER, "-DTHREADS=5")
    whole = life(binary, tmp_path / "whole.sqlite")
    output = whole.communicate(timeout=PATIENCE)[0]
    assert whole.returncode == 0, output
    generator, killed = random.Random(4), 0
    database = tmp_path / "parts.sqlite"
    progress = []
    for _ in range(KILLS):
        process = life(binary, database)
        kill_after_a_checkpoint(process, database, generator)
        killed += process.returncode == -signal.SIGKILL
        progress.append(saved(database)["executions"])
    assert killed == KILLS, "the search was finished too early for all the kills"
    assert progress == sorted(progress)
    assert KILLS // 5 < progress[-1] < EXECUTIONS
    last = life(binary, database)
    output = last.communicate(timeout=PATIENCE)[0]
    assert last.returncode == 0, output
    one, parts = saved(tmp_path / "whole.sqlite"), saved(database)
    assert len(traces(one)) > EXECUTIONS * 0.9
    assert traces(parts) == traces(one)
    assert (parts["executions"], parts["strategy"]) == (one["executions"], one["strategy"])


@pytest.mark.slow
def test_kills_and_a_resume_beside_the_program_give_the_traces_of_one_run(program: Callable[..., Path], tmp_path: Path) -> None:
    binary, generator, database = program(COUNTER, "-DTHREADS=5"), random.Random(5), tmp_path / "parts.sqlite"
    kills = 0
    while kills < 3 or saved(database)["executions"] == 0:  # an early kill comes before the first checkpoint
        kill_after_a_checkpoint(life(binary, database, 40_000, "native"), database, generator)
        kills += 1
        assert kills < 50, "nothing is ever saved"
    assert saved(database)["executions"] < 40_000
    last = life(binary, database, 40_000, "native")
    output = last.communicate(timeout=PATIENCE)[0]
    assert last.returncode == 0, output
    assert saved(database)["executions"] == len(traces(saved(database))) == 40_000


def report(directory: Path, *words: str | Path) -> dict[str, Any]:
    run = run_words(directory, *words, "--json", "r.json")
    assert run.returncode in (0, 1, 3), run.stderr
    document: dict[str, Any] = json.loads((directory / "r.json").read_text())
    return document


def test_what_a_budget_stopped_goes_on_where_it_was(program: Callable[..., Path], tmp_path: Path) -> None:
    binary = program(COUNTER, "-DTHREADS=3")
    whole = report(tmp_path, binary, "--bound", "none", "--state", "elsewhere")
    assert whole["executions"] > 12
    first = report(tmp_path, binary, "--bound", "none", "--max-executions", "5")
    second = report(tmp_path, binary, "--bound", "none", "--max-executions", "12", "--resume")
    last = report(tmp_path, binary, "--bound", "none", "--resume")
    assert (first["executions"], second["executions"]) == (5, 12)
    for key in ("verdict", "executions", "distinct_traces", "local_states", "redundant", "steps", "levels"):
        assert last[key] == whole[key], key


@pytest.mark.parametrize("search", ("best-first:dpor,random", "cb-por", "optimal"))
def test_every_search_that_is_complete_goes_on_where_it_was(search: str, program: Callable[..., Path], tmp_path: Path) -> None:
    binary = program(COUNTER, "-DTHREADS=3")

    def run(most: int | None, database: str) -> bpor.Result:
        checkpoints = SqliteCheckpoints(tmp_path / database, "the same search", True, lambda text: None, interval=0)
        return bpor.check([str(binary)], search=search, bound="none", max_executions=most, checkpoints=checkpoints)

    whole = run(None, "whole.sqlite")
    first, last = run(9, "parts.sqlite"), run(None, "parts.sqlite")
    assert first.search.executions == 9 < last.search.executions == whole.search.executions
    assert (last.search.counts, last.search.exhausted) == (whole.search.counts, True)


def test_a_search_that_was_finished_has_nothing_left(program: Callable[..., Path], tmp_path: Path) -> None:
    binary = program(COUNTER, "-DTHREADS=2")
    once = report(tmp_path, binary)
    again = report(tmp_path, binary, "--resume")
    assert (again["verdict"], again["executions"]) == (once["verdict"], once["executions"])


@pytest.mark.parametrize("known", [(), ("--no-known-steps",)])
def test_findings_of_before_are_findings_of_after(program: Callable[..., Path], tmp_path: Path, known: tuple[str, ...]) -> None:
    """What was known is not saved, so that a few steps are executed again; without known steps, none."""
    binary = program("buggy/deadlock/philosophers.c")
    words = (binary, "--bound", "preemption:2", "--keep-going", *known)
    whole = report(tmp_path, *words, "--state", "elsewhere")
    number = report(tmp_path, binary, "--bound", "preemption:2", *known)["executions"]  # to the first finding
    assert report(tmp_path, *words, "--max-executions", str(number))["findings"]
    last = report(tmp_path, *words, "--resume")
    assert number < whole["executions"]
    assert [f["summary"] for f in last["findings"]] == [f["summary"] for f in whole["findings"]]
    assert last["distinct_traces"] == whole["distinct_traces"] and last["executions"] >= whole["executions"]
    assert last["executions"] == whole["executions"] or not known


def test_another_program_or_another_bound_begins_anew_and_says_so(program: Callable[..., Path], tmp_path: Path) -> None:
    one = program(COUNTER, "-DTHREADS=2")
    other = program(COUNTER, "-DTHREADS=3")
    (tmp_path / "t").write_bytes(one.read_bytes())
    os.chmod(tmp_path / "t", 0o700)
    assert run_words(tmp_path, "./t", "--bound", "none", "--max-executions", "2").returncode == 3
    run = run_words(tmp_path, "./t", "--bound", "preemption:1", "--max-executions", "2", "--resume")
    assert "begins anew" in run.stderr
    (tmp_path / "t").write_bytes(other.read_bytes())
    run = run_words(tmp_path, "./t", "--bound", "preemption:1", "--max-executions", "2", "--resume")
    assert "begins anew" in run.stderr
    assert "2 executions" in run.stdout


def test_ctrl_c_reports_what_was_covered_and_can_be_resumed(program: Callable[..., Path], tmp_path: Path) -> None:
    """With states recognised it would be over before anybody could interrupt it."""
    words = (program(COUNTER, "-DTHREADS=6"), "--match=off")
    process = subprocess.Popen(command(*words), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    eventually(lambda: list(tmp_path.rglob("search.sqlite")), "a checkpoint")
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3, stderr
    assert "interrupted after" in stdout.splitlines()[-1]
    before = int(stdout.split(" executions (")[0].split()[-1])
    after = report(tmp_path, *words, "--resume", "--max-executions", str(before + 5))
    assert after["executions"] == before + 5
    assert after["distinct_traces"] > 0
