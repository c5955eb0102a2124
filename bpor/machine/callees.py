"""Finds what a part of a library calls, because the accesses of those functions have to be reported too.

Code of the same library that the part calls belongs to the part, and so do pieces of functions that the compiler placed elsewhere;
functions that are listed as unrelated do not. Invariant: fails closed; a direct branch that cannot be followed, or that leads to a function
whose accesses are not seen, is a problem of the whole part. Calls through pointers are not followed: virtual functions of the library
belong to it by their names.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence

from iced_x86 import Decoder, FlowControl, Instruction, OpKind

from bpor.machine.decoded import Decoded
from bpor.machine.targets import Text
from bpor.target.image import Image, Symbol
from bpor.target.library_calls import unseen_calls

_RELA, _RELA_BYTES, _PLT_RELA, _PLT_RELA_BYTES = 7, 8, 23, 2
_SLOTS = (6, 7)  # R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT
_STUB = 32  # bytes that are looked at
_THROUGH_POINTERS = (FlowControl.INDIRECT_CALL, FlowControl.INDIRECT_BRANCH)

Range = tuple[int, int]


def with_callees(image: Image, code: Sequence[Decoded], ranges: Sequence[Range], leaves: Callable[[str], bool]) -> tuple[list[Range], str]:
    """The part together with what it calls of the same library, and what keeps it from being known; empty: nothing. `leaves`: by the name
    of a function, whether it does nothing with the memory that the part works on."""
    callees = _Callees(image, code, leaves)
    part, waiting = {*ranges}, [*ranges]
    while waiting:
        one = waiting.pop()
        for found in callees.of(one):
            if isinstance(found, str):
                return _merged(part), found
            if found not in part:
                part.add(found)
                waiting.append(found)
    return _merged(part), ""


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

    def of(self, part: Range) -> Iterator[Range | str]:
        """Functions that it branches to, or a problem."""
        start, end = part
        number = self._text.number(start)
        if number is None:
            return  # pieces in no function are counted elsewhere
        code = self._code[number]
        for instruction, flow in zip(code.instructions, code.flows, strict=True):
            if start <= instruction.ip < end and (found := self._look_at(code, part, instruction, flow)):
                yield found

    def _look_at(self, code: Decoded, part: Range, instruction: Instruction, flow: int) -> Range | str:
        if flow in _THROUGH_POINTERS:
            slot = self._slots.get(instruction.ip_rel_memory_address) if instruction.is_ip_rel_memory_operand else None
            return "" if slot is None else self._calls_symbol(instruction, self._symbols[slot])
        if OpKind.NEAR_BRANCH64 not in (instruction.op0_kind, instruction.op1_kind):
            return ""
        target = instruction.near_branch_target
        return "" if part[0] <= target < part[1] else self._calls(instruction, target)

    def _calls(self, instruction: Instruction, target: int) -> Range | str:
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

    def _calls_symbol(self, instruction: Instruction, symbol: Symbol) -> Range | str:
        name = _name(symbol)
        if self._leaves(name):
            return ""
        if symbol.section:
            return self._calls(instruction, symbol.address)
        return f"call of {name}, whose accesses are not seen" if unseen_calls([name]) else ""

    def _slot_of_stub(self, target: int) -> int | None:
        for instruction in Decoder(64, bytes(self._image.at(target, _STUB)), ip=target):
            if instruction.flow_control == FlowControl.INDIRECT_BRANCH and instruction.is_ip_rel_memory_operand:
                return self._slots.get(instruction.ip_rel_memory_address)
            if instruction.flow_control != FlowControl.NEXT:
                return None
        return None


def _merged(ranges: Iterable[Range]) -> list[Range]:
    """Sorted, and none within another."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


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
