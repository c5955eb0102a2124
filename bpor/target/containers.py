"""Functions of libstdc++ that work on containers of the program's: members of strings, nodes of trees and lists, tables of buckets.

Templates put most of a container into the program; what the library has ready made is the program's own work done elsewhere, so it is
patched as the program is. The rest of the library is not: its streams keep their format in plain members, which threads may change at once
where the stream is a standard one, so that every two lines of output would be run in both orders.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from bpor.target.elf import Elf, calls_of, open_image, read_elf
from bpor.target.image import DT_STRTAB, Image

LIBRARY = "libstdc++.so.6"
_SONAME = 14
_FUNCTION = 2  # STT_FUNC
_MEMBERS = re.compile(
    rb"_ZNK?(St7__cxx1112basic_stringI|Ss|SbI|St8__detail(15_List_node_base|20_Prime_rehash_policy))|_ZSt\d+_Rb_tree_|_ZSt11_Hash_bytes"
)

# What a module linked by `bpor-native c++` still asks the library for, behind functions of ours that tell (csrc/instrument/bpor_hashes.c).
WRAPPED = frozenset(
    {
        "_ZSt11_Hash_bytesPKvmm",
        "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
        "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm",
    }
)


def container_code(image: Image) -> list[tuple[int, int]]:
    """Addresses of these functions, sorted; nothing in another library."""
    return sorted({(start, end) for start, end, _ in _functions(image)})


def container_functions(path: str) -> frozenset[str]:
    """Their names."""
    try:
        with open_image(path) as image:
            return frozenset(name for _, _, name in _functions(image)) if image is not None else frozenset()
    except OSError:
        return frozenset()


def containers_called(callers: Iterable[Elf], libraries: Iterable[str]) -> list[Elf]:
    """The library, if code that is not instrumented calls such a function."""
    path = next((path for path in libraries if os.path.basename(path) == LIBRARY), "")
    calls = {name for elf in callers if path and not elf.instrumented for name in calls_of(elf.path)}
    library = read_elf(path) if any(_MEMBERS.match(name.encode()) for name in calls) else None
    return [library] if library is not None else []


def _functions(image: Image) -> list[tuple[int, int, str]]:
    dynamic = dict(image.dynamic())
    if _SONAME not in dynamic or image.at(dynamic.get(DT_STRTAB, 0) + dynamic[_SONAME], len(LIBRARY)) != LIBRARY.encode():
        return []
    return [
        (symbol.address, symbol.address + symbol.bytes, symbol.name.decode("utf-8", "replace"))
        for symbol in image.dynamic_symbols()
        if symbol.section and symbol.kind == _FUNCTION and symbol.bytes and _MEMBERS.match(symbol.name)
    ]
