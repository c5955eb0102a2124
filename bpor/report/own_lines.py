"""Has a module debug information of its own? Debug information that came with the C library's start files or with linked libraries does not
count.

Invariant: a lookup never raises; what cannot be read is no debug information.
"""

from __future__ import annotations

import os
import re

from bpor.report.symbols import ModuleSymbols, load

# Sources of the objects that the C library and the compiler link into every program; some systems ship them with debug information.
# bpor_mark and bpor_stub: csrc/instrument, which `bpor-native cc` links.
_START_FILES = re.compile(r"(start|crt[1in]|crtstuff|crt(begin|end)\w*|abi-note|init|elf-init|static-reloc|atexit|bpor_(mark|stub))\.\w+")
_MOST_UNITS = 100


def debug_information(path: str) -> str:
    """In words: `yes`, or what is missing."""
    none = "none: reports name functions, not lines (build with -g)"
    try:
        module = load(path)
        if module is None or module.image.dwarf is None:
            return none
        with module.image.limit.held():
            return _of(module, none)
    except Exception:  # written by every compiler there is; see symbols.py
        return none


def _of(module: ModuleSymbols, none: str) -> str:
    main = module.image.function_named("main")
    if main is None:
        return "yes" if _units(module) else none
    if module.image.unit_at(main) is not None:
        return "yes"
    units = _units(module)
    return f"of {_examples(units)}, but not of the object file that has main (build with -g)" if units else none


def _units(module: ModuleSymbols) -> list[str]:
    """The sources of the module's units, without start files."""
    names: list[str] = []
    for number, unit in enumerate(module.image.units()):
        if number == _MOST_UNITS:
            break
        name = unit.get_top_DIE().attributes.get("DW_AT_name")
        base = os.path.basename(name.value.decode("utf-8", "replace")) if name is not None else ""
        if base and not _START_FILES.fullmatch(base):
            names.append(base)
    return names


def _examples(names: list[str]) -> str:
    return ", ".join(names[:3]) + ", ..." * (len(names) > 3)
