"""Commands of builds and of runners, run as they are. Their output is shown only if they fail."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bpor.errors import UsageError
from bpor.suite.runners.listed import Listed

PLACE = ".bpor-build"


def prepare_place(build: Path) -> None:
    """A directory of our own for what is built, which version control leaves alone."""
    place = build.parent
    try:
        place.mkdir(exist_ok=True)
        (place / ".gitignore").write_text("*\n")
    except OSError as error:
        raise UsageError(f"{place}: {error.strerror}") from None


def processors() -> int:
    return len(os.sched_getaffinity(0))


def run_quietly(command: Sequence[str], directory: Path, environment: Mapping[str, str], silent: bool = False) -> None:
    """Raises UsageError, after what the command printed; `silent`: without it."""
    _run(command, directory, environment, stderr=subprocess.STDOUT, silent=silent)


def output_of(command: Sequence[str], directory: Path, environment: Mapping[str, str], statuses: Sequence[int] = (0,)) -> str:
    """Its standard output. Raises UsageError."""
    return _run(command, directory, environment, stderr=subprocess.PIPE, statuses=statuses)


def run_fixture(test: Listed, environment: Mapping[str, str]) -> None:
    """What has to be done once around tests. Raises UsageError."""
    changed = {name: value for name, value in {**environment, **dict(test.environment)}.items() if value is not None}
    run_quietly(test.argv, Path(test.directory), changed)


def _run(
    command: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    stderr: int,
    statuses: Sequence[int] = (0,),
    silent: bool = False,
) -> str:
    try:
        result = subprocess.run(
            command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, check=False
        )
    except OSError as error:
        raise UsageError(f"{command[0]}: {error.strerror}") from None
    text = result.stdout.decode("utf-8", "replace")
    if result.returncode not in statuses:
        if not silent:
            sys.stderr.write(text + (result.stderr or b"").decode("utf-8", "replace"))
        raise UsageError(f"{' '.join(command[:4])} ... ended with {result.returncode}")
    return text
