"""The check of an access's marks (csrc/machine/filter.h) with which trampolines begin: the instruction's own operand with a gs prefix.

Where the flags may be changed the check is a comparison; elsewhere it consists of loads into rcx, `not`, `lea` and `jrcxz`, which leave the
flags alone. A byte that was accessed has the mark 0xff, which a read looks for; one that was written has also the mark 0x7f, which lies
farther off.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from iced_x86 import Register

from bpor.machine.sites import LARGEST_MARKED, ORDER

READ, WRITTEN = -1, 0x7F
APART = -0x10000000  # from the mark of a read to that of a write
_MOVED = 136  # bytes from the program's stack pointer to where rcx is kept
_KEEP = bytes.fromhex("488da42478ffffff 48890c24")  # lea -136(%rsp), %rsp; mov %rcx, (%rsp)
_GET = bytes.fromhex("488b0c24")  # mov (%rsp), %rcx
_GIVE_BACK = _GET + bytes.fromhex("488da42488000000")  # and lea 136(%rsp), %rsp
_COUNT = bytes.fromhex("64832c2500000000 01")  # subl $1, %fs:left
_COUNT_BY_RCX = (bytes.fromhex("648b0c2500000000"), bytes.fromhex("8d49ff"), bytes.fromhex("64890c2500000000"))
_NOT = {8: bytes.fromhex("48f7d1"), 4: bytes.fromhex("f7d1")}  # not %rcx, not %ecx
_LESS = bytes.fromhex("8d89")  # lea -number(%rcx), %ecx
_JUMP, _JNE, _JLE = b"\xe9", b"\x0f\x85", b"\x0f\x8e"
_IF_ZERO_SKIP_JUMP = b"\xe3\x05"  # jrcxz
_UNLESS_ZERO_SKIP_JUMP = b"\xe3\x02\xeb\x05"
_GS, _WIDE = 0x65, 8
_COMPARE_SHORT = {8: b"\x83", 4: b"\x83", 2: b"\x83", 1: b"\x80"}  # with a byte
_COMPARE = {4: b"\x81", 2: b"\x81", 1: b"\x80"}
_LOAD = {8: b"\x8b", 4: b"\x8b", 2: b"\x0f\xbf", 1: b"\x0f\xbe"}  # of two and of one: with their sign
_COMPARES, _RCX = 7, 1  # what an operand's byte has beside the memory: the rest of an opcode, or a register
_SCALES = {1: 0, 2: 1, 4: 2, 8: 3}
_NUMBER = {register: number for number, register in enumerate(ORDER)}


def _parts(size: int, largest: int) -> tuple[tuple[int, int], ...]:
    """Where parts of so many bytes begin, and how large they are."""
    at, found = 0, []
    while at < size:
        part = next(each for each in (8, 4, 2, 1) if each <= min(size - at, largest))
        found.append((at, part))
        at += part
    return tuple(found)


_PARTS = {read: [_parts(size, 8 if read else 4) for size in range(LARGEST_MARKED + 1)] for read in (True, False)}


class FilterCode(NamedTuple):
    """The code before one kind of access, wherever that lies."""

    code: bytes
    looks: tuple[int, ...]  # where in it the instructions begin that look at a mark
    jumps: tuple[int, ...]  # where distances to what tells the access stand
    counts: tuple[int, ...]  # where the distance from fs to the thread's count stands
    to_module: tuple[tuple[int, int], ...]  # where the distance from here to the operand stands, and what is added to it
    behind: bytes  # how what tells the access begins


def look_of(operand: tuple[int, int, int], far: int, reads: bool, size: int, free_flags: bool, counts: bool) -> FilterCode:
    """`operand`: base, index and scale of an access that has marks; `far`: its displacement, of rip 0."""
    return _FilterWriter(operand, far, reads, size, free_flags, counts).written()


class _FilterWriter:
    def __init__(self, operand: tuple[int, int, int], far: int, reads: bool, size: int, free_flags: bool, counts: bool) -> None:
        self._operand, self._reads, self._size = operand, reads, size
        self._free, self._counted = free_flags, counts
        self._uses_rcx = Register.RCX in operand[:2]
        self._far = far + (0 if reads else APART)
        if operand[0] == Register.RSP and not free_flags:
            self._far += _MOVED
        self._code = bytearray()
        self._looks: list[int] = []
        self._jumps: list[int] = []
        self._counts: list[int] = []
        self._to_module: list[tuple[int, int]] = []

    def written(self) -> FilterCode:
        code = self._code
        if self._counted and self._free:
            self._counts.append(len(code) + 4)
            code += _COUNT
            self._jump(_JLE)
        if not self._free:
            code += _KEEP
            if self._counted:
                self._count()
        self._look(READ if self._reads else WRITTEN)
        if not self._free:
            code += _GIVE_BACK
        places = tuple(self._looks), tuple(self._jumps), tuple(self._counts), tuple(self._to_module)
        return FilterCode(bytes(code), *places, b"" if self._free else _GIVE_BACK)

    def _jump(self, opcode: bytes) -> None:
        self._code += opcode + bytes(4)
        self._jumps.append(len(self._code) - 4)

    def _count(self) -> None:
        load, less, store = _COUNT_BY_RCX
        code = self._code
        self._counts += [len(code) + 4, len(code) + len(load) + len(less) + 4]
        code += load + less + store + _UNLESS_ZERO_SKIP_JUMP
        self._jump(_JUMP)

    def _look(self, wanted: int) -> None:
        for at, size in _PARTS[wanted == READ][self._size]:
            if self._free:
                self._compare(at, size, wanted)
            else:
                self._load(at, size, wanted, self._counted or at > 0)
                self._code += _IF_ZERO_SKIP_JUMP
            self._jump(_JNE if self._free else _JUMP)
            self._looks.append(self._begun)

    def _compare(self, at: int, size: int, wanted: int) -> None:
        opcode = (_COMPARE_SHORT if wanted == READ else _COMPARE)[size]
        number = b"\xff" if wanted == READ else bytes([wanted]) * size
        self._emit(opcode, size, _COMPARES, at, number)

    def _load(self, at: int, size: int, wanted: int, clobbered: bool) -> None:
        if clobbered and self._uses_rcx:
            self._code += _GET
        self._emit(_LOAD[size], size if size == 8 else 4, _RCX, at, b"")
        if wanted == READ:
            self._code += _NOT[max(size, 4)]
        else:
            self._code += _LESS + struct.pack("<i", -int.from_bytes(bytes([wanted]) * size, "little"))

    def _emit(self, opcode: bytes, size: int, beside: int, at: int, number: bytes) -> None:
        base, index, scale = self._operand
        far = self._far + at
        self._begun = len(self._code)
        if base != Register.RIP:
            self._code += _encoded(opcode, size, beside, base, index, scale, far) + number
            return
        self._code += _encoded(opcode, size, beside, base, index, scale, 0)
        self._to_module.append((len(self._code), far - 4 - len(number)))
        self._code += bytes(4) + number


def _encoded(opcode: bytes, size: int, beside: int, base: int, index: int, scale: int, far: int) -> bytes:
    """Intel's manual, volume 2, 2.1 and 2.2: prefixes, REX, opcode, ModRM, SIB, displacement. Of rip the displacement is left to the
    caller."""
    rex = 0x40 | (_WIDE if size == 8 else 0)
    modrm = beside << 3
    if base == Register.RIP:
        operand = bytes([modrm | 5])
    else:
        low, high = (_NUMBER[base] & 7, _NUMBER[base] >> 3) if base != Register.NONE else (5, 0)
        rex |= high
        short = base != Register.NONE and -128 <= far < 128
        mode = 0 if base == Register.NONE else 0x40 if short else 0x80
        if index == Register.NONE and base not in (Register.NONE, Register.RSP, Register.R12):
            operand = bytes([mode | modrm | low])
        else:
            number_of_index = _NUMBER[index] if index != Register.NONE else 4
            rex |= number_of_index >> 3 << 1
            operand = bytes([mode | modrm | 4, _SCALES[scale] << 6 | (number_of_index & 7) << 3 | low])
        operand += struct.pack("<b" if short else "<i", far)
    return bytes([_GS, 0x66] if size == 2 else [_GS]) + (bytes([rex]) if rex != 0x40 else b"") + opcode + operand
