"""The lines that a report asks its reader to type: short, and each does what it says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from bpor.model.schedule import Schedule
from bpor.store.finding_file import FindingFile
from bpor.store.short_names import LONGEST, is_short_name, short_name
from tests.golden.scenario import PROGRAMS, compile_program
from tests.native.tool import Run, run_command
from tests.patience import PATIENCE

pytestmark = pytest.mark.needs("gcc")


def tool(place: Path, *words: str) -> Run:
    return run_command(*words, directory=place)


def replay_line(run: Run) -> str:
    lines = run.stdout.splitlines()
    return lines[lines.index("See it again") + 1].strip()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("turns")
    compile_program("turns.c", directory)
    return directory


def test_a_long_schedule_has_a_short_name_that_works_here_and_elsewhere(place: Path) -> None:
    found = tool(place, "-q", "./turns", "--bound", "fair:2,preemption:1")
    line = replay_line(found)
    *_, name, _, program = line.split()
    assert (len(line) <= LONGEST, line, program) == (True, f"bpor-native replay {name} -- ./turns", "./turns")
    assert is_short_name(name)
    again = tool(place, "replay", name)
    assert again.exit_code == 1 and "bug: assertion turns.c" in again.stdout
    elsewhere = place / "another checkout"
    elsewhere.mkdir()
    shutil.copy(next(place.glob(".bpor/turns-*/finding-1.json")), elsewhere / "from the mail.json")
    assert "bug: assertion turns.c" in tool(elsewhere, "replay", name, "--", "../turns").stdout
    untold = tool(elsewhere, "replay", name)
    assert untold.exit_code == 2 and "a file does not say what to run" in untold.stderr
    assert tool(elsewhere, "replay", "zzzzz", "--", "../turns").exit_code == 2


def test_without_a_place_to_keep_it_the_line_has_the_schedule(place: Path) -> None:
    found = tool(place, "-q", "./turns", "--bound", "fair:2,preemption:1", "--state", "none")
    assert len(replay_line(found)) > LONGEST


def test_a_name_depends_on_the_schedule_and_on_its_meaning_alone() -> None:
    plain = FindingFile("deadlock", "x", Schedule.parse("0*2,1,2"))
    assert short_name(plain) == short_name(FindingFile("race", "y", Schedule.parse("0,0,1,2")))
    others = [FindingFile("", "", Schedule.parse(f"0*{count}")) for count in range(1, 200)]
    names = {short_name(file) for file in others} | {
        short_name(plain),
        short_name(FindingFile("", "", plain.schedule, options=(("gil", "off"),))),
    }
    assert len(names) == 201
    assert all(map(is_short_name, names)) and not any(map(is_short_name, ("last", "0*2,1", "0", "q7x2", "finding-1.json", "1abcd")))


def test_a_search_that_ran_out_of_room_is_gone_on_with(place: Path) -> None:
    """Only where it was kept: the line must not promise what is not there."""
    (place / "right.c").write_text((PROGRAMS / "turns.c").read_text().replace("sum < 2", "sum <= 2"))
    subprocess.run(["gcc", "-g", "-pthread", "right.c", "-o", "right"], cwd=place, check=True, timeout=PATIENCE)
    cut = tool(place, "-q", "./right", "--bound", "fair:2,preemption:2", "--max-executions", "3")
    line = cut.stdout.partition("; next: ")[2].strip()
    assert line == "bpor-native --bound=fair:2,preemption:2 --max-executions=12 --resume --quiet -- ./right"
    unkept = tool(place, "-q", "./right", "--bound", "fair:2,preemption:2", "--max-executions", "3", "--state", "none")
    assert "next: bpor-native" in unkept.stdout and "--resume" not in unkept.stdout
