"""Case: one search of a suite."""

from __future__ import annotations

from bpor.lazy_dataclass import dataclass, field
from bpor.settings import Settings
from bpor.store.place import HERE, Place


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    argv: tuple[str, ...]
    settings: Settings = field(default_factory=Settings)
    place: Place = HERE
    expect: str = "pass"
    refused: str = ""  # why a runner's test cannot be judged
    skips_with: int | None = None  # the exit status by which it says that it does not apply
    started: str = "."  # where the user is, for what is kept and for lines to type
