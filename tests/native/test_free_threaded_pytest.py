"""`pytest --bpor` inside a free-threaded interpreter: the tool itself runs in it, and cffi would have its lock switched on.

One test per interpreter that is found and has what pytest and the tool need, and none at all where there is none: nothing is skipped.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.native.free_threaded import project, with_pytest

__test__ = bool(with_pytest())
pytestmark = [pytest.mark.needs("gcc"), pytest.mark.parametrize("python", with_pytest())]
TESTS = """\
from locked import Counter


def test_guarded(bpor):
    counter = Counter()
    bpor.threads(counter.add_in_section, counter.add_in_section)
    assert counter.value() == 2


def test_unguarded(bpor):
    bpor.linearizable(Counter, Counter.add_unguarded, Counter.add_in_section, observe=Counter.value)
"""


def test_a_missing_critical_section_is_found_and_its_replay_line_repeats_it(python: str, tmp_path: Path) -> None:
    environment = project(tmp_path, python)
    (tmp_path / "test_it.py").write_text(TESTS)

    def pytest_says(*options: str) -> str:
        command = [python, "-m", "pytest", "-p", "bpor.pytest_plugin", "-p", "no:cacheprovider", "-v", *options]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=180).stdout

    said = pytest_says("--bpor")
    assert "free-threaded: it has no GIL" in said, said
    assert "test_guarded PASSED" in said and "test_unguarded FAILED" in said, said
    assert "no serial order of 2 gives that" in said
    assert "locked.c:20" in said  # both languages in one line
    value = re.search(r"^replay: .*'(--bpor-replay=.*)'$", said, re.MULTILINE)
    assert value, said
    again = pytest_says(value[1], "test_it.py::test_unguarded")
    assert "no serial order of 2 gives that" in again, again
