"""The compilation units of an instrumented module that tell nothing of their accesses: objects and archives that were compiled elsewhere.

Every unit with instrumentation has a constructor of its own that calls `__tsan_init`, a local symbol; the symbol table lists local symbols
by unit, each list under the name of the source file, or of the object where that is not known. Invariant: without local symbols (stripped)
nothing is claimed.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from itertools import dropwhile

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

_SYMBOL = struct.Struct("<IBBHQQ")  # Elf64_Sym: name, type and binding, visibility, section, value, size
_FUNCTION, _FILE = 2, 4
_CONSTRUCTOR = re.compile(rb"_sub_I_00099_|tsan\.module_ctor")  # gcc's, clang's
# What the C library and gcc link into every program, and our stub.
_KNOWN = re.compile(r"(S|r|g|gr)?crt[1in]\.o|crt(stuff|begin|end)\w*\.\w+|tsan_preinit\.cpp|bpor_(stub|mark)\.c")
# The first object of every program, where it was not stripped: names that a program's own sources may have, but not in front.
_FIRST = re.compile(r"abi-note\.\w+|init\.c|start\.\w+|static-reloc\.\w+")
# A source or an object. Units of rustc end in a number, those of link-time optimisation have no name: neither tells what it came from.
_NAME = re.compile(r".+\.[A-Za-z][\w+]{0,3}")


def silent_units(file: ELFFile) -> tuple[str, ...]:
    """By name, in the order of linking."""
    units, functions = dict[tuple[int, str], bool](), 0
    current = (0, "")
    for kind, name in _local_symbols(file):
        if kind == _FILE:
            current = (len(units), name.decode("utf-8", "replace"))
            units[current] = False
        elif kind == _FUNCTION:
            functions += 1
            units[current] = units.get(current, False) or bool(_CONSTRUCTOR.match(name))
    if not functions:
        return ()
    silent = (name for (_, name), tells in units.items() if not tells)
    own = dropwhile(_FIRST.fullmatch, silent)
    return tuple(dict.fromkeys(name for name in own if _NAME.fullmatch(name) and not _KNOWN.fullmatch(name)))


def _local_symbols(file: ELFFile) -> Iterator[tuple[int, bytes]]:
    """Files and functions: type and name."""
    table = file.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection) or file.elfclass != 64:
        return
    names = table.stringtable.data()
    for at, info, _, _, _, _ in _SYMBOL.iter_unpack(table.data()[: table["sh_info"] * _SYMBOL.size]):
        if info & 0xF in (_FUNCTION, _FILE):
            yield info & 0xF, names[at : names.index(b"\0", at)]
