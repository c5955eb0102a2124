"""Functions of libstdc++ that work on objects of the program's: strings, nodes of trees and lists, streams, paths, resources of memory, ...

Templates put most of such an object's work into the program; what the library has ready made is the program's own work done elsewhere, so
it is patched as the program is: every function that it has for others, but for those that are known to work on data of the library's own
(memory is given and taken, exceptions are thrown and caught, tables of letters are filled), which they do in any order that threads ask
for. What threads share through the standard streams is a conflict only if it changes something (csrc/race/streams.c).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Set
from functools import cache

from bpor.target.elf import Elf, calls_of, open_image, read_elf
from bpor.target.image import DT_STRTAB, STT_FUNC, Image, Symbol

LIBRARY = "libstdc++.so.6"
_SONAME = 14


# By the names that they have: in its namespaces, thunks of virtual functions, and what compilers call by themselves.
_FOR_OTHERS = re.compile(
    r"_Z(T[hvc]\w*_)?(N[KVRO]*)?(S[tabsiod]|9__gnu_cxx|11__gnu_debug|10__cxxabiv1)|__dynamic_cast$|__cxa_(demangle|vec_)"
)
# What of theirs writes into an object of the program's is told where it is called (csrc/intercept/thread_of_cpp.c).
_THREADS = re.compile(r"_ZNS(t6thread|t18condition_variable|t6chrono|t11this_thread)")

# What a module linked by `bpor-native c++` still asks the library for, behind functions of ours that tell (csrc/instrument/bpor_hashes.c).
WRAPPED = frozenset(
    {
        "_ZSt11_Hash_bytesPKvmm",
        "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
        "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm",
    }
)


# Not looked at: memory is given and taken, exceptions are thrown and caught, the first use of the standard streams, and tables that a facet
# of a locale fills when it is asked for the first time, with the same letters whoever asks. And functions of libc which are given memory
# of the library's own.
_LEAVES = re.compile(
    r"_ZNK?St5ctypeI[cw]E\d+_M_(widen_init|narrow_init|initialize_ctype)|_ZNSt8ios_base4Init|_ZSt(\d+__throw_|9terminate)"
    r"|_Zn[wa]m|_Zd[la]Pv|__cxa_(?!demangle|vec_)"
    r"|(ioctl|newlocale|freelocale|statvfs|utimensat|sendfile|__(str|wcs)(coll|xfrm)_l|__strto[df]_l|strtold_l)$"
)


def leaves_containers_alone(name: str) -> bool:
    """A function that they call, by its name."""
    return _LEAVES.match(name) is not None


def container_code(image: Image) -> list[tuple[int, int]]:
    """Addresses of these functions, sorted; nothing in another library."""
    return sorted({_range(symbol) for symbol in _functions(image)})


def leaves_code(image: Image) -> frozenset[int]:
    """Where functions begin that are left alone."""
    return frozenset(symbol.address for symbol in image.dynamic_symbols() if symbol.section and leaves_containers_alone(_name(symbol)))


def container_names(image: Image, ranges: Set[tuple[int, int]]) -> tuple[str, ...]:
    """Of those among these functions."""
    return tuple(sorted(_name(symbol) for symbol in _functions(image) if _range(symbol) in ranges))


@cache
def container_functions(path: str) -> frozenset[str]:
    """The names of all."""
    try:
        with open_image(path) as image:
            return frozenset(map(_name, _functions(image))) if image is not None else frozenset()
    except OSError:
        return frozenset()


def containers_called(callers: Iterable[Elf], libraries: Iterable[str]) -> list[Elf]:
    """The library, if one of them calls such a function."""
    path = next((path for path in libraries if os.path.basename(path) == LIBRARY), "")
    calls = {name for elf in callers if path for name in calls_of(elf.path) - (WRAPPED if elf.has_stub else frozenset())}
    asked = (name for name in calls if _FOR_OTHERS.match(name) and not _THREADS.match(name))
    library = read_elf(path) if any(not leaves_containers_alone(name) for name in asked) else None
    return [library] if library is not None else []


def _functions(image: Image) -> list[Symbol]:
    dynamic = dict(image.dynamic())
    if _SONAME not in dynamic or image.at(dynamic.get(DT_STRTAB, 0) + dynamic[_SONAME], len(LIBRARY)) != LIBRARY.encode():
        return []
    functions = (symbol for symbol in image.dynamic_symbols() if symbol.section and symbol.kind == STT_FUNC and symbol.bytes)
    return [symbol for symbol in functions if _FOR_OTHERS.match(_name(symbol)) and not leaves_containers_alone(_name(symbol))]


def _range(symbol: Symbol) -> tuple[int, int]:
    return symbol.address, symbol.address + symbol.bytes


def _name(symbol: Symbol) -> str:
    return symbol.name.decode("utf-8", "replace")
