"""Machines that cannot run the tool are told why and what to use, in one line."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bpor.platform_support import unsupported

ROOT = Path(__file__).resolve().parents[2]
GOOD: dict[str, Any] = {"python": (3, 11), "system": "linux", "machine": "x86_64", "bits": 64, "glibc": (2, 36)}

CASES = [
    ({"python": (3, 10)}, "needs Python 3.11 or newer and this is 3.10"),
    ({"system": "darwin"}, "macOS"),
    ({"system": "win32"}, "WSL 2"),
    ({"system": "cygwin"}, "WSL 2"),
    ({"system": "freebsd14"}, "this is freebsd14"),
    ({"bits": 32}, "32-bit"),
    ({"machine": "aarch64"}, "this is aarch64"),
    ({"glibc": ()}, "musl"),
    ({"glibc": (2, 31)}, "needs glibc 2.34 or newer and this is 2.31"),
]


def test_this_machine_is_supported() -> None:
    assert unsupported() is None
    assert unsupported(**GOOD) is None


@pytest.mark.parametrize(("difference", "reason"), CASES, ids=[reason for _, reason in CASES])
def test_an_unsupported_machine_gets_one_line_with_the_reason_and_an_alternative(difference: dict[str, Any], reason: str) -> None:
    text = unsupported(**{**GOOD, **difference})
    assert text is not None
    assert reason in text
    assert "; " in text
    assert "\n" not in text


def old_pythons() -> list[str]:
    """Those that are here, in PATH or under pyenv, by trying them: a shim may stand for one that is not."""
    versions = ("2.7", "3.6", "3.7", "3.8", "3.9", "3.10")
    found = [shutil.which(f"python{version}") for version in versions]
    found += [str(path) for version in versions for path in Path.home().glob(f".pyenv/versions/{version}.*/bin/python")]
    return [path for path in found if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0]


def test_an_old_python_says_so_instead_of_failing_with_a_syntax_error() -> None:
    for python in old_pythons():
        run = subprocess.run([python, "-B", "-m", "bpor", "--version"], cwd=ROOT, capture_output=True, text=True)
        assert (run.returncode, run.stderr.count("\n")) == (2, 1), (python, run.stderr)
        assert "needs Python 3.11 or newer" in run.stderr


@pytest.mark.parametrize("name", ["__init__.py", "__main__.py", "platform_support.py", "version.py", "cli/__init__.py"])
def test_the_files_every_python_reads_first_use_no_modern_syntax(name: str) -> None:
    import ast

    tree = ast.parse((ROOT / "bpor" / name).read_text())
    modern = (ast.AnnAssign, ast.JoinedStr, ast.NamedExpr, ast.Match)
    assert [node for node in ast.walk(tree) if isinstance(node, modern)] == []
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert [f.name for f in functions if f.returns or any(a.annotation for a in f.args.args)] == []
    assert "from __future__ import annotations" not in (ROOT / "bpor" / name).read_text()


def test_an_interrupt_while_modules_are_loaded_is_told_in_one_line() -> None:
    code = (
        "import sys, bpor.cli\n"
        "class Interrupting:\n"
        "    def find_spec(name, *_):\n"
        "        if name == 'bpor.settings': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting)\n"
        "sys.exit(bpor.cli.main(['--version']))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (3, "bpor-native: interrupted\n")
