"""From a marker and the command line to Settings. The command line wins: it is nearer to the one who asks."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from bpor.errors import UsageError
from bpor.extension.explore import DEFAULTS, Commands
from bpor.extension.replay_value import from_value
from bpor.extension.start import STARTED_BY_US, has_no_gil
from bpor.lazy_dataclass import replace
from bpor.model.schedule import Schedule
from bpor.python_target import without_gil
from bpor.search.bounds import parse_bound
from bpor.settings import KNOBS, Settings

# What a marker may say, and the command line for all tests.
MARKED = ("bound", "gil", "max_executions", "max_time", "max_steps", "watchdog", "timeouts", "races", "signal", "seed", "require")
GIVEN = ("bound", "gil", "max_executions", "max_time", "watchdog", "require")
FLAGS = {name: f"--bpor-{name.replace('_', '-')}" for name in GIVEN}
_KNOBS = {knob.field: knob for knob in KNOBS}


def settings_given(config: pytest.Config) -> tuple[Settings, Schedule | None]:
    """By the command line alone; with --bpor-replay, its schedule. Raises UsageError."""
    return settings_of(config, {}, {})


def settings_of(config: pytest.Config, marked: Mapping[str, Any], names: Mapping[str, Any]) -> tuple[Settings, Schedule | None]:
    """`names`: of objects that are there before the test."""
    changed = {name: _checked(name, value) for name, value in marked.items()}
    for name in GIVEN:
        text = config.getoption(f"bpor_{name}")
        if text is not None:
            changed[name] = _read(name, text, FLAGS[name])
    settings = replace(DEFAULTS, **changed, inconclusive=config.getoption("bpor_inconclusive"))
    settings = settings if "races" in marked else without_gil(settings, has_no_gil())
    if settings.bound is None:
        settings = replace(settings, search=None)  # widens by itself
    else:
        parse_bound(settings.bound)
    value = config.getoption("bpor_replay")
    if value is None:
        return settings, None
    schedule, settings = from_value(value, settings, names)
    return settings, schedule


def _checked(name: str, value: Any) -> Any:
    """As a knob reads it: a marker may write 30 or "30s"."""
    if name not in MARKED:
        raise UsageError(f"pytest.mark.bpor: {name!r} is not one of {', '.join(MARKED)}")
    return None if value is None else _read(name, str(value), f"pytest.mark.bpor: {name}")


def _read(name: str, text: str, where: str) -> Any:
    try:
        return _KNOBS[name].read(text)
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from None


def commands_for(item: pytest.Item) -> Commands:
    _, _, name = item.nodeid.partition("::")
    test = [*_pytest(item.config), f"{os.path.relpath(item.path, item.config.invocation_params.dir)}::{name}"]

    def again(settings: Settings) -> str:
        changed = [(name, getattr(settings, name)) for name in GIVEN if getattr(settings, name) != getattr(DEFAULTS, name)]
        return shlex.join([*test, "--bpor", *(f"{FLAGS[name]}={_KNOBS[name].write(value)}" for name, value in changed)])

    def words(text: str) -> str:
        for flag, ours in FLAGS.items():
            text = re.sub(rf"(?<!\S){_KNOBS[flag].flag}(?=[ =,;.)]|$)", ours, text)
        return text

    return Commands(lambda value: shlex.join([*test, f"--bpor-replay={value}"]), again, words, names_of(item))


def names_of(item: pytest.Item) -> dict[str, Any]:
    """What a test finds when it begins: its fixtures, and what its file names."""
    return {**vars(getattr(item, "module", object)), **getattr(item, "funcargs", {})}


def _pytest(config: pytest.Config) -> list[str]:
    """As it was started: `bpor-native pytest`, `pytest`, a script elsewhere, or `python -m pytest`; by the process that started the
    workers, if this is one."""
    if os.environ.get(STARTED_BY_US):
        return ["bpor-native", "pytest"]
    script = getattr(config, "workerinput", {}).get("mainargv", sys.argv)[0]
    if os.path.basename(script) == "__main__.py":
        return [_as_typed(sys.executable), "-m", "pytest"]
    return [_as_typed(script)]


def _as_typed(program: str) -> str:
    """By its name alone where that finds it."""
    name = os.path.basename(program)
    return name if shutil.which(name) == program else program
