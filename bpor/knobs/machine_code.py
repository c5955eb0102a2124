"""Settings.machine_code: which modules are patched."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bpor.lazy_dataclass import dataclass

_MACHINE_CODE = ("off", "auto", "all")


def read_machine_code(text: str) -> str:
    mode, *modules = text.split(",")
    if mode not in _MACHINE_CODE or not all(re.fullmatch(r"-[^/]+|\+.+", name) for name in modules):
        choices = ", ".join(_MACHINE_CODE)
        raise ValueError(f"{text!r} is not one of {choices}, nor with modules to leave alone or to add: auto,-libfoo.so.1,+./plugin.so")
    return text


@dataclass(frozen=True, slots=True)
class MachineCode:
    """How machine code is patched."""

    mode: str
    alone: frozenset[str]  # names of modules that are left alone
    added: tuple[str, ...]  # paths of modules that the program loads as it runs


def machine_code_of(text: str) -> MachineCode:
    mode, *modules = text.split(",")
    alone = frozenset(name.removeprefix("-") for name in modules if name.startswith("-"))
    return MachineCode(mode, alone, tuple(name.removeprefix("+") for name in modules if name.startswith("+")))


def add_modules(text: str, paths: Iterable[str]) -> str:
    """And these."""
    return ",".join((text, *(f"+{path}" for path in paths)))


def leave_alone(text: str, module: str) -> str:
    """The same without this module; without a name: without any."""
    return f"{text},-{module}" if module and "," not in module else "off"
