"""Static variables by the file of their module: `_speedups.so:ce88` is at offset 0xce88 from where that file was loaded. In one process a
module has a number, in the order in which modules were loaded, which is another one where other tests have loaded more before.
"""

from __future__ import annotations

import ctypes
import re

_OFFSET_BITS, _MODULES = 32, 1 << 26  # of a place (csrc/memory/places.c)
_NAMED = re.compile(r"([^:+,@]+):([0-9a-f]+)")


class _Loaded(ctypes.Structure):
    """struct dl_phdr_info, as far as it matters."""

    _fields_ = [("address", ctypes.c_void_p), ("path", ctypes.c_char_p)]


_VISIT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Loaded), ctypes.c_size_t, ctypes.c_void_p)


def named(place: int) -> str | None:
    """None: it is no such variable, or its module has no name of its own."""
    number, offset = divmod(place, 1 << _OFFSET_BITS)
    paths = _paths()
    if not 0 < number < min(len(paths), _MODULES):
        return None
    text = f"{_shortest(paths[number], paths)}:{offset:x}"
    return text if _NAMED.fullmatch(text) else None


def place_of(text: str) -> int | None:
    """None: it is no such name, or nothing of that name is loaded."""
    match = _NAMED.fullmatch(text)
    numbers = [number for number, path in enumerate(_paths()) if match and f"/{path}".endswith(f"/{match[1]}")]
    return numbers[0] << _OFFSET_BITS | int(match[2], 16) if match and numbers else None


def _shortest(path: str, paths: list[str]) -> str:
    """The end of the path that no other one has."""
    parts = path.split("/")
    ends = ("/".join(parts[begin:]) for begin in range(len(parts) - 1, -1, -1))
    return next((end for end in ends if sum(f"/{one}".endswith(f"/{end}") for one in paths) == 1), "")


def _paths() -> list[str]:
    """Of all that is loaded, by number; the program itself has none."""
    found: list[str] = []

    def visit(loaded: ctypes._Pointer[_Loaded], _size: int, _data: int | None) -> int:
        found.append((loaded.contents.path or b"").decode(errors="replace"))
        return 0

    ctypes.CDLL(None).dl_iterate_phdr(_VISIT(visit), None)
    return found
