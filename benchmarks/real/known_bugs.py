"""Bugs that their projects have fixed (known.toml), searched for again in the version before, and in the fixed one:

    python -m benchmarks.real.known_bugs [--seconds 20] [--clones DIRECTORY] [--times 10] [NAME ...]

Needs git; a repository comes from GitHub, unless DIRECTORY has a clone named OWNER+NAME. Seconds are of a processor. Prints a line for
each search and exits with 1 if a version before ends otherwise than known.toml says, a fixed one has a finding, or a replay line does not
repeat what it stands for.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.real.build import BUILDS, COMMON, ROOT, TOOL
from benchmarks.real.processor import spend

HERE = Path(__file__).parent
PLACE = ROOT / "build" / "known"
Made = TypeVar("Made")


@dataclass(frozen=True)
class Library:
    sources: tuple[str, ...] = ()  # patterns of files that are compiled with the test
    without: tuple[str, ...] = ()  # of those that are left out
    flags: tuple[str, ...] = ()  # "@" is the directory of the version, "!" that of the tests


@dataclass(frozen=True)
class Bug:
    name: str
    repository: str  # on GitHub
    fix: str  # the commit
    test: str  # a file of known/
    plain: str  # how the version before ends: what kind of finding, or the verdict
    instrumented: str
    flags: tuple[str, ...] = ()
    library: str = ""
    prepare: tuple[str, ...] = ()  # a command in the directory of the version

    @property
    def stem(self) -> str:
        return re.sub(r"\W+", "_", self.name.lower()).strip("_")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--clones", type=Path, default=PLACE / "clones")
    parser.add_argument("--times", type=int, default=10, help="a replay line is repeated")
    parser.add_argument("names", nargs="*")
    words = parser.parse_args()
    table = tomllib.loads((HERE / "known.toml").read_text())
    libraries = {name: _frozen(Library, values) for name, values in table["library"].items()}
    wrong = 0
    for bug in (_frozen(Bug, values) for values in table["bug"]):
        if words.names and not any(name in bug.name for name in words.names):
            continue
        library = libraries.get(bug.library, Library())
        for when, commit in (("before", f"{bug.fix}~1"), ("fixed", bug.fix)):
            version = _version(bug, when, commit, words.clones)
            for how in BUILDS:
                wrong += not _looked_for(bug, library, when, how, version, words.seconds, words.times)
    return 1 if wrong else 0


def _frozen(kind: Callable[..., Made], values: dict[str, Any]) -> Made:
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})


def _version(bug: Bug, when: str, commit: str, clones: Path) -> Path:
    """The directory of a version, unpacked and prepared."""
    place = PLACE / f"{bug.stem}.{when}"
    if not place.exists():
        clone = clones / bug.repository.replace("/", "+")
        if not clone.exists():
            subprocess.run(["git", "clone", "-q", f"https://github.com/{bug.repository}", str(clone)], check=True)
        git = clone / ".git" if (clone / ".git").exists() else clone
        archive = subprocess.run(["git", f"--git-dir={git}", "archive", commit], check=True, capture_output=True).stdout
        place.mkdir(parents=True)
        subprocess.run(["tar", "x"], input=archive, cwd=place, check=True)
        if bug.prepare:
            subprocess.run(bug.prepare, cwd=place, check=True, capture_output=True)
    return place


def _looked_for(bug: Bug, library: Library, when: str, how: str, version: Path, seconds: int, times: int) -> bool:
    """Whether it ended as it should."""
    program = _built(bug, library, how, version)
    path = program.with_suffix(".json")
    path.unlink(missing_ok=True)
    with open(program.with_suffix(".txt"), "w") as log:
        words = ["-q", "--state", "none", "--max-time", "none", "--json", str(path), "--", str(program)]
        spend([*TOOL, *words], seconds, cwd=version, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=_environment())
    report = json.loads(path.read_text()) if path.exists() else None
    text = program.with_suffix(".txt").read_text()
    verdict = report["verdict"] if report else "no report"
    ending = text.partition(":")[0] if verdict == "bug" else verdict
    fits = ending == (bug.plain if how == "plain" else bug.instrumented) if when == "before" else ending in ("pass", "inconclusive")
    repeats = verdict != "bug" or _repeats(text, times, version)
    said = f"{report['executions']:,} executions; {text.splitlines()[0] if text else ''}" if report else text[:200]
    note = "" if fits and repeats else " (NOT AS EXPECTED)" if not fits else " (DOES NOT REPEAT)"
    print(f"{bug.name}, {when}, {how}: {ending}{note}; {said[:160]}", flush=True)
    return fits and repeats


def _repeats(text: str, times: int, place: Path) -> bool:
    """Whether the replay line gives what it stands for."""
    lines = [line for line in text.splitlines() if line.startswith("  bpor-native replay ")]
    if not lines:
        return False
    options, _, target = lines[-1].partition(" -- ")
    words = [sys.executable, "-m", "benchmarks.real.replays", *shlex.split(options)[2:], "--times", str(times), "--", *shlex.split(target)]
    return subprocess.run(words, cwd=place, env=_environment(), capture_output=True).returncode == 0


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def _built(bug: Bug, library: Library, how: str, version: Path) -> Path:
    program = version / f"built-{how}"
    if program.exists():
        return program
    is_plus = bug.test.endswith(".cpp")
    compiler = ["g++" if is_plus else "gcc"] if how == "plain" else [*TOOL, "c++" if is_plus else "cc"]
    left_out = {path for pattern in library.without for path in version.glob(pattern)}
    files = [str(path) for pattern in library.sources for path in sorted(version.glob(pattern)) if path not in left_out]
    flags = [flag.replace("@", str(version)).replace("!", str(HERE / "known")) for flag in (*bug.flags, *library.flags)]
    words = [*compiler, *COMMON, str(HERE / "known" / bug.test), *files, *flags, "-o", str(program)]
    subprocess.run(words, check=True, cwd=version, env=_environment(), capture_output=True)
    return program


if __name__ == "__main__":
    raise SystemExit(main())
