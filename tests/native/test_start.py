"""What a run costs beside the search: the tool is started for every test of a suite, so what a run does not need is not loaded."""

from __future__ import annotations

import subprocess
import sys

from bpor.report import symbols
from tests.native.compiled import NATIVE, PROGRAMS, compiled
from tests.native.tool import environment, run_inside

# Each of them a tenth or a twentieth of a start.
FEW_SEARCHES = {"bpor.search.optimal", "bpor.search.cartesian", "bpor.search.cycles", "bpor.engine"}
NEEDED_BY_FEW = {"elftools", "rich", "jinja2", "cffi", "xml", "tomllib", "concurrent"} | FEW_SEARCHES


def test_a_run_loads_no_library_that_only_some_reports_need() -> None:
    command = [sys.executable, "-c", "import sys, bpor.cli.run; print(*sys.modules)"]
    loaded = subprocess.check_output(command, text=True, env=environment()).split()
    assert "bpor.api" in loaded
    assert not NEEDED_BY_FEW & set(loaded)


def test_of_the_libraries_around_the_users_frames_no_debug_information_is_read() -> None:
    symbols.load.cache_clear()
    assert run_inside(compiled(PROGRAMS / "buggy/deadlock/bank.c")).kinds == {"deadlock"}
    runtime = symbols.load(str(NATIVE / "libbpor.so"))
    assert runtime is not None
    assert "dwarf" not in vars(runtime.image)
