"""The same reports from real executions: what was written by hand in stories.py is what the runtime really tells."""

from __future__ import annotations

import os
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from bpor import api
from bpor.report.finding import Finding
from bpor.report.text import text_report
from tests.golden.scenario import PROGRAMS, compile_program
from tests.golden.stories import crossed_locks
from tests.patience import PATIENCE

REPORTS = Path(__file__).parent / "reports"
pytestmark = pytest.mark.needs("gcc")


def found(program: Path, **knobs: object) -> Finding:
    result = api.check([str(program)], **knobs)  # type: ignore[arg-type]
    assert len(result.findings) == 1
    return result.findings[0]


def test_a_real_deadlock_reads_as_the_written_one(tmp_path: Path) -> None:
    program = compile_program("bank.c", tmp_path)
    finding = found(program)
    text = text_report(replace(finding, why=None))  # what makes the difference is not part of the execution that was written down
    written = f"bpor-native replay {shlex.quote('0*2,1,2')} -- {program}"
    assert text.replace(written, "bpor-native replay 0*2,1,2 -- ./bank") == (REPORTS / "crossed_locks.txt").read_text()
    assert "It passes if bank.c:16 (T2: lock alice.lock) runs before bank.c:15 (T1: lock alice.lock)." in text_report(finding)


def test_a_real_livelock_reads_as_the_written_one(tmp_path: Path) -> None:
    """Its count is a data race that nobody sees in a program that is not instrumented; without it the livelock is proved."""
    source = (PROGRAMS / "polite.c").read_text().replace("        retries++;\n", "        (void)retries;\n")
    (tmp_path / "polite.c").write_text(source)
    subprocess.run(["gcc", "-g", "-O0", "-pthread", "polite.c", "-o", "polite"], cwd=tmp_path, check=True, timeout=PATIENCE)
    finding = found(tmp_path / "polite")
    text = text_report(finding).replace(str(tmp_path / "polite"), "./polite")
    assert text == (REPORTS / "polite_for_ever.txt").read_text()


def test_a_real_finding_equals_the_written_one_in_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "written").mkdir()
    real, written = found(compile_program("bank.c", tmp_path)), crossed_locks(tmp_path / "written")
    assert (real.kind, real.message, real.schedule, real.site, real.cycle) == (
        written.kind,
        written.message,
        written.schedule,
        written.site,
        written.cycle,
    )
    assert real.threads == written.threads
    assert real.steps == written.steps


@pytest.mark.parametrize("flags", [("-O2",), ("-no-pie",), ("-O2", "-gdwarf-4")], ids=" ".join)
def test_the_place_does_not_depend_on_how_the_program_was_built(flags: tuple[str, ...], tmp_path: Path) -> None:
    finding = found(compile_program("bank.c", tmp_path, *flags))
    assert finding.summary == "deadlock bank.c:16 in transfer"
    assert "holds `alice.lock` and waits for `bob.lock`" in finding.message


@pytest.mark.parametrize("search", ["dfs", "random"])
def test_a_finding_of_a_wild_search_is_made_small(search: str, tmp_path: Path) -> None:
    finding = found(compile_program("bank.c", tmp_path), search=search, max_executions=300)
    assert str(finding.schedule) in ("0*2,1,2", "0*2,2,1")
    assert finding.preemptions == 1


CXX = """
#include <memory>
#include <mutex>
#include <thread>
struct Node { int value = 0; std::mutex guard; };
static void both(Node &first, Node &second)
{
    std::lock_guard<std::mutex> one(first.guard);
    std::lock_guard<std::mutex> two(second.guard); // HERE
}
int main()
{
    auto a = std::make_unique<Node>(), b = std::make_unique<Node>();
    std::thread there([&] { both(*a, *b); });
    std::thread back([&] { both(*b, *a); });
    there.join();
    back.join();
}
"""


@pytest.mark.needs("g++")
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_cxx_deadlock_names_the_users_lines_and_not_the_librarys(level: str, tmp_path: Path) -> None:
    source = tmp_path / "nodes.cc"
    source.write_text(CXX)
    keep_frames = "-fno-optimize-sibling-calls"  # a tail call leaves no frame to find
    subprocess.run(["g++", "-g", level, keep_frames, str(source), "-o", str(tmp_path / "nodes"), "-lpthread"], check=True, timeout=PATIENCE)
    finding = found(tmp_path / "nodes")
    line = next(number for number, text in enumerate(CXX.splitlines(), 1) if "HERE" in text)
    assert finding.summary == f"deadlock nodes.cc:{line} in both"
    assert [thread.name for thread in finding.threads] == ["main", "main::{lambda}", "main::{lambda}"]
    assert {os.path.basename(step.site.file) for step in finding.steps if step.site is not None} == {"nodes.cc"}
    assert [site.function for site in finding.threads[1].stack] == ["both", "main::{lambda}"]
    assert len({name for thread in finding.threads for name in thread.objects}) == 2
