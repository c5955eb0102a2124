"""From the type of a variable to one byte of it, in the words of the source: `.queue.lock`, `[3].seq`; and to the pointers in it.

dwarf_variables is exact or says `+8`. A path here may instead stop at the member that holds the byte, if that member has a type of a
library. Invariant: a path never shows a library's own names (`__data`, `_M_mutex`, Rust's `inner.futex`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpor.lazy_dataclass import dataclass
from bpor.report.dwarf_variables import bit_fields_at, element_at, is_reserved, size_of, type_of

if TYPE_CHECKING:
    from elftools.dwarf.die import DIE

_RECORDS = frozenset({"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"})
_POINTERS = frozenset({"DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"})
_RUST = 0x1C  # DW_LANG_Rust
_DEEPEST = 24


@dataclass(frozen=True, slots=True)
class Path:
    text: str  # `.queue.lock`; empty: the thing itself
    leaf: DIE | None  # the type of what lies there
    rest: int  # bytes into the leaf; not 0 in the middle of a number or of a library's type


def is_pointer(kind: DIE | None) -> bool:
    return kind is not None and kind.tag in _POINTERS


def is_record(kind: DIE | None) -> bool:
    return kind is not None and kind.tag in _RECORDS


def is_rust(die: DIE) -> bool:
    language = die.cu.get_top_DIE().attributes.get("DW_AT_language")
    return language is not None and language.value == _RUST


def type_name(kind: DIE) -> str:
    """Without its namespaces; the arguments of a template only where they are short."""
    attribute = kind.attributes.get("DW_AT_name")
    name = attribute.value.decode("utf-8", "replace") if attribute is not None else ""
    head, bracket, _ = name.partition("<")
    return name if len(name) <= 32 else f"{head}<…>" if bracket else name


def is_library_type(kind: DIE) -> bool:
    """Of a standard library: the inside of it is not the programmer's."""
    outermost = ""
    parent = kind.get_parent()
    while parent is not None and parent.tag == "DW_TAG_namespace":
        attribute = parent.attributes.get("DW_AT_name")
        outermost = attribute.value.decode("utf-8", "replace") if attribute is not None else ""
        parent = parent.get_parent()
    if outermost in ("std", "__gnu_cxx", "core", "alloc"):
        return True
    name = type_name(kind)
    return is_reserved(name) or name.startswith("pthread_")


def path_to(kind: DIE, offset: int, depth: int = 0) -> Path | None:
    """None: the byte is not part of it."""
    if depth > _DEEPEST or not 0 <= offset < max(size_of(kind), 1):
        return None
    if kind.tag == "DW_TAG_array_type":
        return _in_array(kind, offset, depth)
    if kind.tag in _RECORDS:
        return _in_record(kind, offset, depth)
    return Path("", kind, offset)


def _in_record(record: DIE, offset: int, depth: int) -> Path | None:
    quiet = is_library_type(record) and (is_rust(record) or is_reserved(type_name(record)))
    if not quiet and (names := bit_fields_at(record, offset)):
        return Path(f".{names}", None, 0)
    for member in record.iter_children():
        if member.tag not in ("DW_TAG_member", "DW_TAG_inheritance") or {"DW_AT_external", "DW_AT_bit_size"} & member.attributes.keys():
            continue
        place = member.attributes.get("DW_AT_data_member_location")
        start = place.value if place is not None and isinstance(place.value, int) else 0
        kind = type_of(member)
        if kind is None or not start <= offset < start + max(size_of(kind), 1):
            continue
        inner = path_to(kind, offset - start, depth + 1)
        if inner is None:
            continue
        name = member.attributes["DW_AT_name"].value.decode("utf-8", "replace") if "DW_AT_name" in member.attributes else ""
        shown = f".{name}" if name and not quiet and not is_reserved(name) and member.tag == "DW_TAG_member" else ""
        if is_library_type(record) and not shown and not inner.text:
            return Path("", inner.leaf if is_pointer(inner.leaf) else record, inner.rest if is_pointer(inner.leaf) else offset)
        return Path(shown + inner.text, inner.leaf, inner.rest)
    return Path("", record, offset)  # padding, or a variant of an enum of Rust's


def _in_array(array: DIE, offset: int, depth: int) -> Path | None:
    found = element_at(array, offset)
    if found is None:
        return None
    text, element, rest = found
    inner = path_to(element, rest, depth + 1)
    return None if inner is None else Path(text + inner.text, inner.leaf, inner.rest)
