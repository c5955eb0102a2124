"""What a run costs beside the search: the tool is started for every test of a suite, so what a run does not need is not loaded."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

from bpor.report import symbols
from tests.native.compiled import NATIVE, PROGRAMS, compiled
from tests.native.tool import environment, run_inside

# Each of them a tenth or a twentieth of a start.
FEW_SEARCHES = {"bpor.search.optimal", "bpor.search.cartesian", "bpor.search.cycles", "bpor.engine"}
NEEDED_BY_FEW = {"elftools", "rich", "jinja2", "cffi", "xml", "tomllib", "concurrent", "dataclasses", "inspect", "platform"} | FEW_SEARCHES


def test_a_run_loads_no_library_that_only_some_reports_need() -> None:
    command = [sys.executable, "-c", "import sys, bpor.cli.run; print(*sys.modules)"]
    loaded = subprocess.check_output(command, text=True, env=environment()).split()
    assert "bpor.api" in loaded
    assert not NEEDED_BY_FEW & set(loaded)


ABOUT_FAILURES = re.compile(
    r"bpor\.report\.(dwarf_|symbols$|names|own_failure|explain|finding_|text$|trace_|why|sarif|junit|html|listing|reached)"
)
MOST_MODULES = 291  # of all kinds, the interpreter's own (about 130) included


def test_a_pass_loads_nothing_that_tells_a_failure(tmp_path: Path) -> None:
    """Counted, not timed: each module costs, and most of the start of the tool is modules."""
    (tmp_path / "trivial.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", "trivial.c", "-o", "trivial"], cwd=tmp_path, check=True)
    subprocess.run([sys.executable, "-m", "bpor", "./trivial"], cwd=tmp_path, env=environment(), check=True)  # so that its code is known
    command = [sys.executable, "-X", "importtime", "-m", "bpor", "./trivial"]
    run = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.splitlines()[-1].startswith("pass: ")
    loaded = [line.rpartition("|")[2].strip() for line in run.stderr.splitlines() if line.startswith("import time:")]
    assert [name for name in loaded if ABOUT_FAILURES.match(name)] == []
    assert len(loaded) <= MOST_MODULES


def test_a_python_process_that_is_its_own_target_loads_before_the_first_execution_what_is_loaded_late_elsewhere() -> None:
    code = "import sys, bpor.extension.loading as loading; loading.load_everything(); print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", code], text=True, env=environment()).split())
    paths = [path for part in PARTS_OF_A_SEARCH for path in BPOR.glob(part) if path.name != "pytest_plugin.py"]
    late = {name for path in paths for name in late_imports(path)}
    assert "bpor.report.finding_build" in late, "nothing is loaded late: then this test can go"
    assert late - loaded == {"bpor.machine.modules"}, "a Python process is not patched"


BPOR = Path(symbols.__file__).parents[1]
PARTS_OF_A_SEARCH = ("*.py", "model/**/*.py", "report/**/*.py", "search/**/*.py", "target/**/*.py")


def late_imports(path: Path) -> set[str]:
    """Of our own modules, those that a function of this file imports."""
    functions = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
    imports = [node for function in functions for node in ast.walk(function) if isinstance(node, ast.ImportFrom)]
    return {node.module for node in imports if node.module is not None and node.module.startswith("bpor.")}


def test_of_the_libraries_around_the_users_frames_no_debug_information_is_read() -> None:
    symbols.load.cache_clear()
    assert run_inside(compiled(PROGRAMS / "buggy/deadlock/bank.c")).kinds == {"deadlock"}
    runtime = symbols.load(str(NATIVE / "libbpor.so"))
    assert runtime is not None
    assert "dwarf" not in vars(runtime.image)
