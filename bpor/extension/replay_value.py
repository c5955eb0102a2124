"""A schedule and the settings that give it its meaning, as one word of a command line: `1*4,2*3` or `1*4,2*3@gil=off`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bpor import api
from bpor.errors import UsageError
from bpor.model.schedule import Schedule
from bpor.settings import KNOBS, Knob, Settings

_SEMANTIC = {knob.field: knob for knob in KNOBS if knob.semantic and knob.takes_value}


def to_value(schedule: Schedule, settings: Settings) -> str:
    changed = [f"{name}={knob.write(value)}" for name, knob in _SEMANTIC.items() if (value := getattr(settings, name)) != knob.default]
    return "@".join([str(schedule), *changed])


def from_value(text: str, settings: Settings) -> tuple[Schedule, Settings]:
    """Raises UsageError. What the value does not name has its default: it stands for itself."""
    schedule, *changed = text.split("@")
    plain = {name: knob.default for name, knob in _SEMANTIC.items()}
    return api.read_schedule(schedule), replace(settings, **{**plain, **dict(map(_read, changed))})


def _read(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    knob: Knob | None = _SEMANTIC.get(name)
    if knob is None:
        raise UsageError(f"bad replay value: {name!r} is not one of {', '.join(_SEMANTIC)}")
    try:
        return name, knob.read(value)
    except ValueError as error:
        raise UsageError(f"bad replay value: {name}: {error}") from None
