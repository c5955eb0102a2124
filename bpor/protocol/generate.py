"""Writes what Python knows of headers: ops.py from csrc/protocol/ops.def, known_calls.py from csrc/python/*.def and
csrc/protocol/intercepted.def, and with cffi (ABI mode) _wire.py from the parts of csrc/protocol/protocol.h and
bpor/engine/_library.py from bpor/include/bpor_engine.h.

Run as `python -m bpor.protocol.generate` after a change of any; `--check` only says whether they are fresh.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE.parent
CONTRACT = PACKAGE.parent / "csrc" / "protocol"
_CALL = re.compile(r"^(?!USES)[A-Z_]+\((\w+)(?:, .*)?\)$", re.M)
_TOLD = re.compile(r"^FUNCTION\((\w+), told_table\)$", re.M)
_PART = re.compile(r'^#include "(.+)"$', re.M)
_ROW = re.compile(r'^OP\((\w+), "([^"]+)", ([\w |]+)\)$', re.M)

_HEADER = '''"""Generated from csrc/protocol/ops.def by bpor.protocol.generate: do not edit."""

from __future__ import annotations

from enum import Enum


class Op(Enum):
    """One operation kind: its number on the wire, its text in reports, its properties."""

    number: int
    text: str
    acquires: bool
    releases: bool
    blocks: bool
    yields: bool
    ends: bool

    def __init__(self, number: int, text: str, properties: str) -> None:
        self.number = number
        self.text = text
        self.acquires = "A" in properties
        self.releases = "R" in properties
        self.blocks = "B" in properties
        self.yields = "Y" in properties
        self.ends = "E" in properties

    __hash__ = object.__hash__  # Enum's hashes the name on every look-up

'''
_LETTER = {"ACQUIRE": "A", "RELEASE": "R", "BLOCKS": "B", "YIELDS": "Y", "ENDS": "E", "NOTHING": ""}


def ops_source() -> str:
    rows = _ROW.findall((CONTRACT / "ops.def").read_text())
    lines = [
        f'    {name} = ({number}, "{text}", "{"".join(_LETTER[p.strip()] for p in properties.split("|"))}")'
        for number, (name, text, properties) in enumerate(rows)
    ]
    return _HEADER + "\n".join(lines) + "\n\n\nBY_NUMBER: tuple[Op, ...] = tuple(Op)\n"


def calls_source() -> str:
    python = CONTRACT.parent / "python"
    steps = [name for table in ("calls.def", "given.def") for name in _CALL.findall((python / table).read_text())]
    told = _TOLD.findall((CONTRACT / "intercepted.def").read_text())
    return f'''"""Generated from csrc/python/*.def and csrc/protocol/intercepted.def by bpor.protocol.generate: do not edit."""

from __future__ import annotations

# Of a Python interpreter: they are steps.
{_set_source("CALLS", steps)}
# Of libc: a table tells of the memory that they are given.
{_set_source("TOLD_BY_TABLE", told)}'''


def _set_source(name: str, members: Iterable[str]) -> str:
    listed = "\n".join(f'        "{member}",' for member in sorted(set(members)))
    return f"{name}: frozenset[str] = frozenset(\n    {{\n{listed}\n    }}\n)\n"


def header_source(headers: Iterable[Path], module: str) -> str:
    from cffi import FFI

    ffi = FFI()
    ffi.cdef("".join(header.read_text().split("/* cffi: begin */")[1].split("/* cffi: end */")[0] for header in headers))
    ffi.set_source(module, None)
    with tempfile.TemporaryDirectory() as directory:
        ffi.compile(tmpdir=directory)
        return (Path(directory) / f"{module}.py").read_text()


def parts_of(header: Path) -> Iterable[Path]:
    """The headers that make it up, in its order."""
    return (CONTRACT.parent / name for name in _PART.findall(header.read_text()))


def sources() -> dict[Path, str]:
    """Every generated file, and what it must hold."""
    return {
        HERE / "ops.py": ops_source(),
        HERE / "known_calls.py": calls_source(),
        HERE / "_wire.py": header_source(parts_of(CONTRACT / "protocol.h"), "_wire"),
        PACKAGE / "engine" / "_library.py": header_source([PACKAGE / "include" / "bpor_engine.h"], "_library"),
    }


def main() -> int:
    stale = []
    for path, source in sources().items():
        if path.exists() and path.read_text() == source:
            continue
        stale.append(path.name)
        if "--check" not in sys.argv:
            path.write_text(source)
    if "--check" in sys.argv and stale:
        print(f"stale: {', '.join(stale)}; run python -m bpor.protocol.generate")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
