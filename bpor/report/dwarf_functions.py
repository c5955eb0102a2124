"""The functions of one compile unit: address -> the chain of inlined calls around it, innermost first.

Only entries of functions with code are read, and below them those where the address lies: a C++ unit has tens of thousands of others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from bpor.report.dwarf_ranges import Range, covers, ranges_of
from bpor.report.dwarf_scan import Unknown, function_offsets
from bpor.report.symbols_demangle import function_name

if TYPE_CHECKING:
    from elftools.dwarf.compileunit import CompileUnit
    from elftools.dwarf.die import DIE


class EnclosingFunction(NamedTuple):
    """A function and, if it was inlined, the file number and line of the call that brought it there."""

    function: str
    call_file: int = 0
    call_line: int = 0


class Functions:
    def __init__(self, unit: CompileUnit) -> None:
        self._unit = unit
        self._functions: list[tuple[Range, DIE]] | None = None

    def at(self, address: int) -> list[EnclosingFunction]:
        """Innermost first; the last is the function that was really called. Empty if none covers the address."""
        function = self.covering(address)
        if function is None:
            return []
        calls = [EnclosingFunction(name_of(function))]
        for inlined in _inlined_at(function, address):
            attributes = inlined.attributes
            file = attributes["DW_AT_call_file"].value if "DW_AT_call_file" in attributes else 0
            line = attributes["DW_AT_call_line"].value if "DW_AT_call_line" in attributes else 0
            calls.append(EnclosingFunction(name_of(inlined), file, line))
        return calls[::-1]

    def covering(self, address: int) -> DIE | None:
        if self._functions is None:
            self._functions = [(r, die) for die in functions_of(self._unit) for r in ranges_of(die)]
        return next((die for (low, high), die in self._functions if low <= address < high), None)


def functions_of(unit: CompileUnit) -> list[DIE]:
    """Those with code, wherever they are described: members of local classes (lambdas) may be inside the function that has the class."""
    try:
        return [unit.get_DIE_from_refaddr(offset) for offset in function_offsets(unit)]
    except Unknown:
        return [die for die in unit.iter_DIEs() if die.tag == "DW_TAG_subprogram"]


def name_of(die: DIE) -> str:
    """Through DW_AT_abstract_origin and DW_AT_specification; the linkage name knows the scopes, DW_AT_name is for C."""
    plain = ""
    for _ in range(8):  # chains are 2 or 3 long; a damaged file may hold a loop
        attributes = die.attributes
        for key in ("DW_AT_linkage_name", "DW_AT_MIPS_linkage_name"):
            if key in attributes:
                full = function_name(attributes[key].value.decode("utf-8", "replace"))
                if not full.startswith("_Z"):
                    return full
        if not plain and "DW_AT_name" in attributes:
            plain = attributes["DW_AT_name"].value.decode("utf-8", "replace")
        link = next((key for key in ("DW_AT_abstract_origin", "DW_AT_specification") if key in attributes), None)
        if link is None:
            break
        die = die.get_DIE_from_attribute(link)
    return _lambda_name(die) if plain == "operator()" else plain


def _lambda_name(die: DIE) -> str:
    """gcc gives a lambda of a function no linkage name; the function around it does have a name."""
    parent = die.get_parent()
    while parent is not None and parent.tag != "DW_TAG_subprogram":
        parent = parent.get_parent()
    return f"{name_of(parent)}::{{lambda}}" if parent is not None else "operator()"


def _inlined_at(scope: DIE, address: int) -> Iterator[DIE]:
    """The nest of inlined calls at an address, outermost first."""
    for child in scope.iter_children():
        if child.tag == "DW_TAG_inlined_subroutine":
            if covers(child, address):
                yield child
                yield from _inlined_at(child, address)
                return
        elif child.tag == "DW_TAG_lexical_block":
            found = list(_inlined_at(child, address)) if not ranges_of(child) or covers(child, address) else []
            if found:
                yield from found
                return
