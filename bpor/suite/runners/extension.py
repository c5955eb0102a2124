"""A project with a C extension, for `bpor-native pytest`: built with our compilers into a directory that is imported from first.

Builds of Python leave objects in the source tree, where an ordinary build would find them later: so a copy of the tree is built.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from bpor.errors import UsageError
from bpor.suite.runners.native import prepare_place, run_quietly

_NATIVE = (".c", ".cc", ".cpp", ".cxx", ".pyx", ".pxd", ".h", ".hpp")
_NOT_SOURCES = ("__pycache__", "build", "dist", "node_modules")
_BUILT = (".so", ".o", ".pyc")


def built_extension(here: Path, build: Path, python: str, compilers: Mapping[str, str]) -> Path | None:
    """What to import from; None: there is no extension to build here. Raises UsageError."""
    if not any((here / name).is_file() for name in ("pyproject.toml", "setup.py")):
        return None
    files = list(_sources(here))
    if not any(path.suffix in _NATIVE for path in files):
        return None
    site, stamp, now = build / "site", build / "stamp", _state_of(files, here, python)
    if not (stamp.is_file() and stamp.read_text() == now):
        prepare_place(build)
        shutil.rmtree(build, ignore_errors=True)
        copy = _copied(files, here, build / "source")
        _install(python, copy, site, compilers)
        stamp.write_text(now)
    return site


def _sources(here: Path) -> Iterator[Path]:
    for place, directories, names in os.walk(here):
        directories[:] = sorted(name for name in directories if _is_source_directory(Path(place, name)))
        yield from (Path(place, name) for name in sorted(names) if not name.endswith(_BUILT) and Path(place, name).is_file())


def _is_source_directory(path: Path) -> bool:
    hidden = path.name.startswith(".") or path.name.endswith(".egg-info") or path.name in _NOT_SOURCES
    return not hidden and not (path / "pyvenv.cfg").exists()


def _state_of(files: list[Path], here: Path, python: str) -> str:
    facts = [(str(path.relative_to(here)), path.stat().st_mtime_ns, path.stat().st_size) for path in files]
    return hashlib.sha256(repr((python, facts)).encode("utf-8", "surrogateescape")).hexdigest()


def _copied(files: list[Path], here: Path, there: Path) -> Path:
    for path in files:
        target = there / path.relative_to(here)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    if (here / ".git").exists():
        (there / ".git").symlink_to(here / ".git")  # versions are made from it
    return there


def _install(python: str, source: Path, site: Path, compilers: Mapping[str, str]) -> None:
    """With the build tools that are installed here, if they are enough; else pip gets them."""
    words = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--upgrade", "--target", str(site)]
    try:
        run_quietly([*words, "--no-build-isolation", str(source)], source, compilers, silent=True)
    except UsageError:
        run_quietly([*words, str(source)], source, compilers)
