"""`pytest --bpor` inside a free-threaded interpreter: the tool itself runs in it, and cffi would have its lock switched on.

One test per interpreter that is found and has what pytest and the tool need, and none at all where there is none: nothing is skipped.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.native.compiled import PROGRAMS
from tests.native.free_threaded import project, with_pytest
from tests.patience import PATIENCE

__test__ = bool(with_pytest())
pytestmark = [pytest.mark.needs("gcc"), pytest.mark.slow, pytest.mark.parametrize("python", with_pytest())]
EXAMPLE = PROGRAMS / "extensions" / "missing_lock"
TESTS = """\
from locked import Counter


def test_guarded(bpor):
    counter = Counter()
    bpor.threads(counter.add_in_section, counter.add_in_section)
    assert counter.value() == 2


def test_unguarded(bpor):
    bpor.linearizable(Counter, Counter.add_unguarded, Counter.add_in_section, observe=Counter.value)
"""


def run_pytest(python: str, directory: Path, environment: dict[str, str], *options: str) -> str:
    command = [python, "-m", "pytest", "-p", "bpor.pytest_plugin", "-p", "no:cacheprovider", "-v", *options]
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, timeout=PATIENCE).stdout


def test_a_missing_critical_section_is_found_and_its_replay_line_repeats_it(python: str, tmp_path: Path) -> None:
    environment = project(tmp_path, python)
    (tmp_path / "test_it.py").write_text(TESTS)
    said = run_pytest(python, tmp_path, environment, "--bpor")
    assert "free-threaded: it has no GIL" in said, said
    assert "test_guarded PASSED" in said and "test_unguarded FAILED" in said, said
    assert "no serial order of 2 gives that" in said
    assert "locked.c:20" in said  # both languages in one line
    value = re.search(r"^replay: .*'(--bpor-replay=.*)'$", said, re.MULTILINE)
    assert value, said
    again = run_pytest(python, tmp_path, environment, value[1], "test_it.py::test_unguarded")
    assert "no serial order of 2 gives that" in again, again


@pytest.mark.parametrize(("flags", "ending"), [((), "3 failed"), (("-DFIXED",), "3 passed")])
def test_the_example_of_a_missing_lock_is_fixed_by_a_critical_section(
    python: str, tmp_path: Path, flags: tuple[str, ...], ending: str
) -> None:
    """The tests that a simulation of such an interpreter runs, too."""
    environment = project(tmp_path, python, EXAMPLE / "missing_lock.c", *flags)
    (tmp_path / "test_it.py").symlink_to(EXAMPLE / "test_missing_lock.py")
    said = run_pytest(python, tmp_path, environment, "--bpor", "-k", "without_a_gil")
    assert ending in said.splitlines()[-1], said
