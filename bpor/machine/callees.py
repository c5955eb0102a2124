"""Finds what a part of a library calls, because the accesses of those functions have to be reported too.

Code of the same library that the part calls, or takes the address of, belongs to the part, and so do pieces of functions that the compiler
placed elsewhere; functions that are listed as unrelated do not. Invariant: fails closed; a direct branch that cannot be followed is a
problem of the whole part, and a function that may call one whose accesses are not seen is out of sight itself. Calls through pointers are
not followed: where a library keeps pointers to functions of its own, in tables of virtual functions first of all, all of those belong
to the part (`held_by_data`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from iced_x86 import Decoder, FlowControl, Instruction, Mnemonic, OpKind

from bpor.machine.decoded import Decoded
from bpor.machine.targets import Text, relocated
from bpor.target.image import STT_FUNC, STT_GNU_IFUNC, Image, Symbol
from bpor.target.library_calls import unseen_calls

_RELA, _RELA_BYTES, _PLT_RELA, _PLT_RELA_BYTES = 7, 8, 23, 2
_WORD, _SLOTS = 1, (6, 7)  # R_X86_64_64; R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT
_STUB = 32  # bytes that are looked at
_FUNCTIONS = (STT_FUNC, STT_GNU_IFUNC)
_THROUGH_POINTERS = (FlowControl.INDIRECT_CALL, FlowControl.INDIRECT_BRANCH)

Range = tuple[int, int]


class Part(NamedTuple):
    """What is patched of a library."""

    ranges: list[Range]  # sorted, and none within another
    unseen: frozenset[Range] = frozenset()  # of those that were asked for: they call what is out of sight, maybe by way of others
    problem: str = ""  # what keeps it from being known


def with_callees(image: Image, code: Sequence[Decoded], ranges: Sequence[Range], leaves: Callable[[str], bool]) -> Part:
    """The part together with what it calls of the same library. `leaves`: by the name of a function, whether it does nothing with the
    memory that the part works on."""
    callees = _Callees(image, code, leaves)
    part, waiting = {*ranges}, [*ranges]
    callers: dict[Range, list[Range]] = {}
    unseen: list[Range] = []
    while waiting:
        one = waiting.pop()
        for found in callees.of(one):
            if isinstance(found, str):
                return Part(merged(part), problem=found)
            if found is None:
                unseen.append(one)
                continue
            callers.setdefault(found, []).append(one)
            if found not in part:
                part.add(found)
                waiting.append(found)
    return Part(merged(part), frozenset(_with_callers(unseen, callers).intersection(ranges)))


def _with_callers(unseen: list[Range], callers: dict[Range, list[Range]]) -> set[Range]:
    found: set[Range] = set()
    while unseen:
        one = unseen.pop()
        if one not in found:
            found.add(one)
            unseen += callers.get(one, ())
    return found


class _Callees:
    def __init__(self, image: Image, code: Sequence[Decoded], leaves: Callable[[str], bool]) -> None:
        self._image, self._code, self._leaves = image, code, leaves
        self._text = Text([each.function for each in code])
        self._symbols = list(image.dynamic_symbols())
        self._slots = dict(_slots(image))
        self._names: dict[int, list[str]] = {}
        for symbol in self._symbols:
            if symbol.section:
                self._names.setdefault(symbol.address, []).append(_name(symbol))

    def of(self, part: Range) -> Iterator[Range | str | None]:
        """Functions that it branches to or takes the address of; a problem; None: a call that leads out of sight."""
        start, end = part
        number = self._text.number(start)
        if number is None:
            return  # pieces in no function are counted elsewhere
        code = self._code[number]
        for instruction, flow in zip(code.instructions, code.flows, strict=True):
            if start <= instruction.ip < end and (found := self._look_at(code, part, instruction, flow)) != "":
                yield found

    def _look_at(self, code: Decoded, part: Range, instruction: Instruction, flow: int) -> Range | str | None:
        if flow in _THROUGH_POINTERS:
            slot = self._slots.get(instruction.ip_rel_memory_address) if instruction.is_ip_rel_memory_operand else None
            return "" if slot is None else self._calls_symbol(instruction, self._symbols[slot])
        if instruction.is_ip_rel_memory_operand:
            return self._takes_address(instruction)
        if OpKind.NEAR_BRANCH64 not in (instruction.op0_kind, instruction.op1_kind):
            return ""
        target = instruction.near_branch_target
        return "" if part[0] <= target < part[1] else self._calls(instruction, target)

    def _takes_address(self, instruction: Instruction) -> Range | str | None:
        """Of a function, which may be called then."""
        address = instruction.ip_rel_memory_address
        slot = self._slots.get(address)
        if slot is not None:
            return self._calls_symbol(instruction, self._symbols[slot]) if self._symbols[slot].kind in _FUNCTIONS else ""
        return self._calls(instruction, address) if instruction.mnemonic == Mnemonic.LEA and address in self._text else ""

    def _calls(self, instruction: Instruction, target: int) -> Range | str | None:
        """Code of this library, or a stub that leads to a function by its name."""
        if any(self._leaves(name) for name in self._names.get(target, ())):
            return ""
        number = self._text.number(target)
        if number is not None:
            function = self._code[number].function
            return function.start, function.end
        slot = self._slot_of_stub(target)
        if slot is None:
            return f"branch out of all functions at {instruction.ip:#x}"
        return self._calls_symbol(instruction, self._symbols[slot])

    def _calls_symbol(self, instruction: Instruction, symbol: Symbol) -> Range | str | None:
        name = _name(symbol)
        if self._leaves(name):
            return ""
        if symbol.section:
            return self._calls(instruction, symbol.address)
        return None if unseen_calls([name]) else ""

    def _slot_of_stub(self, target: int) -> int | None:
        for instruction in Decoder(64, bytes(self._image.at(target, _STUB)), ip=target):
            if instruction.flow_control == FlowControl.INDIRECT_BRANCH and instruction.is_ip_rel_memory_operand:
                return self._slots.get(instruction.ip_rel_memory_address)
            if instruction.flow_control != FlowControl.NEXT:
                return None
        return None


def merged(ranges: Iterable[Range]) -> list[Range]:
    """Sorted, and none within another."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def held_by_data(image: Image, text: Text) -> frozenset[int]:
    """Addresses of functions that the loader writes into data, so that calls through pointers may lead there."""
    tags, symbols = dict(image.dynamic()), list(image.dynamic_symbols())
    data = bytes(image.at(tags.get(_RELA, 0), tags.get(_RELA_BYTES, 0)))
    rows = [(info, addend) for _, info, addend in struct.iter_unpack("<QQq", data[: len(data) // 24 * 24])]
    named = (symbols[info >> 32] for info, _ in rows if info & 0xFFFFFFFF == _WORD)
    return frozenset(filter(text.__contains__, (*relocated(image), *(symbol.address for symbol in named if symbol.section))))


def _slots(image: Image) -> Iterator[tuple[int, int]]:
    """Where the loader writes addresses of functions, and the numbers of their symbols."""
    tags = dict(image.dynamic())
    for table, size in ((_RELA, _RELA_BYTES), (_PLT_RELA, _PLT_RELA_BYTES)):
        data = bytes(image.at(tags.get(table, 0), tags.get(size, 0)))
        for address, kind, _ in struct.iter_unpack("<QQq", data[: len(data) // 24 * 24]):
            if kind & 0xFFFFFFFF in _SLOTS:
                yield address, kind >> 32


def _name(symbol: Symbol) -> str:
    return symbol.name.decode("utf-8", "replace")
