"""The suite's own rule about missing tools: a skip is reported, and is a failure where everything is required."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CASES = """
import pytest

@pytest.mark.needs("a-tool-nobody-has")
def test_that_needs_it(): assert False

@pytest.mark.needs("sh")
def test_that_can_run(): pass
"""


def run_suite(directory: Path, require_all: str, *options: str) -> subprocess.CompletedProcess[str]:
    (directory / "conftest.py").write_text((Path(__file__).resolve().parents[1] / "conftest.py").read_text())
    (directory / "test_cases.py").write_text(CASES)
    (directory / "pytest.ini").write_text("[pytest]\nmarkers = needs: tools\n")
    environment = {**os.environ, "BPOR_TEST_REQUIRE_ALL": require_all}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *options, str(directory)]
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)


def test_a_missing_tool_is_a_skip_and_one_line_at_the_end(tmp_path: Path) -> None:
    run = run_suite(tmp_path, "")
    assert run.returncode == 0, run.stdout
    assert run.stdout.count("missing tool: a-tool-nobody-has (1 tests skipped)") == 1
    assert "1 passed, 1 skipped" in run.stdout


def test_workers_report_the_missing_tool_too(tmp_path: Path) -> None:
    run = run_suite(tmp_path, "", "-n", "2")
    assert run.returncode == 0, run.stdout
    assert run.stdout.count("missing tool: a-tool-nobody-has (1 tests skipped)") == 1


def test_where_everything_is_required_a_skip_is_a_failure(tmp_path: Path) -> None:
    run = run_suite(tmp_path, "1")
    assert run.returncode == 1, run.stdout
    assert "1 passed, 1 error" in run.stdout  # it failed in its set-up, where the skip was
