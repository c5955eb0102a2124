"""Global and static variables: the entry that describes one, and the path to a byte inside it (`pool.slot[3].lock`).

Invariant: a path never shows a reserved name (`__data`, `_M_mutex`): what lies below one is the inside of a library's type.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import pack
from typing import TYPE_CHECKING

from bpor.report.dwarf_functions import name_of
from bpor.report.dwarf_image import DwarfImage, SymbolRow

if TYPE_CHECKING:
    from elftools.dwarf.compileunit import CompileUnit
    from elftools.dwarf.die import DIE

_DW_OP_ADDR = 0x03
_DW_OP_ADDRX = 0xA1
_TRANSPARENT = frozenset({"DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_atomic_type", "DW_TAG_restrict_type"})
_RECORDS = frozenset({"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"})
_MOST_UNITS = 200  # read one by one when the quick way finds nothing; a larger program gets `name+offset` instead of a wait


def describe(image: DwarfImage, symbol: SymbolRow, offset: int) -> tuple[str, str | None]:
    """The name in the source, and the path to a byte of the variable: `.lock`, `[3].lock`, `` for the variable itself, None if
    no type is known or no member lies exactly there. The name is empty if no entry describes the variable."""
    variable = entry_of(image, symbol.address)
    if variable is None:
        return "", None
    kind = type_of(variable)
    return name_of(variable), _path(kind, offset) if kind is not None else None


def entry_of(image: DwarfImage, address: int) -> DIE | None:
    """Of the variable that begins there."""
    quick = _by_bytes(image, address)
    if quick is not None or image.dwarf is None or image.dwarf.debug_addr_sec is None:
        return quick  # only where addresses stand in a table of their own is there another way to write one
    for number, unit in enumerate(image.units()):
        if number == _MOST_UNITS:
            return None
        for die in _variables(unit.get_top_DIE()):
            if _address(die) == address:
                return die
    return None


def _by_bytes(image: DwarfImage, address: int) -> DIE | None:
    """Look for `DW_OP_addr <address>` in the raw section and read only the entries on the way to it."""
    dwarf = image.dwarf
    section = dwarf.debug_info_sec if dwarf is not None else None
    if dwarf is None or section is None:
        return None
    section.stream.seek(0)
    raw = section.stream.read()
    needle = bytes([_DW_OP_ADDR]) + pack("<Q", address)
    start = raw.find(needle)
    while start >= 0:
        unit = dwarf.get_CU_containing(start)
        die = _innermost(unit, start)
        if die is not None and die.tag == "DW_TAG_variable" and _address(die) == address:
            return die
        start = raw.find(needle, start + 1)
    return None


def _innermost(unit: CompileUnit, position: int) -> DIE | None:
    """The entry whose own bytes hold a position of the section."""
    die = unit.get_top_DIE()
    while not die.offset <= position < die.offset + die.size:
        before: DIE | None = None
        for child in die.iter_children():
            if child.offset > position:
                break
            before = child
        if before is None:
            return None
        die = before
    return die


def _variables(scope: DIE) -> Iterator[DIE]:
    for child in scope.iter_children():
        if child.tag == "DW_TAG_variable":
            yield child
        elif child.tag in ("DW_TAG_namespace", "DW_TAG_subprogram", "DW_TAG_lexical_block"):
            yield from _variables(child)


def _address(variable: DIE) -> int | None:
    attribute = variable.attributes.get("DW_AT_location")
    if attribute is None or not isinstance(attribute.value, list) or not attribute.value:
        return None
    operation, operand = attribute.value[0], bytes(attribute.value[1:])
    if operation == _DW_OP_ADDR:
        return int.from_bytes(operand, "little")
    if operation == _DW_OP_ADDRX:
        return variable.cu.dwarfinfo.get_addr(variable.cu, _uleb128(operand))
    return None


def _uleb128(data: bytes) -> int:
    value = 0
    for index, byte in enumerate(data):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            break
    return value


def type_of(die: DIE) -> DIE | None:
    """The type of a variable, member or element, through typedefs, qualifiers and the declaration it completes."""
    for _ in range(32):
        link = next((key for key in ("DW_AT_type", "DW_AT_specification", "DW_AT_abstract_origin") if key in die.attributes), None)
        if link is None:
            return None
        die = die.get_DIE_from_attribute(link)
        if link == "DW_AT_type" and die.tag not in _TRANSPARENT:
            return die
    return None


def _path(kind: DIE, offset: int) -> str | None:
    if kind.tag == "DW_TAG_array_type":
        return _array_path(kind, offset)
    if kind.tag in _RECORDS:
        return _member_path(kind, offset)
    return "" if offset == 0 else None


def bit_fields_at(record: DIE, offset: int) -> str:
    """The names of the bit-fields in a byte, `closed` or `{ready,closed}`: an access of the byte is one of them all. Empty: it has none."""
    names = []
    for member in record.iter_children():
        size = member.attributes.get("DW_AT_bit_size")
        if member.tag != "DW_TAG_member" or size is None or "DW_AT_name" not in member.attributes:
            continue
        first = _first_bit(member, size.value)
        if first // 8 <= offset <= (first + size.value - 1) // 8:
            names.append(member.attributes["DW_AT_name"].value.decode("utf-8", "replace"))
    return names[0] if len(names) == 1 else f"{{{','.join(names)}}}" if names else ""


def _first_bit(member: DIE, bits: int) -> int:
    """From the beginning of its record. Before DWARF 5, bits were counted from the high end of the unit that holds them."""

    def value(name: str) -> int:
        attribute = member.attributes.get(name)
        return attribute.value if attribute is not None and isinstance(attribute.value, int) else 0

    if "DW_AT_data_bit_offset" in member.attributes:
        return value("DW_AT_data_bit_offset")
    kind = type_of(member)
    unit = 8 * (value("DW_AT_byte_size") or (size_of(kind) if kind is not None else 0))
    return 8 * value("DW_AT_data_member_location") + unit - value("DW_AT_bit_offset") - bits


def _member_path(record: DIE, offset: int) -> str | None:
    if names := bit_fields_at(record, offset):
        return f".{names}"
    for member in record.iter_children():
        if member.tag not in ("DW_TAG_member", "DW_TAG_inheritance") or "DW_AT_bit_size" in member.attributes:
            continue
        place = member.attributes.get("DW_AT_data_member_location")
        start = place.value if place is not None and isinstance(place.value, int) else 0
        kind = type_of(member)
        if kind is None or "DW_AT_external" in member.attributes or not start <= offset < start + max(size_of(kind), 1):
            continue
        name = member.attributes["DW_AT_name"].value.decode("utf-8", "replace") if "DW_AT_name" in member.attributes else ""
        if is_reserved(name):
            return "" if offset == 0 else None
        inner = _path(kind, offset - start)
        return None if inner is None else f".{name}{inner}" if name else inner
    return "" if offset == 0 else None


def _array_path(array: DIE, offset: int) -> str | None:
    found = element_at(array, offset)
    if found is None:
        return None
    text, element, rest = found
    inner = _path(element, rest)
    return None if inner is None else text + inner


def element_at(array: DIE, offset: int) -> tuple[str, DIE, int] | None:
    """Its indices as text, `[2][0]`, its type, and the rest of the offset; None: the size of an element is not known."""
    element = type_of(array)
    size = size_of(element) if element is not None else 0
    if element is None or size == 0:
        return None
    index, rest = divmod(offset, size)
    indices: list[int] = []
    for count in reversed(dimensions(array)[1:]):
        index, within = divmod(index, max(count, 1))
        indices.insert(0, within)
    return "".join(f"[{i}]" for i in (index, *indices)), element, rest


def dimensions(array: DIE) -> list[int]:
    """0: not known, as of an array whose length is computed as the program runs."""
    return [_elements(child) for child in array.iter_children() if child.tag == "DW_TAG_subrange_type"]


def _elements(dimension: DIE) -> int:
    for name, beyond in (("DW_AT_count", 0), ("DW_AT_upper_bound", 1)):
        attribute = dimension.attributes.get(name)
        if attribute is not None:
            known = isinstance(attribute.value, int) and not attribute.form.startswith("DW_FORM_ref")
            return attribute.value + beyond if known else 0
    return 0


def size_of(kind: DIE) -> int:
    if kind.tag == "DW_TAG_array_type" and "DW_AT_byte_size" not in kind.attributes:
        element = type_of(kind)
        total = size_of(element) if element is not None else 0
        for count in dimensions(kind):
            total *= count
        return total
    if "DW_AT_byte_size" in kind.attributes:
        return int(kind.attributes["DW_AT_byte_size"].value)
    return 8 if kind.tag in ("DW_TAG_pointer_type", "DW_TAG_reference_type") else 0


def is_reserved(name: str) -> bool:
    return name.startswith("__") or (name[:1] == "_" and name[1:2].isupper())
