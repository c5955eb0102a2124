"""Places in objects that were made before the test, by how one comes to them from a name: `box.28` is the word at offset 0x28 of the
object called box, `box.28.10` is at offset 0x10 of what that word points to. In one process such a place is known by its address, which
another process does not have: a replay line has the name. Static variables have names as well (static_places.py).
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bpor.errors import UsageError
from bpor.extension import static_places

_CLASS = 0xC << 56  # of a place in memory that nobody was seen to allocate (csrc/memory/places.c): behind it stands its address
_ADDRESS = (1 << 58) - 1
_DEEPEST = 3
_LARGEST, _SMALLEST, _ALIGNMENT = 1 << 16, 32, 16
_BEFORE = (0, 16, 32)  # what the interpreter may put before an object in its block
_NAMED = re.compile(r"([A-Za-z_]\w*)((?:\.[0-9a-f]+)+)\+(\d+)")


class _Block(NamedTuple):
    path: str
    start: int
    bytes: int


def with_names(visible: str, names: Mapping[str, Any]) -> str:
    """Places of Settings.visible, by names where they have one."""
    return ",".join(_named(part, names) for part in visible.split(",") if part)


def with_addresses(visible: str, names: Mapping[str, Any]) -> str:
    """The same the other way round, in this process. Without any names nobody knows the test yet, and named places are left out."""
    parts = [part for part in visible.split(",") if part]
    found = [_resolved(part, names) for part in parts]
    if names and not all(found):
        raise UsageError(f"bad replay value: there is nothing at {parts[found.index('')]}")
    return ",".join(filter(None, found))


def _named(part: str, names: Mapping[str, Any]) -> str:
    identity, _, size = part.partition("+")
    place = int(identity, 16)
    if (static := static_places.named(place)) is not None:
        return f"{static}+{size}"
    if place & ~_ADDRESS != _CLASS & ~_ADDRESS or (heap := _heap()) is None:
        return part
    address = place & _ADDRESS
    for block in _reachable(names, heap):
        if block.start <= address < block.start + block.bytes:
            return f"{block.path}.{address - block.start:x}+{size}"
    return part


def _resolved(part: str, names: Mapping[str, Any]) -> str:
    if ":" in part:
        text, _, size = part.rpartition("+")
        place = static_places.place_of(text)
        return "" if place is None else f"{place:x}+{size}"
    match = _NAMED.fullmatch(part)
    if match is None:
        return part
    heap, name = _heap(), match[1]
    if heap is None or name not in names:
        return ""
    address, *offsets = [id(names[name]), *(int(offset, 16) for offset in match[2].split(".")[1:])]
    for number, offset in enumerate(offsets, 1):
        address += offset
        if address not in heap:
            return ""
        address = _word(address) if number < len(offsets) else address
    return f"{_CLASS | address:x}+{match[3]}"


def _reachable(names: Mapping[str, Any], heap: range) -> Iterator[_Block]:
    """Blocks by increasing distance from the names."""
    level = [block for name, value in names.items() if (block := _block(name, id(value), heap)) is not None]
    seen: set[int] = set()
    for _ in range(_DEEPEST):
        yield from level
        seen |= {block.start for block in level}
        level = [
            found
            for block in level
            for offset in range(0, block.bytes - 7, 8)
            if (found := _block(f"{block.path}.{offset:x}", _word(block.start + offset), heap)) is not None and found.start not in seen
        ]


def _block(path: str, pointer: int, heap: range) -> _Block | None:
    """What a pointer leads to, as far as its block in libc's heap goes; None: it leads elsewhere."""
    if pointer % _ALIGNMENT or pointer not in heap:
        return None
    for before in _BEFORE:
        chunk = pointer - before - 16
        if chunk in heap and _is_chunk(chunk, heap):
            return _Block(path, pointer, chunk + (_word(chunk + 8) & ~7) + 8 - pointer)
    return None


def _is_chunk(chunk: int, heap: range) -> bool:
    """libc keeps sizes before blocks (malloc.c): this one's, and that of the one behind it, which says that this one is in use."""
    size = _word(chunk + 8)
    following = chunk + (size & ~7)
    return size % 16 < 8 and _SMALLEST <= size < _LARGEST and following + 16 in heap and bool(_word(following + 8) & 1)


def _word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def _heap() -> range | None:
    with open("/proc/self/maps") as maps:
        for line in maps:
            if line.rstrip().endswith("[heap]"):
                low, _, high = line.split()[0].partition("-")
                return range(int(low, 16), int(high, 16) - 64)
    return None
