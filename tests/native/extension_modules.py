"""The examples of native_tests/extensions, built once per content: shared by xdist's workers and by the next run.

Invariant: a directory in the cache is complete, because it is built elsewhere and renamed.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.native.compiled import CACHE, INSTRUMENTING, PROGRAMS, WRAPPED
from tests.native.tool import command, environment
from tests.patience import PATIENCE

EXAMPLES = PROGRAMS / "extensions"
OLDEST = (3, 11)


def built_examples(variant: str) -> Path:
    """A directory with every module in its `variant`: "buggy" or "fixed"."""
    sources = sorted(path for path in EXAMPLES.rglob("*") if path.suffix in (".c", ".h", ".py", ".pyx"))
    parts = [path.read_bytes() for path in (*sources, *INSTRUMENTING.values(), *WRAPPED)]
    key = hashlib.sha256(b"\0".join([*parts, sys.executable.encode(), sys.version.encode()])).hexdigest()[:16]
    modules = CACHE / f"extensions-{key}" / variant
    if not modules.exists():
        modules.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=modules.parent) as private:
            copy = Path(private) / "sources"
            shutil.copytree(EXAMPLES, copy)
            words = ["build_ext", "--build-lib", f"../{variant}", *(["--define", "FIXED"] if variant == "fixed" else [])]
            run(copy, *command("build", sys.executable, "setup.py", "--quiet", *words))
            (Path(private) / variant).rename(modules) if not modules.exists() else None
    return modules


def run(directory: Path, *words: str | Path, **variables: str) -> str:
    """Its output; a failure shows it."""
    result = subprocess.run(words, cwd=directory, env={**environment(), **variables}, capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == 0, f"{words}\n{result.stdout}{result.stderr}"
    return result.stdout


def stock_interpreters() -> list[Path]:
    """The running one and every other CPython with headers, on the PATH or of pyenv; not pyenv's shims, which are scripts."""
    places = [Path(place) for place in os.environ["PATH"].split(":") if place and "shims" not in place]
    places += sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin"))
    found = {Path(sys.executable).resolve(): None}
    for place in places:
        for path in place.glob("python3.*"):
            if (version := re.fullmatch(r"python3\.(\d+)", path.name)) and (3, int(version[1])) >= OLDEST and has_headers(path.resolve()):
                found[path.resolve()] = None
    return list(found)


def has_headers(interpreter: Path) -> bool:
    return (interpreter.parent.parent / "include" / interpreter.name / "Python.h").exists()
