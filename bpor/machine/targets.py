"""Where a jump may lead: direct branches of the whole module, landing pads, beginnings of functions, jump tables, addresses in data.

Invariant: a superset. A place that is listed wrongly costs a group of instructions; one that is missing would let a jump land in the
middle of ours.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from iced_x86 import FlowControl, Instruction, Mnemonic, OpKind, Register, RegisterExt

from bpor.machine.decoded import Decoded, Facts
from bpor.machine.flow import STRAIGHT, flow_of
from bpor.machine.functions import Function
from bpor.target.image import PF_X, PT_LOAD, Image

_RELA, _RELA_BYTES, _RELR, _RELR_BYTES = 7, 8, 36, 35
_RELATIVE = (8, 37)  # R_X86_64_RELATIVE, R_X86_64_IRELATIVE
_MOST_ENTRIES = 4096  # of a jump table
_FAR = 40  # instructions that are looked back for what a register holds
_BRANCHES = {FlowControl.CONDITIONAL_BRANCH, FlowControl.UNCONDITIONAL_BRANCH, FlowControl.CALL, FlowControl.XBEGIN_XABORT_XEND}
_NEAR, _INDIRECT = OpKind.NEAR_BRANCH64, FlowControl.INDIRECT_BRANCH


class Text:
    """The functions of a module as ranges of addresses."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self._starts = [function.start for function in functions]
        self._ends = [function.end for function in functions]
        self.low, self.high = (self._starts[0], self._ends[-1]) if functions else (0, 0)

    def __contains__(self, address: int) -> bool:
        return self.number(address) is not None

    def number(self, address: int) -> int | None:
        """Of the function that it lies in."""
        at = bisect_right(self._starts, address) - 1
        return at if at >= 0 and address < self._ends[at] else None


class Targets:
    """Sorted once all are known."""

    def __init__(self, found: Iterable[int]) -> None:
        self._all = frozenset(found)
        self._sorted = sorted(self._all)

    def __contains__(self, address: int) -> bool:
        return address in self._all

    def between(self, low: int, high: int) -> bool:
        """Is there one strictly inside?"""
        at = bisect_right(self._sorted, low)
        return at < len(self._sorted) and self._sorted[at] < high

    def within(self, function: Function) -> list[int]:
        return self._sorted[bisect_left(self._sorted, function.start) : bisect_left(self._sorted, function.end)]


def of_data(image: Image, text: Text) -> set[int]:
    """Addresses of code that data holds: by relocations; where nothing is relocated, by what any aligned word says."""
    found = {value for value in relocated(image) if text.low <= value < text.high}
    if image.kind == "executable":
        for segment in image.segments:
            if segment.kind == PT_LOAD and not segment.flags & PF_X:
                content = image.content(segment)[-segment.address % 8 :]
                found |= {word for word in array("Q", content[: len(content) // 8 * 8]) if text.low <= word < text.high}
    found |= {symbol.address for symbol in image.dynamic_symbols() if text.low <= symbol.address < text.high}
    return found


def relocated(image: Image) -> Iterator[int]:
    """What the loader writes into data, as distances from where the module begins."""
    tags = dict(image.dynamic())
    table = image.at(tags.get(_RELA, 0), tags.get(_RELA_BYTES, 0))
    for _, info, addend in struct.iter_unpack("<QQq", table[: len(table) // 24 * 24]):
        if info & 0xFFFFFFFF in _RELATIVE:
            yield addend
    packed = image.at(tags.get(_RELR, 0), tags.get(_RELR_BYTES, 0))
    for where in _unpacked(packed):
        word = image.at(where, 8)
        if len(word) == 8:
            yield struct.unpack("<Q", word)[0]


def _unpacked(table: bytes) -> Iterator[int]:
    """DT_RELR: an address, or a bitmap of the 63 words behind the last one."""
    where = 0
    for (entry,) in struct.iter_unpack("<Q", table[: len(table) // 8 * 8]):
        if not entry & 1:
            yield entry
            where = entry + 8
            continue
        yield from (where + 8 * bit for bit in range(63) if entry >> bit + 1 & 1)
        where += 8 * 63


def of_code(code: Decoded, found: set[int], fixed: bool) -> tuple[list[int], list[int]]:
    """Adds where direct branches lead. Also: addresses that it computes, and which of its instructions jump to where a register says,
    or return to what the one before has put there.

    `fixed`: nothing is relocated, so that a number may be the address of a label."""
    addresses: list[int] = []
    jumps: list[int] = []
    for number, role in enumerate(_ROLES.each(code.codes, code.instructions)):
        if not role:
            continue
        instruction = code.instructions[number]
        if role == _BRANCH:
            if instruction.op0_kind == _NEAR:
                found.add(instruction.near_branch_target)
        elif role == _ADDRESS:
            if instruction.memory_base == Register.RIP:
                addresses.append(instruction.memory_displacement)
        elif role == _NUMBER:
            if fixed:
                addresses.append(instruction.immediate32)
        elif role == _RETURN:
            if number and _is_put_on_top(code.instructions[number - 1]):
                jumps.append(number)
        elif instruction.op0_kind == OpKind.REGISTER or instruction.memory_index != Register.NONE:
            jumps.append(number)
    return addresses, jumps


def _role(instruction: Instruction) -> int:
    """What an instruction may say of where jumps lead."""
    flow = instruction.flow_control
    if flow == FlowControl.NEXT:
        if instruction.mnemonic == Mnemonic.MOV and instruction.op1_kind == OpKind.IMMEDIATE32:
            return _NUMBER
        return _ADDRESS if instruction.mnemonic == Mnemonic.LEA else _NOTHING
    return _BRANCH if flow in _BRANCHES else _JUMP if flow == _INDIRECT else _RETURN if flow == FlowControl.RETURN else _NOTHING


def _is_put_on_top(instruction: Instruction) -> bool:
    """Of the stack: `push %rax`, `mov %rax, (%rsp)`."""
    top = instruction.op0_kind == OpKind.MEMORY and instruction.memory_base == Register.RSP and instruction.memory_displacement == 0
    return bool(instruction.mnemonic == Mnemonic.PUSH or (top and instruction.mnemonic in (Mnemonic.MOV, Mnemonic.XCHG)))


_NOTHING, _BRANCH, _ADDRESS, _NUMBER, _JUMP, _RETURN = range(6)
_ROLES = Facts(_role)


def is_tail_call(instructions: Sequence[Instruction], jump: int, found: set[int]) -> bool:
    """The register was loaded from a place, not out of a table, and nothing can come in between: it leads to a function."""
    if instructions[jump].op_count == 0 or instructions[jump].op0_kind != OpKind.REGISTER:
        return False
    register = instructions[jump].op0_register
    for number in range(jump, max(0, jump - _FAR), -1):
        before = instructions[number - 1]
        if instructions[number].ip in found or flow_of(before) not in STRAIGHT:
            return False
        if before.op_count and before.op0_kind == OpKind.REGISTER and RegisterExt.full_register(before.op0_register) == register:
            if before.mnemonic in (Mnemonic.CMP, Mnemonic.TEST):
                continue
            if before.mnemonic != Mnemonic.MOV or before.op0_register != register:
                return False
            if before.op1_kind == OpKind.MEMORY:
                return bool(before.memory_index == Register.NONE)
            register = before.op1_register
            if before.op1_kind != OpKind.REGISTER:
                return False
    return False


def of_tables(image: Image, addresses: Iterable[int], text: Text) -> set[int]:
    """What the jump tables of a function lead to: at any address that it computes, 32-bit distances from there, while they are code."""
    found: set[int] = set()
    for base in addresses:
        if base in text or not _leads_into(text, base, image.at(base, 4)):
            continue
        data = image.at(base, 4 * _MOST_ENTRIES)
        for (distance,) in struct.iter_unpack("<i", data[: len(data) // 4 * 4]):
            if base + distance not in text:
                break
            found.add(base + distance)
    return found


def _leads_into(text: Text, base: int, data: bytes) -> bool:
    """Most addresses are those of something else: most often the first number of it shows that."""
    return len(data) == 4 and text.low <= base + int.from_bytes(data, "little", signed=True) < text.high


def within(addresses: list[int], function: Function) -> bool:
    """Does one of these, sorted, lie inside the function, behind its beginning?"""
    at = bisect_left(addresses, function.start + 1)
    return at < len(addresses) and addresses[at] < function.end
