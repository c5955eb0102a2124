"""Free-threaded interpreters of this machine: the one that BPOR_FREE_THREADED_PYTHON names, python3.*t on the PATH, and pyenv's."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from pathlib import Path

from tests.native.compiled import ROOT, compiled
from tests.patience import PATIENCE

CASES = Path(__file__).parent / "extension_cases"
_NEEDED = "import pytest, cffi, elftools, jinja2, psutil, rich"  # for pytest --bpor: it runs in the interpreter itself


@functools.cache
def interpreters() -> tuple[str, ...]:
    """Those with headers. Without any there are no tests of them: a machine that has none is not to be blamed for it."""
    named = os.environ.get("BPOR_FREE_THREADED_PYTHON")
    places = [Path(place) for place in os.environ["PATH"].split(":") if place and "shims" not in place]
    places += sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin"))
    found = [path for place in places for path in sorted(place.glob("python3.*t")) if re.fullmatch(r"python3\.\d+t", path.name)]
    paths = dict.fromkeys([*([named] if named else []), *map(str, found)])
    return tuple(path for path in paths if (Path(include_of(path)) / "Python.h").exists())


@functools.cache
def with_pytest() -> tuple[str, ...]:
    return tuple(path for path in interpreters() if ask(path, _NEEDED) is not None)


@functools.cache
def include_of(interpreter: str) -> str:
    return ask(interpreter, "import sysconfig; print(sysconfig.get_path('include'))") or "/nowhere"


def ask(interpreter: str, code: str) -> str | None:
    """What it prints; None: it fails."""
    said = subprocess.run([interpreter, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    return said.stdout.strip() if said.returncode == 0 else None


def project(directory: Path, interpreter: str, source: Path = CASES / "locked.c", *flags: str) -> dict[str, str]:
    """An extension for it in a directory; the environment in which both it and the tool are found."""
    module = compiled(source, ["-shared", "-fPIC", f"-I{include_of(interpreter)}", *flags], instrumented=True)
    if not (directory / f"{source.stem}.so").exists():
        (directory / f"{source.stem}.so").symlink_to(module)
    return {**os.environ, "PYTHONPATH": f"{ROOT}:{directory}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
