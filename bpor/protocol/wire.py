"""The controller's view of protocol.h: sizes, constants and event layout all come from the header, through cffi."""

from __future__ import annotations

import os
from struct import Struct
from typing import Any

from bpor.protocol._wire import ffi  # type: ignore[import-not-found,unused-ignore]

_LETTER = {"uint8_t": "B", "uint16_t": "H", "uint32_t": "I", "int32_t": "i", "uint64_t": "Q"}


def _letters(type_name: str) -> str:
    fields: list[tuple[str, Any]] = ffi.typeof(type_name).fields
    return "".join(_letter(field.type) for _, field in fields)


def _letter(kind: Any) -> str:
    if kind.kind == "array":
        return _letter(kind.item) * int(kind.length)
    return _letters(kind.cname) if kind.kind == "struct" else _LETTER[kind.cname]


def struct_of(type_name: str) -> Struct:
    """The layout of a protocol struct; a compiler that pads differently from us is a broken contract."""
    layout = Struct("=" + _letters(type_name))
    if layout.size != ffi.sizeof(type_name):
        raise AssertionError(f"{type_name} is padded")
    return layout


def constant(name: str) -> int:
    return int(getattr(_CONSTANTS, name))


_CONSTANTS: Any = ffi.dlopen(None)
EVENT = struct_of("struct bpor_event")
ACCESS = struct_of("struct bpor_access")
PLAN = struct_of("struct bpor_plan")
SLEEPER = struct_of("struct bpor_sleeper")
MESSAGE = struct_of("struct bpor_message")

MAGIC = constant("BPOR_MAGIC")
VERSION = constant("BPOR_VERSION")
NO_THREAD = constant("BPOR_NO_THREAD")
UNBOUNDED = constant("BPOR_UNBOUNDED")
HALF_EVENTS = constant("BPOR_HALF_EVENTS")
SHARED_BYTES = int(ffi.sizeof("struct bpor_shared"))
EVENTS_OFFSET = int(ffi.offsetof("struct bpor_shared", "event"))
SEARCH_OFFSET = -(-SHARED_BYTES // 4096) * 4096
SEARCH_BYTES = int(ffi.sizeof("struct bpor_search"))


def shared_view(memory: Any) -> Any:
    """The mapping as a struct bpor_shared."""
    return ffi.from_buffer("struct bpor_shared *", memory)


def whole_view(memory: Any) -> Any:
    """The mapping as bytes; as long as it lives, what search_view makes of it does."""
    return ffi.from_buffer("char[]", memory)


def search_view(whole: Any) -> Any:
    """What lies behind the shared part, as a struct bpor_search."""
    return ffi.cast("struct bpor_search *", whole + SEARCH_OFFSET)


def bytes_of(field: Any, count: int) -> bytes:
    """A copy of the first `count` bytes."""
    return bytes(ffi.buffer(field, count))


def put_bytes(field: Any, content: bytes) -> None:
    ffi.buffer(field, len(content))[:] = content


def mask_of(words: Any) -> int:
    """A set of threads, whose 64-bit words follow one another."""
    return int.from_bytes(ffi.buffer(words), "little")


def text_of(field: Any) -> str:
    return bytes(ffi.string(field)).decode("utf-8", "replace")


def path_of(field: Any) -> str:
    """As Python spells names of files: also those that are no text."""
    return os.fsdecode(bytes(ffi.string(field)))
