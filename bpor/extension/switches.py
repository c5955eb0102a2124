"""The places at which a thread that holds the GIL can be preempted: before calls of extensions and of the interpreter's own locks
(csrc/python/switches.h).

Needs the standard library alone.
"""

from __future__ import annotations

import _thread
import sys
import types
from collections.abc import Iterable, Iterator
from importlib.machinery import ExtensionFileLoader
from typing import Any

from bpor.extension.library import Library

_LOCKS = (type(_thread.allocate_lock()), type(_thread.RLock()))
_FUNCTIONS = ("builtin_function_or_method", "cython_function_or_method", "fused_cython_function")


def offer_switches(library: Library) -> None:
    """Of those, the library takes the ones that are instrumented."""
    library.switch_look()
    _show_next(library)
    for held in (_thread.allocate_lock(), _thread.RLock()):
        with held:
            library.switch_lock(id(type(held)), id(held))
    kinds = [kind for kind in _subclasses(object) if kind not in _LOCKS]
    for kind in kinds:
        library.switch_type(id(kind))
    for function in _functions(kinds):
        library.switch_function(id(function))


def _show_next(library: Library) -> None:
    """Where next() asks an iterator: a thread can be left there, and not where the interpreter itself asks for all that there is."""

    class Iterator:
        def __next__(self) -> None:
            raise StopIteration

    shown: Any = Iterator()
    library.switch_next(id(Iterator))
    next(shown, None)


def _subclasses(base: type) -> Iterator[type]:
    waiting, seen = [base], set[int]()
    while waiting:
        found: list[type] = type.__subclasses__(waiting.pop())
        for kind in found:
            if id(kind) not in seen:  # a metaclass may make it unhashable
                seen.add(id(kind))
                waiting.append(kind)
                yield kind


def _functions(kinds: Iterable[type]) -> Iterator[Any]:
    """Of modules that are extensions, of what cffi made of libraries, and of types whose methods are such functions."""
    places: list[Any] = [module for module in list(sys.modules.values()) if _is_extension(module)]
    places += [value for module in places for value in vars(module).values() if type(value).__name__ == "Lib"]
    for place in [*places, *kinds]:
        members = [getattr(place, name, None) for name in dir(place)] if type(place).__name__ == "Lib" else vars(place).values()
        for member in list(members):
            function = getattr(member, "__func__", member) if isinstance(member, staticmethod | classmethod) else member
            function = getattr(function, "__func__", function) if type(function).__name__ == "instancemethod" else function
            if type(function).__name__ in _FUNCTIONS:
                yield function


def _is_extension(module: object) -> bool:
    return isinstance(module, types.ModuleType) and isinstance(getattr(module, "__loader__", None), ExtensionFileLoader)
