"""A schedule and the settings that give it its meaning, as one word of a command line: `1*4,2*3` or `1*4,2*3@gil=off`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpor import api
from bpor.errors import UsageError
from bpor.extension.made_before import with_addresses, with_names
from bpor.knobs.knob import Knob
from bpor.lazy_dataclass import replace
from bpor.model.schedule import Schedule
from bpor.settings import KNOBS, Settings

NOTHING: Mapping[str, Any] = {}
_SEMANTIC = {knob.field: knob for knob in KNOBS if knob.semantic and knob.takes_value}


def to_value(schedule: Schedule, settings: Settings, names: Mapping[str, Any] = NOTHING) -> str:
    """`names`: of objects that are there before the test."""
    settings = replace(settings, visible=with_names(settings.visible, names))
    changed = [f"{name}={knob.write(value)}" for name, knob in _SEMANTIC.items() if (value := getattr(settings, name)) != knob.default]
    return "@".join([str(schedule), *changed])


def from_value(text: str, settings: Settings, names: Mapping[str, Any] = NOTHING) -> tuple[Schedule, Settings]:
    """Raises UsageError. What the value does not name has its default: it stands for itself."""
    schedule, *changed = text.split("@")
    plain = {name: knob.default for name, knob in _SEMANTIC.items()}
    read = dict(_read(part, names) for part in changed)
    return api.read_schedule(schedule), replace(settings, **{**plain, **read})


def _read(text: str, names: Mapping[str, Any]) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    knob: Knob | None = _SEMANTIC.get(name)
    if knob is None:
        raise UsageError(f"bad replay value: {name!r} is not one of {', '.join(_SEMANTIC)}")
    try:
        return name, knob.read(with_addresses(value, names) if name == "visible" else value)
    except ValueError as error:
        raise UsageError(f"bad replay value: {name}: {error}") from None
