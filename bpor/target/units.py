"""The compilation units of an instrumented module that tell nothing of their accesses: objects and archives that were compiled elsewhere.

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


def silent_units(image: Image) -> tuple[str, ...]:
    """By name, in the order of linking."""
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
    return tuple(dict.fromkeys(name for name in own if _NAME.fullmatch(name) and not _KNOWN.fullmatch(name)))
