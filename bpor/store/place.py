"""Where a test runs: its directory, and how its environment differs from the user's. A replay uses the same place."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bpor.lazy_dataclass import dataclass

Changes = tuple[tuple[str, str | None], ...]  # of an environment; None: without this variable


@dataclass(frozen=True, slots=True)
class Place:
    directory: str = "."
    environment: Changes = ()

    @property
    def differs(self) -> bool:
        """Is it not where we are now?"""
        return bool(self.environment) or os.path.realpath(self.directory) != os.path.realpath(".")

    def applied_to(self, environment: Mapping[str, str]) -> dict[str, str]:
        return {name: value for name, value in {**environment, **dict(self.environment)}.items() if value is not None}

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Raises OSError if it is no longer there."""
        here, before = os.getcwd(), dict(os.environ)
        os.chdir(self.directory)
        _set_environment(self.applied_to(before))
        try:
            yield
        finally:
            os.chdir(here)
            _set_environment(before)

    def shell_line(self, command: str) -> str:
        """The command, for a shell that is elsewhere."""
        changes = [f"-u {name}" if value is None else shlex.quote(f"{name}={value}") for name, value in self.environment]
        words = [*(["env", *changes] if changes else []), command]
        return f"(cd {shlex.quote(self.directory)} && {' '.join(words)})"

    def to_json(self, beside: str) -> dict[str, Any]:
        """`beside`: a directory that moves along with it."""
        return {"directory": os.path.relpath(self.directory, beside), "environment": dict(self.environment)}


HERE = Place()


def place_of(value: object, beside: str) -> Place:
    """What `to_json` gave; anything else is the place where `beside` is."""
    known = value if isinstance(value, dict) else {}
    directory, environment = known.get("directory", "."), known.get("environment", {})
    if not isinstance(directory, str) or not isinstance(environment, dict):
        return Place(beside)
    pairs = tuple((str(name), None if text is None else str(text)) for name, text in environment.items())
    return Place(os.path.normpath(os.path.join(beside, directory)), pairs)


def _set_environment(wanted: Mapping[str, str]) -> None:
    for name in set(os.environ) - set(wanted):
        del os.environ[name]
    os.environ.update(wanted)
