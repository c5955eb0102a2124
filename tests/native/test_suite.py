"""`bpor-native suite` on real programs: verdicts, budgets, shards, baselines, and nothing left running."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import psutil
import pytest
from junitparser import JUnitXml

from tests.native.conftest import survivors
from tests.native.suite_workshop import LONG, Workshop
from tests.native.tool import command, environment
from tests.patience import PATIENCE, eventually

pytestmark = pytest.mark.slow  # every test starts several processes


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def rows(text: str) -> dict[str, list[str]]:
    """test -> the columns of its line in the table."""
    table = text[text.index("verdict  ") :].split("\n\n")[0].split("suite: ")[0]
    parsed = [re.split(r"\s{2,}", line[3:].strip()) for line in table.splitlines()[1:] if line.strip()]
    return {row[1]: row for row in parsed}


def test_a_suite_runs_what_its_file_lists_and_says_how_each_stands(shop: Workshop) -> None:
    for name in ("buggy/deadlock/bank.c", "correct/process/no_threads.c", "unsupported/cancel.c"):
        shop.program(name)
    shop.program("correct/mutex/counter.c", "good/counter", "-DTHREADS=2")
    shop.config("""
[options]
bound = "preemption:2"
[[test]]
program = "bank"
[[test]]
program = "bank"
name = "known bank"
expect = "deadlock"
[[test]]
program = "good/*"
[[test]]
program = "no_threads"
[[test]]
program = "cancel"
""")
    run = shop.suite("--junit", "j.xml", "--sarif", "s.json")
    table = rows(run.stdout)
    assert run.exit_code == 1, run
    assert {name: row[0] for name, row in table.items()} == {
        "bank": "bug",
        "known bank": "bug",
        "good/counter": "pass",
        "no_threads": "pass",
        "cancel": "uncontrolled",
    }
    assert "suite: 5 tests: 3 passed, 1 failed, 1 error, 0 skipped" in run.stdout
    assert "warning: no_threads: nothing to interleave" in run.stdout
    assert run.stdout.count("SUMMARY: bpor-native: deadlock") == 1, "an expected bug needs no report"
    xml = JUnitXml.fromfile(str(shop.path / "j.xml"))
    assert (xml.tests, xml.failures, xml.errors) == (5, 1, 1)
    assert [result["properties"]["test"] for result in shop.json("s.json")["runs"][0]["results"]] == ["bank", "known bank"]


def test_the_build_command_is_words_and_runs_first_where_the_file_is(shop: Workshop) -> None:
    shop.source("int main(void) { return 0; }", "made")
    (shop.path / "made").rename(shop.path / "hidden")
    shop.config('build = ["cp", "hidden", "made"]\n[[test]]\nprogram = "made"\n')
    assert shop.suite("-q").exit_code == 0
    shop.config('build = ["false; true"]\n[[test]]\nprogram = "made"\n')
    run = shop.suite("-q")
    assert (run.exit_code, "build: false; true: No such file" in run.stderr) == (2, True), "no shell ever sees it"
    shop.config('build = ["false"]\n[[test]]\nprogram = "made"\n')
    assert "build: false ended with 1" in shop.suite("-q").stderr


def test_a_test_has_its_own_environment_and_the_suites(shop: Workshop) -> None:
    shop.source('#include <stdlib.h>\nint main(void) { return !getenv("A") + 2 * !getenv("B"); }', "env")
    shop.config("""
environment = { A = "1" }
[[test]]
program = "env"
environment = { B = "1" }
[[test]]
program = "env"
name = "without B"
expect = "exit"
""")
    run = shop.suite()
    assert run.exit_code == 0, run
    assert "B" not in os.environ


def test_a_total_budget_is_spread_and_kept(shop: Workshop) -> None:
    shop.source(LONG, "long")
    entries = "".join(f'[[test]]\nprogram = "long"\nname = "{name}"\n' for name in "abcdef")
    shop.config(f'budget = "1s"\njobs = 2\n[options]\nbound = "none"\n{entries}')
    run = shop.suite("--inconclusive=pass")  # which waits for hours if nobody keeps it
    assert run.exit_code == 0, run
    assert float(run.stdout.rpartition("; ")[2].removesuffix(" s\n")) > 0.9, "it is used; spread: tests/unit/test_suite_scheduler.py"
    assert [row[0] for row in rows(run.stdout).values()] == ["inconclusive"] * 6
    assert "6 skipped" in run.stdout


def test_without_time_a_test_is_not_finished_and_never_a_pass(shop: Workshop) -> None:
    shop.source(LONG, "long")
    shop.config('budget = "100ms"\njobs = 1\n[[test]]\nprogram = "long"\n[[test]]\nprogram = "long"\nname = "second"\n')
    run = shop.suite()
    assert run.exit_code == 3, run
    assert {row[0] for row in rows(run.stdout).values()} == {"inconclusive"}


def test_two_shards_run_everything_once(shop: Workshop) -> None:
    shop.program("correct/process/no_threads.c")
    entries = "".join(f'[[test]]\nprogram = "no_threads"\nname = "{name}"\n' for name in "abcde")
    shop.config(entries)
    first = rows(shop.suite("--shard", "1/2").stdout)
    second = rows(shop.suite(GTEST_TOTAL_SHARDS="2", GTEST_SHARD_INDEX="1").stdout)
    assert [*first, *second] == ["a", "c", "e", "b", "d"]


def test_a_named_test_runs_alone(shop: Workshop) -> None:
    shop.program("correct/process/no_threads.c")
    shop.config('[[test]]\nprogram = "no_threads"\nname = "a"\n[[test]]\nprogram = "no_threads"\nname = "b"\n')
    assert list(rows(shop.suite("b").stdout)) == ["b"]
    assert "no test is called 'c'" in shop.suite("c").stderr


def test_files_of_which_several_are_programs_are_those_programs_and_not_arguments_of_the_first(shop: Workshop) -> None:
    for name in ("t-one", "t-two"):
        shop.program("correct/process/no_threads.c", name)
    (shop.path / "t-one.c").write_text("int main(void) { return 0; }\n")
    run = shop.suite("./t-one", "./t-one.c", "./t-two")
    assert list(rows(run.stdout)) == ["t-one", "t-two"] and "not programs, and left out: ./t-one.c" in run.stderr
    assert list(rows(shop.suite("./t-one", "./t-one.c").stdout)) == ["t-one"]  # an argument that is a file


def test_a_baseline_fails_what_reaches_less_or_is_gone(shop: Workshop) -> None:
    shop.program("correct/mutex/counter.c", "counter", "-DTHREADS=3")
    entry = '[[test]]\nprogram = "counter"\nbound = "preemption:{}"\n'
    shop.config(entry.format(2))
    assert shop.suite("--write-baseline", "b.json").exit_code == 0
    assert shop.suite("--baseline", "b.json").exit_code == 0
    shop.config(entry.format(1))
    worse = shop.suite("--baseline", "b.json")
    assert worse.exit_code == 3, worse
    assert "less than the baseline: all schedules within preemption:2 then, all schedules within preemption:1 now" in worse.stdout
    shop.config(entry.format(3) + 'name = "renamed"\n')
    missing = shop.suite("--baseline", "b.json")
    assert (missing.exit_code, "counter is in the baseline and no longer in the suite" in missing.stderr) == (3, True)


def test_a_case_whose_process_dies_is_an_internal_error_of_that_case_alone(shop: Workshop) -> None:
    shop.source(LONG, "long")
    shop.program("correct/process/no_threads.c")
    shop.config('jobs = 1\n[[test]]\nprogram = "long"\nbound = "none"\n[[test]]\nprogram = "no_threads"\n')
    process = subprocess.Popen(
        command("suite"), cwd=shop.path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    _child(process.pid, "bpor-launch", "long").parent().kill()  # type: ignore[union-attr]
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 99
    assert {name: row[0] for name, row in rows(out).items()} == {"long": "internal", "no_threads": "pass"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_suite_reports_what_it_covered_and_leaves_nothing(shop: Workshop, number: signal.Signals) -> None:
    shop.source(LONG, "long")
    shop.config('jobs = 1\n[[test]]\nprogram = "long"\nbound = "none"\n[[test]]\nprogram = "long"\nname = "later"\n')
    process = subprocess.Popen(
        command("suite"), cwd=shop.path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    _child(process.pid, "bpor-launch", "long")
    family = psutil.Process(process.pid).children(recursive=True)
    eventually(lambda: list(shop.path.rglob("search.sqlite")), "a checkpoint")
    process.send_signal(number)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    assert "interrupted after" in out
    assert "not started: interrupted" in out
    assert survivors(family) == []


def test_a_killed_suite_takes_its_workers_with_it(shop: Workshop) -> None:
    shop.source(LONG, "long")
    shop.config('[[test]]\nprogram = "long"\nbound = "none"\n[[test]]\nprogram = "long"\nname = "other"\n')
    process = subprocess.Popen(command("suite"), cwd=shop.path, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _child(process.pid, "bpor-launch", "long")
    family = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    assert family
    assert survivors(family) == []


def test_no_report_stores_the_environment(shop: Workshop) -> None:
    shop.program("buggy/deadlock/bank.c")
    shop.config('[[test]]\nprogram = "bank"\nenvironment = { GIVEN = "shown-perhaps" }\n')
    shop.suite(
        "--junit", "j.xml", "--sarif", "s.json", "--github", GITHUB_STEP_SUMMARY=str(shop.path / "summary.txt"), TOKEN="s3cr3t-t0ken"
    )
    kept = [path for path in shop.path.rglob("*") if path.is_file() and path.name not in ("bank", "bpor.toml")]
    assert {path.name for path in kept} >= {"j.xml", "s.json", "summary.txt", "result.json"}
    assert [path for path in kept if b"s3cr3t" in path.read_bytes()] == []


def _child(parent: int, *names: str) -> psutil.Process:
    """A process below ours, once it runs under one of these names (the launcher becomes the program)."""

    def running() -> psutil.Process | None:
        for process in psutil.Process(parent).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if process.name() in names:
                    return process
        return None

    found = eventually(running, "its start")
    assert found is not None
    return found


GTEST = """
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
TEST(Locks, InOrder) { std::mutex a; int n = 0; std::thread t([&] { std::lock_guard<std::mutex> l(a); n++; });
    { std::lock_guard<std::mutex> l(a); n++; } t.join(); EXPECT_EQ(n, 2); }
TEST(Locks, Crossed) { std::mutex a, b;
    std::thread t([&] { std::lock_guard<std::mutex> x(b); std::lock_guard<std::mutex> y(a); });
    { std::lock_guard<std::mutex> x(a); std::lock_guard<std::mutex> y(b); } t.join(); }
TEST(Locks, DISABLED_Never) { FAIL(); }
class Sizes : public testing::TestWithParam<int> {};
TEST_P(Sizes, Fits) { EXPECT_LT(GetParam(), 3); }
INSTANTIATE_TEST_SUITE_P(Small, Sizes, testing::Values(1, 2));
"""


def test_a_googletest_program_is_searched_test_by_test(shop: Workshop) -> None:
    (shop.path / "g.cpp").write_text(GTEST)
    built = subprocess.run(["g++", "-g", "-o", "locks", "g.cpp", "-lgtest", "-lgtest_main", "-pthread"], cwd=shop.path, capture_output=True)
    if b"gtest/gtest.h" in built.stderr:
        pytest.skip("needs libgtest-dev")
    assert built.returncode == 0, built.stderr
    shop.config('[options]\nbound = "preemption:2"\n[[test]]\nprogram = "locks"\n')
    run = shop.suite("--junit", "j.xml")
    assert {name: row[0] for name, row in rows(run.stdout).items()} == {
        "locks:Locks.InOrder": "pass",
        "locks:Locks.Crossed": "bug",
        "locks:Small/Sizes.Fits/0": "pass",
        "locks:Small/Sizes.Fits/1": "pass",
    }
    assert run.exit_code == 1
    assert {case.classname for suite in JUnitXml.fromfile(str(shop.path / "j.xml")) for case in suite} == {"locks"}
    shards = [rows(shop.suite(GTEST_TOTAL_SHARDS="2", GTEST_SHARD_INDEX=index).stdout) for index in "01"]
    assert [len(shard) for shard in shards] == [2, 2], "the variables are ours: a search that saw them would find its test in another shard"
    assert all(int(row[2]) > 1 for name, row in shards[0].items() if "Locks" in name)
    (shop.path / "build").mkdir()
    (shop.path / "locks").rename(shop.path / "build/locks")
    (shop.path / "bpor.toml").unlink()
    whole = shop.suite("-q", "build/locks", "--bound", "preemption:1")
    assert len(rows(whole.stdout)) == 4 and "locks:Locks.Crossed" in whole.stdout, "a path of a program is all of its tests"
    shop.config('[options]\nbound = "preemption:1"\n[[test]]\nprogram = "build/lock*"\n')
    assert len(rows(shop.suite("-q", "build/locks").stdout)) == 4, "so is the name of one that the suite lists"
    (shop.path / "build/locks").rename(shop.path / "locks")
    nothing = shop.tool("-q", "./locks", "--", "--gtest_filter=No.Such")
    assert (nothing.exit_code, "the filter matches no test" in nothing.stderr) == (2, True), "googletest calls it a success"


def test_a_program_that_only_calls_itself_googletest_is_said_so(shop: Workshop) -> None:
    shop.source('#include <stdio.h>\nint main(int n, char **v) { puts("gtest_list_tests"); return n > 1 && v != 0; }', "fake")
    shop.config('[[test]]\nprogram = "fake"\n')
    assert "--gtest_list_tests exited with 1; if it is no gtest program, say gtest = false" in shop.suite().stderr
    shop.config('[[test]]\nprogram = "fake"\ngtest = false\n')
    assert shop.suite().exit_code == 0


def test_a_pyproject_serves_too(shop: Workshop) -> None:
    shop.program("correct/process/no_threads.c")
    (shop.path / "pyproject.toml").write_text('[[tool.bpor.test]]\nprogram = "no_threads"\n')
    assert list(rows(shop.suite().stdout)) == ["no_threads"]
    (shop.path / "sub").mkdir()
    assert json.dumps(shop.tool("suite", "--config", "pyproject.toml").exit_code) == "0"


def test_a_cached_state_goes_on_elsewhere(shop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> None:
    shop.source(LONG, "long")
    shop.config('[[test]]\nprogram = "long"\nbound = "preemption:2"\nmax-executions = 300\n')
    assert shop.suite().exit_code == 3
    other = Workshop(tmp_path_factory.mktemp("elsewhere"))
    shutil.copytree(shop.path, other.path, dirs_exist_ok=True)
    (record,) = (other.path / ".bpor").rglob("result.json")
    record.write_text(record.read_text().replace("./long", "/bin/touch"))
    other.config('[[test]]\nprogram = "long"\nbound = "preemption:2"\nmax-executions = 1000000\n')
    assert "nothing is kept" not in (run := other.suite("--resume")).stderr
    assert "begins anew" not in run.stderr
    assert run.exit_code == 0, run
    fresh = rows(shop.suite("--max-time", "5m", "--config", str(other.path / "bpor.toml")).stdout)["long"]
    assert rows(run.stdout)["long"][2] == fresh[2], "the search went on, with the same executions in all"
    assert b"/bin/touch" not in b"".join(path.read_bytes() for path in (other.path / ".bpor").rglob("*.json"))


def test_a_suppression_that_no_test_used_is_said_once_and_one_that_was_used_is_not(shop: Workshop) -> None:
    shop.program("buggy/deadlock/bank.c")
    shop.program("correct/mutex/counter.c", "counter", "-DTHREADS=2")
    (shop.path / "known").write_text("deadlock:transfer\ndeadlock:^main$\n")
    shop.config('suppressions = "known"\n[[test]]\nprogram = "counter"\n[[test]]\nprogram = "bank"\n')
    run = shop.suite("--sarif", "s.json")
    assert run.exit_code == 0, run
    assert run.stdout.count("suppression not used: deadlock:^main$") == 1
    assert "not used: deadlock:transfer" not in run.stdout
    (known,) = shop.json("s.json")["runs"][0]["results"]
    assert known["suppressions"] == [{"kind": "external"}]
    assert known["properties"]["replay"].startswith("bpor-native replay '0*2,1,2' -- ./bank")
    assert rows(run.stdout)["bank"][-1].endswith("known: deadlock bank.c:20 in transfer"), run
    shard = shop.suite("-q", "--shard", "1/2")
    assert "not used" not in shard.stdout + shard.stderr, "the other shard may use it"


def test_a_suppression_that_no_program_of_the_suite_can_match_is_an_error(shop: Workshop) -> None:
    shop.program("buggy/deadlock/bank.c")
    shop.program("correct/mutex/counter.c", "counter", "-DTHREADS=2")
    (shop.path / "known").write_text("deadlock:transfer\ndeadlock:^nowhere$\n")
    shop.config('suppressions = "known"\n[[test]]\nprogram = "counter"\n[[test]]\nprogram = "bank"\n')
    run = shop.suite()
    assert run.exit_code == 2, run
    assert "deadlock:^nowhere$: no function, variable, source file or library of the 2 programs has such a name" in run.stderr
