"""What an execution changes outside its process and its TMPDIR is as it was when the next one begins, and when the search is over."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from bpor import check
from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native.compiled import compiled

SOURCE = Path(__file__).parent / "left_behind.c"
KINDS = re.findall(r'^    \{"([a-z-]+)", ', SOURCE.read_text(), re.MULTILINE)
EXECUTIONS = 3
NAME, KEY = f"/bpor-native-left-{os.getpid()}", 0x62700000 | os.getpid() & 0xFFFF  # other workers run the same programs


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "place"
    lay_out(place)
    monkeypatch.chdir(place)
    monkeypatch.setenv("MEMORY_NAME", NAME)
    monkeypatch.setenv("MEMORY_KEY", str(KEY))


def lay_out(place: Path) -> None:
    (place / "tree").mkdir(parents=True)
    (place / "there").write_text("old")
    (place / "tree" / "inside").write_text("tree's")
    (place / "link").symlink_to("there")


def program(kind: str) -> list[str]:
    return [str(compiled(SOURCE)), kind]


def picture(place: Path) -> list[tuple[object, ...]]:
    """Everything in a directory, as far as a program can see it."""
    found: list[tuple[object, ...]] = []
    for path in sorted(place.rglob("*")):
        facts = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
        found.append((str(path.relative_to(place)), facts.st_mode, content, facts.st_mtime_ns if path.is_file() else 0))
    return found


def uncontrolled(kind: str, tmp_path: Path) -> bytes:
    lay_out(tmp_path / "other")
    output = subprocess.run(program(kind), cwd=tmp_path / "other", capture_output=True).stdout
    remove_memory()
    return output


def remove_memory() -> None:
    """What the programs leave when nobody cleans up after them."""
    Path(f"/dev/shm{NAME}").unlink(missing_ok=True)
    subprocess.run(["ipcrm", "-M", str(KEY)], capture_output=True)


@pytest.mark.parametrize("reset", ["exec", "fork", "auto"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_execution_finds_what_the_first_one_found(kind: str, reset: str, tmp_path: Path) -> None:
    expected, before = uncontrolled(kind, tmp_path), picture(Path())
    with NativeExecutor(program(kind), TargetOptions(reset=reset)) as executor:
        ends = [executor.run(Plan()).end for _ in range(EXECUTIONS)]
    outcome = Outcome.KILLED if kind == "killed" else Outcome.PASSED
    assert [(end.outcome, end.stdout) for end in ends] == [(outcome, expected)] * EXECUTIONS
    assert picture(Path()) == before
    assert not Path(f"/dev/shm{NAME}").exists()
    assert f"{KEY:#010x}" not in subprocess.run(["ipcs", "-m"], capture_output=True, text=True).stdout


@pytest.mark.parametrize("workers", [1, 2])
def test_a_search_beside_a_program_that_writes_files_ends_like_one_in_python(workers: int) -> None:
    before = picture(Path())
    results = [check(program("renamed"), bound="preemption:1", engine=engine, workers=workers) for engine in ("auto", "python")]
    assert [result.exit_code for result in results] == [0, 0]
    assert results[0].search is not None and results[1].search is not None
    assert not results[0].in_python and bool(results[0].by_one) == (workers > 1)
    assert results[0].search.executions == results[1].search.executions > 1
    assert picture(Path()) == before


def test_a_file_that_is_too_large_to_be_put_back_is_refused_by_name() -> None:
    with open("there", "wb") as file:
        file.truncate(65 << 20)
    result = check(program("file"), bound="preemption:1")
    assert result.exit_code == 4
    assert "/there would be changed by every execution, and it is larger than 64 MiB" in result.verdict.statement
