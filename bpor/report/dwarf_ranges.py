"""The code addresses of one debug information entry: DW_AT_low_pc/high_pc, or a range list of DWARF 4 or 5."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from elftools.dwarf.die import DIE


class Range(NamedTuple):
    low: int
    high: int


def covers(die: DIE, address: int) -> bool:
    return any(low <= address < high for low, high in ranges_of(die))


def ranges_of(die: DIE) -> list[Range]:
    """Empty for declarations, abstract instances and blocks without code of their own. Range lists start with the unit's base."""
    attributes = die.attributes
    if "DW_AT_ranges" in attributes:
        return _range_list(die)
    if "DW_AT_low_pc" not in attributes or "DW_AT_high_pc" not in attributes:
        return []
    low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
    is_address = high.form in ("DW_FORM_addr", "DW_FORM_addrx", "DW_FORM_addrx1", "DW_FORM_addrx2", "DW_FORM_addrx3", "DW_FORM_addrx4")
    end = high.value if is_address else low + high.value
    return [Range(low, end)] if end > low > 0 else []  # low 0: code the linker threw away


def _range_list(die: DIE) -> list[Range]:
    from elftools.dwarf.compileunit import CompileUnit  # there once a file was opened; not at the start of the tool
    from elftools.dwarf.ranges import BaseAddressEntry

    lists = die.cu.dwarfinfo.range_lists()
    if lists is None or not isinstance(die.cu, CompileUnit):
        return []
    top = die.cu.get_top_DIE().attributes
    base = top["DW_AT_low_pc"].value if "DW_AT_low_pc" in top else 0
    found: list[Range] = []
    for entry in lists.get_range_list_at_offset(die.attributes["DW_AT_ranges"].value, die.cu):
        if isinstance(entry, BaseAddressEntry):
            base = entry.base_address
            continue
        offset = 0 if entry.is_absolute else base
        low, high = entry.begin_offset + offset, entry.end_offset + offset
        if high > low > 0:
            found.append(Range(low, high))
    return found
