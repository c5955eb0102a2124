"""The compilation units of an instrumented module that tell nothing of their accesses: objects and archives that were compiled elsewhere.
Their functions are those that call no callback; where there are such units, machine code tells of them (bpor/machine).

Every unit with instrumentation has a constructor of its own that calls `__tsan_init`, a local symbol; the symbol table lists local symbols
by unit, each list under the name of the source file, or of the object where that is not known. Invariant: without local symbols (stripped)
nothing is claimed.
"""

from __future__ import annotations

import re
from itertools import dropwhile

from bpor.target.image import STT_FILE, STT_FUNC, Image

_CONSTRUCTOR = re.compile(rb"_sub_I_00099_|tsan\.module_ctor")  # gcc's, clang's
# What the C library and gcc link into every program (offloadstuff.c is a table that -fopenmp adds, without code), and our stub.
_KNOWN = re.compile(
    r"(S|r|g|gr)?crt[1in]\.o|crt(stuff|begin|end)\w*\.\w+|offloadstuff\.c|tsan_preinit\.cpp|bpor_(stub|mark|lists|trees|hashes)\.c"
)
# The first object of every program, where it was not stripped: names that a program's own sources may have, but not in front.
_FIRST = re.compile(r"abi-note\.\w+|init\.c|start\.\w+|static-reloc\.\w+")
# A source or an object. Units of rustc end in a number, those of link-time optimisation have no name: neither tells what it came from.
_NAME = re.compile(r".+\.[A-Za-z][\w+]{0,3}")
_RUST = re.compile(r"\w+\.[0-9a-f]{16}-cgu\.\d+")  # of a crate that was compiled before, the standard library first of all


def silent_code(image: Image) -> tuple[str, ...]:
    """The units that have functions of their own and no callbacks, by name, in the order of linking."""
    return tuple(name for name in _silent(image) if is_file(name) or _RUST.fullmatch(name))


def is_file(name: str) -> bool:
    """Does the name of a unit tell what it came from?"""
    return _NAME.fullmatch(name) is not None


def callbacks(image: Image) -> frozenset[int]:
    """Addresses of what nothing but instrumentation calls: `memcpy` is a callback of one compiler, and a function that everybody calls."""
    named = _functions(image)
    others = {address for address, name in named if not name.startswith((b"__tsan_", b"bpor_", b"alone_"))}
    return frozenset(address for address, name in named if name.startswith(b"__tsan_")) - others


def stub_functions(image: Image) -> frozenset[int]:
    """Addresses of the callbacks, and of what else of ours lies among them."""
    named = _functions(image)
    told = [address for address, name in named if name.startswith(b"__tsan_")]
    low, high = min(told, default=0), max(told, default=0)
    ours = (address for address, name in named if name.startswith((b"alone_", b"bpor_")) and low < address < high)
    return frozenset((*told, *ours))


def _functions(image: Image) -> list[tuple[int, bytes]]:
    return [(symbol.address, symbol.name) for symbol in image.symbols() if symbol.kind == STT_FUNC and symbol.section]


def _silent(image: Image) -> tuple[str, ...]:
    units, functions = dict[tuple[int, str], bool](), 0
    current = (0, "")
    for symbol in image.local_symbols():
        if symbol.kind == STT_FILE:
            current = (len(units), symbol.name.decode("utf-8", "replace"))
            units[current] = False
        elif symbol.kind == STT_FUNC:
            functions += 1
            units[current] = units.get(current, False) or bool(_CONSTRUCTOR.match(symbol.name))
    if not functions:
        return ()
    silent = (name for (_, name), tells in units.items() if not tells)
    own = dropwhile(_FIRST.fullmatch, silent)
    return tuple(dict.fromkeys(name for name in own if not _KNOWN.fullmatch(name)))
