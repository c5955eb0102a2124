"""Local variables and parameters of a function that is being run: which are in scope at an address, and where each of them lies.

Invariant: a place is told only if it follows from what was recorded of the frame. A location that needs anything else (a register that
nobody saved, a value that was optimised away) is no place, never a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from bpor.lazy_dataclass import dataclass
from bpor.report.dwarf_ranges import covers, ranges_of

if TYPE_CHECKING:
    from elftools.dwarf.die import DIE

_REGISTERS = {3: 0, 6: 1, 12: 2, 13: 3, 14: 4, 15: 5}  # DWARF's numbers of those that a frame was recorded with
_RSP = 7
_DEREF, _FBREG, _CFA, _STACK_VALUE = 0x06, 0x91, 0x9C, 0x9F
_REG0, _BREG0, _LIT = 0x50, 0x70, 32
_VARIABLES = ("DW_TAG_variable", "DW_TAG_formal_parameter")


@dataclass(frozen=True, slots=True)
class RecordedFrame:
    """One that is being run, as far as it was recorded."""

    cfa: int
    pointer: int
    registers: tuple[int, int, int, int, int, int]
    words: Mapping[int, int]  # of the stack, those that point to the heap or to a stack

    def register(self, number: int) -> int | None:
        if number == _RSP:
            return self.pointer
        return self.registers[_REGISTERS[number]] if number in _REGISTERS else None


@dataclass(frozen=True, slots=True)
class VariablePlace:
    """Where a variable is: at an address, or its value in a register."""

    address: int | None = None
    value: int | None = None


@dataclass(frozen=True, slots=True)
class LocalVariable:
    name: str  # empty: a record that the compiler made, whose members have the names of the variables that it hands over
    die: DIE  # of the variable
    place: VariablePlace


class Scope:
    """What is in scope at an address: of the function itself and of what was inlined into it."""

    def __init__(self, function: DIE, address: int) -> None:
        self._function = function
        named = ((_name(die), die, _expression(die, address)) for die in _in_scope(function, address))
        self._variables = [(name, die, expression) for name, die, expression in named if expression and (name or _hands_over(die))]

    def variables(self, frame: RecordedFrame) -> Iterator[LocalVariable]:
        """Those that have a place."""
        base = _frame_base(self._function, frame)
        for name, die, expression in self._variables:
            place = _place(expression, frame, base)
            if place is not None:
                yield LocalVariable(name, die, place)


def _in_scope(scope: DIE, address: int) -> Iterator[DIE]:
    for child in scope.iter_children():
        if child.tag in _VARIABLES:
            yield child
        elif child.tag in ("DW_TAG_lexical_block", "DW_TAG_inlined_subroutine") and (not ranges_of(child) or covers(child, address)):
            yield from _in_scope(child, address)


def _hands_over(die: DIE) -> bool:
    """The parameter of a function that the compiler made of a part of another one: gcc's of OpenMP."""
    if die.tag != "DW_TAG_formal_parameter" or "DW_AT_artificial" not in die.attributes:
        return False
    function = die.get_parent()
    return function is not None and "DW_AT_artificial" in function.attributes


def _name(die: DIE) -> str:
    for _ in range(4):
        if "DW_AT_name" in die.attributes:
            return str(die.attributes["DW_AT_name"].value.decode("utf-8", "replace"))
        if "DW_AT_abstract_origin" not in die.attributes:
            return ""
        die = die.get_DIE_from_attribute("DW_AT_abstract_origin")
    return ""


def _frame_base(function: DIE, frame: RecordedFrame) -> int | None:
    attribute = function.attributes.get("DW_AT_frame_base")
    if attribute is None or not isinstance(attribute.value, list) or not attribute.value:
        return None
    operation = attribute.value[0]
    if operation == _CFA:
        return frame.cfa
    return frame.register(operation - _REG0) if _REG0 <= operation < _REG0 + _LIT and len(attribute.value) == 1 else None


def _place(expression: list[int], frame: RecordedFrame, base: int | None) -> VariablePlace | None:
    operation, operand = expression[0], bytes(expression[1:])
    if _REG0 <= operation < _REG0 + _LIT and not operand:
        value = frame.register(operation - _REG0)
        return VariablePlace(value=value) if value is not None else None
    if operation == _FBREG:
        start = base
    elif _BREG0 <= operation < _BREG0 + _LIT:
        start = frame.register(operation - _BREG0)
    else:
        return None
    if start is None:
        return None
    offset, length = _sleb128(operand)
    return _rest(operand[length:], start + offset, frame)


def _rest(operations: bytes, address: int, frame: RecordedFrame) -> VariablePlace | None:
    """What follows the address in an expression: nothing, or that a pointer to the variable lies there."""
    if not operations:
        return VariablePlace(address=address)
    if operations == bytes([_STACK_VALUE]):
        return VariablePlace(value=address)
    pointed = frame.words.get(address)
    return VariablePlace(address=pointed) if operations == bytes([_DEREF]) and pointed is not None else None


def _expression(die: DIE, address: int) -> list[int]:
    attribute = die.attributes.get("DW_AT_location")
    if attribute is None:
        return []
    if isinstance(attribute.value, list):
        return list(attribute.value)
    from elftools.dwarf.locationlists import LocationEntry, LocationParser  # in optimised code only

    dwarf = die.cu.dwarfinfo
    lists = dwarf.location_lists()
    if lists is None:
        return []
    base = _unit_base(die)
    for entry in LocationParser(lists).parse_from_attribute(attribute, die.cu["version"], die):
        if not isinstance(entry, LocationEntry):
            base = getattr(entry, "base_address", base)
            continue
        start = 0 if entry.is_absolute else base
        if start + entry.begin_offset <= address < start + entry.end_offset:
            return list(entry.loc_expr)
    return []


def _unit_base(die: DIE) -> int:
    attribute = die.cu.get_top_DIE().attributes.get("DW_AT_low_pc")
    return int(attribute.value) if attribute is not None else 0


def _sleb128(data: bytes) -> tuple[int, int]:
    """(number, bytes that it takes)."""
    value = shift = 0
    for position, byte in enumerate(data):
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value - (1 << shift) if byte & 0x40 else value, position + 1
    return 0, len(data)
