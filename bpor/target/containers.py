"""Functions of libstdc++ that work on objects of the program's: strings, nodes of trees and lists, tables of buckets, streams.

Templates put most of such an object's work into the program; what the library has ready made is the program's own work done elsewhere, so
it is patched as the program is. What threads share through the standard streams is no conflict (csrc/race/streams.c). The rest of the
library is not patched: what it does to its own static data (locales, exceptions), it does in any order that threads ask for.
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
_CLASSES = (
    *("basic_string", "_List_node_base", "_Prime_rehash_policy"),
    *("ios_base", "basic_ios", "basic_istream", "basic_ostream", "basic_iostream", "basic_streambuf"),
    *("basic_filebuf", "basic_fstream", "basic_ifstream", "basic_ofstream"),
    *("basic_stringbuf", "basic_stringstream", "basic_istringstream", "basic_ostringstream"),
    *("strstreambuf", "strstream", "istrstream", "ostrstream"),
    *("num_get", "num_put", "money_get", "money_put", "time_get", "time_put"),  # they move along the buffer of a stream
)
_FUNCTIONS = ("__ostream_insert", "endl", "ends", "flush", "ws", "getline", "_Hash_bytes")


def _mangled(names: tuple[str, ...]) -> str:
    return "|".join(f"{len(name)}{name}" for name in names)


_MEMBERS = re.compile(
    f"_ZNK?(S[sbiod]|St(7__cxx11|8__detail)?({_mangled(_CLASSES)})|St15__exception_ptr13exception_ptr)|_ZSt({_mangled(_FUNCTIONS)}|\\d+_Rb_tree_|(ls|rs)I)".encode()
)

# What a module linked by `bpor-native c++` still asks the library for, behind functions of ours that tell (csrc/instrument/bpor_hashes.c).
WRAPPED = frozenset(
    {
        "_ZSt11_Hash_bytesPKvmm",
        "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
        "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm",
    }
)


# What they call and is not looked at: memory is given and taken, exceptions are made, thrown and caught, locales and their facets are
# asked, the file behind a buffer is used by calls that are operations, and numbers are read out of texts that nobody else has.
_APART_CLASSES = (
    *("locale", "ctype", "codecvt", "numpunct", "moneypunct", "collate", "messages", "__timepunct", "__ctype_abstract_base"),
    *(
        "__numpunct_cache",
        "__moneypunct_cache",
        "__timepunct_cache",
        "exception",
        "runtime_error",
        "logic_error",
        "bad_cast",
        "system_error",
    ),
    *("failure", "error_category", "__basic_file"),
)
_APART_FUNCTIONS = ("use_facet", "has_facet", "__convert_to_v", "__convert_from_v", "__verify_grouping", "terminate", "iostream_category")
_LEAVES = re.compile(
    f"_ZNK?(St(7__cxx11|3_V2)?({_mangled(_APART_CLASSES)})|St8ios_base(7failure|4Init))"
    f"|_ZSt({_mangled(_APART_FUNCTIONS)}|\\d+__throw_)|_ZNSt3_V2|_Zn[wa]m|_Zd[la]Pv|__cxa_|__dynamic_cast|__uselocale"
)


def leaves_containers_alone(name: str) -> bool:
    """A function that they call, by its name."""
    return _LEAVES.match(name) is not None


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
    """The library, if one of them calls such a function."""
    path = next((path for path in libraries if os.path.basename(path) == LIBRARY), "")
    calls = {name for elf in callers if path for name in calls_of(elf.path) - (WRAPPED if elf.has_stub else frozenset())}
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
