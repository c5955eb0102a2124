"""Which entries of a compile unit describe functions with code: one pass over its bytes, in which everything else is skipped unread.

A unit of Rust or C++ has a hundred thousand entries of which a few thousand are wanted, and not every compiler links over the others.
Invariant: a pass ends, whatever the bytes are, because it only goes forward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from elftools.dwarf.compileunit import CompileUnit

_LEB, _STRING, _LEB_LONG, _BYTE_LONG = -1, -2, -3, -4  # instead of a size: a number, text up to a zero, bytes after their number
_SIZES = {
    "DW_FORM_block": _LEB_LONG,
    "DW_FORM_block1": _BYTE_LONG,
    "DW_FORM_exprloc": _LEB_LONG,
    "DW_FORM_string": _STRING,
    **dict.fromkeys(("DW_FORM_flag_present", "DW_FORM_implicit_const"), 0),
    **dict.fromkeys(("DW_FORM_data1", "DW_FORM_flag", "DW_FORM_ref1", "DW_FORM_strx1", "DW_FORM_addrx1"), 1),
    **dict.fromkeys(("DW_FORM_data2", "DW_FORM_ref2", "DW_FORM_strx2", "DW_FORM_addrx2"), 2),
    **dict.fromkeys(("DW_FORM_strx3", "DW_FORM_addrx3"), 3),
    **dict.fromkeys(("DW_FORM_data4", "DW_FORM_ref4", "DW_FORM_strx4", "DW_FORM_addrx4", "DW_FORM_ref_sup4"), 4),
    **dict.fromkeys(("DW_FORM_data8", "DW_FORM_ref8", "DW_FORM_ref_sig8", "DW_FORM_ref_sup8"), 8),
    "DW_FORM_data16": 16,
    **dict.fromkeys(("DW_FORM_udata", "DW_FORM_sdata", "DW_FORM_ref_udata", "DW_FORM_strx", "DW_FORM_addrx"), _LEB),
    **dict.fromkeys(("DW_FORM_loclistx", "DW_FORM_rnglistx"), _LEB),
}
_OFFSETS = frozenset({"DW_FORM_strp", "DW_FORM_line_strp", "DW_FORM_sec_offset", "DW_FORM_strp_sup"})
_CODE = frozenset({"DW_AT_low_pc", "DW_AT_ranges"})


class Unknown(Exception):
    """A form whose size is not known here."""


class _Shape(NamedTuple):
    """All entries of one abbreviation."""

    sizes: tuple[int, ...]
    wanted: bool


def function_offsets(unit: CompileUnit) -> list[int]:
    """In the order of the section. Raises Unknown."""
    section = unit.dwarfinfo.debug_info_sec
    if section is None:
        return []
    section.stream.seek(unit.cu_offset)
    data = section.stream.read(unit.size)
    shapes: dict[int, _Shape] = {}
    found = []
    at, end = unit.cu_die_offset - unit.cu_offset, len(data)
    while at < end:
        start = at
        code, at = uleb(data, at) if data[at] & 0x80 else (data[at], at + 1)
        if code == 0:
            continue
        if code not in shapes:
            shapes[code] = _shape(unit, code)
        shape = shapes[code]
        if shape.wanted:
            found.append(unit.cu_offset + start)
        for size in shape.sizes:
            at = at + size if size >= 0 else _skipped(data, at, size)
    return found


def _skipped(data: bytes, at: int, size: int) -> int:
    if size == _STRING:
        return data.index(0, at) + 1
    if size == _BYTE_LONG:
        return at + 1 + data[at]
    value, at = uleb(data, at)
    return at + value if size == _LEB_LONG else at


def _shape(unit: CompileUnit, code: int) -> _Shape:
    abbreviation = unit.get_abbrev_table().get_abbrev(code)
    attributes = list(abbreviation.iter_attr_specs())
    sizes: list[int] = []
    for _, form in attributes:
        size = _size(unit, form)
        if sizes and size >= 0 and sizes[-1] >= 0:
            sizes[-1] += size
        else:
            sizes.append(size)
    has_code = any(name in _CODE for name, _ in attributes)
    return _Shape(tuple(sizes), has_code and abbreviation["tag"] == "DW_TAG_subprogram")


def _size(unit: CompileUnit, form: str) -> int:
    if form in _SIZES:
        return _SIZES[form]
    offset = unit.structs.dwarf_format // 8
    if form in _OFFSETS:
        return offset
    if form == "DW_FORM_addr":
        return int(unit["address_size"])
    if form == "DW_FORM_ref_addr":
        return offset if unit["version"] > 2 else int(unit["address_size"])
    raise Unknown(form)


def uleb(data: bytes, at: int) -> tuple[int, int]:
    """The number there and where the next thing is."""
    value = shift = 0
    while shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError("a number of more than 64 bits")
