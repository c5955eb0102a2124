"""A Python process that is its own target loads all that a search may need before its first execution.

If modules were loaded when the first failure is reported, the process would change between two executions of one schedule: its objects
would lie elsewhere, and its threads could behave differently. In all other cases the tool and the program are two processes, and a pass
loads no module that describes failures.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from bpor.lazy_dataclass import compile_all

_NEEDED = (
    "model",
    "protocol",
    "report",
    "search",
    "target",
    "combinations",
    "confirmation",
    "python_target",
    "race_orders",
    "racing_sites",
    "searching",
    "suppressing",
    "visible_races",
)
_NOT_THERE = ("report.html", "report.progress", "target.gdb_commands")  # pytest has a page and a progress of its own; the last is gdb's


@cache
def load_everything() -> None:
    for part in _NEEDED:
        module = import_module(f"bpor.{part}")
        for found in pkgutil.walk_packages(getattr(module, "__path__", []), f"bpor.{part}."):
            if not found.name.startswith(tuple(f"bpor.{name}" for name in _NOT_THERE)):
                import_module(found.name)
    compile_all()
    import_module("elftools.elf.elffile")
    import_module("elftools.dwarf.dwarfinfo")
