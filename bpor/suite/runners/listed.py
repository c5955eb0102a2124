"""A test as a runner would start it."""

from __future__ import annotations

from bpor.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Listed:
    name: str
    argv: tuple[str, ...]
    directory: str
    environment: tuple[tuple[str, str | None], ...] = ()  # None: without this variable
    refused: str = ""  # why its result cannot be judged here
    skips_with: int | None = None  # the exit status by which it says that it does not apply


@dataclass(frozen=True, slots=True)
class Project:
    """What a runner says of a project. What has to run around the tests (fixtures) runs once, natively."""

    tests: tuple[Listed, ...]
    before: tuple[Listed, ...] = ()
    after: tuple[Listed, ...] = ()
