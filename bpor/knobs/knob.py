"""Knob: how one field of Settings looks on the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from bpor.lazy_dataclass import dataclass, field

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Knob:
    """How one field of Settings looks on the command line."""

    flag: str  # "--bound"
    group: str
    help: str
    metavar: str = ""  # empty: a switch without a value
    read: Callable[[str], Any] = str  # raises ValueError with the reason
    write: Callable[[Any], str] = str  # the inverse of `read`
    switched: Any = True  # what a switch sets
    semantic: bool = False  # changes what a schedule means, so the replay line repeats it
    verbs: tuple[str, ...] = ("run",)
    short: str = ""
    field: str = ""  # filled in by `_knobs`
    default: Any = None

    @property
    def takes_value(self) -> bool:
        return bool(self.metavar)


def knob(default: T, flag: str, group: str, help: str, **rest: Any) -> T:
    """A dataclass field with a default and its Knob beside it (typed as the default, as dataclasses.field is)."""
    return field(default=default, metadata={"knob": Knob(flag, group, help, default=default, **rest)})


def one_of(*values: str) -> dict[str, Any]:
    def read(text: str) -> str:
        if text not in values:
            raise ValueError(f"{text!r} is not one of {', '.join(values)}")
        return text

    return {"metavar": "|".join(values), "read": read}
