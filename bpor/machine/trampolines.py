"""The code that stands in for a group: each site tells the hook where it goes, then the instruction itself runs, somewhere else.

What the program has in registers, flags and below its stack pointer (128 bytes, System V ABI) stays. The address of the site lies on the
stack for the unwinder: all trampolines of a module have one entry in its tables, that of the moment when the hook is called.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Container
from typing import NamedTuple

from iced_x86 import Code, Encoder, FlowControl, Instruction, MemoryOperand, OpKind, Register

from bpor.machine.filters import FilterCode, look_of
from bpor.machine.flow import CALLS, flow_of
from bpor.machine.groups import Group
from bpor.machine.sites import Kind, Site, mask_of

HOOK, LOOKS = 0, 8  # where in the code two addresses stand: of the hook, and of a word that is 0 while nobody looks at plain accesses
RED_ZONE = 128
_KEEP = bytes.fromhex("488d642480")  # lea -128(%rsp), %rsp
_SAVE = bytes.fromhex("9c 50 51 52 56 57 4150 4151 4152 4153")  # flags, rax rcx rdx rsi rdi r8-r11
_RESTORE = bytes.fromhex("415b 415a 4159 4158 5f 5e 5a 59 58 9d")
_BACK = _RESTORE + bytes.fromhex("488da42488000000")  # and lea 136(%rsp), %rsp
_FS_BASE = bytes.fromhex("64 48 03 3c 25 00000000")  # add %fs:0, %rdi
_ASK = bytes.fromhex("488da42478ffffff 48890c24 488b0d")  # lea -136(%rsp), %rsp; mov %rcx, (%rsp); mov looks, %rcx
_IF_ZERO = bytes.fromhex("8b09 e3")  # mov (%rcx), %ecx; jrcxz: without a change of the flags
_GO_ON = bytes.fromhex("488b0c24 488d642408")  # mov (%rsp), %rcx; lea 8(%rsp), %rsp
_SKIPPED = bytes.fromhex("488b0c24 488da42488000000")  # mov (%rsp), %rcx; lea 136(%rsp), %rsp
_NOWHERE = bytes.fromhex("31ff")  # xor %edi, %edi
_LEA_RIP = bytes.fromhex("488d3d")  # lea far(%rip), %rdi
_PUSH, _SITE, _CALL = bytes.fromhex("ff35"), bytes.fromhex("488d35"), bytes.fromhex("ff15")  # the site's address; lea site, %rsi; the hook
_SKIP = b"\xeb" + bytes([len(_SKIPPED)])
_SITE_AT = len(_ASK) + 4 + len(_IF_ZERO) + 1 + len(_GO_ON) + len(_PUSH)  # in what tells an access that was looked at
_ASKED = len(_GO_ON) + len(_PUSH) + 4 + len(_SAVE) + len(_SITE) + 4 + len(_CALL) + 4 + len(_BACK) + len(_SKIP)  # and the operand
_DISTANCE = struct.Struct("<i")
BELOW = RED_ZONE + 8 + 8 + 9 * 8  # from the stack pointer of the program to that of the call
_ANSWERED = {Kind.SYSCALL, Kind.CLOCK, Kind.RANDOM}  # the hook may do it in the instruction's place
_PLAIN = {Kind.READ, Kind.WRITE, Kind.UPDATE, Kind.COPY, Kind.FILL, Kind.BIT, Kind.LOOK, Kind.MASKED}
_ADDRESSED = {Kind.READ, Kind.WRITE, Kind.UPDATE, Kind.LOCKED, Kind.BIT, Kind.MASKED}
_LEAVE = CALLS | {FlowControl.UNCONDITIONAL_BRANCH, FlowControl.INDIRECT_BRANCH, FlowControl.RETURN}
SITE = struct.Struct("<QBBBBBxxxQ")


_Operand = tuple[int, int, int]  # base, index and scale


class _Look(NamedTuple):
    """All accesses of one kind by one operand are looked at and told alike."""

    look: FilterCode
    told: bytes  # what tells it, with room for distances
    operand_end: int  # where in it the operand has been told
    relative: bool  # to rip


class Trampolines:
    """Everything is as if the module lay at 0 and this code at `base`; `relocations` are the distances that change with either."""

    def __init__(self, base: int, read: Callable[[int, int], bytes], unused: int = 0) -> None:
        """`read(address, count)`: what the module has there."""
        self.base, self._read = base, read
        self.code = bytearray(16 + unused)
        self.sites: list[tuple[int, Site, int]] = []  # address, what it is, length of the instruction
        self.relocations: list[int] = []
        self.gates: list[tuple[int, int]] = []  # where marks are begun to be looked at, and where it goes on without them
        self.looks: list[tuple[int, int]] = []  # at each mark, and where it goes on if there is none
        self.counts: list[int] = []  # where the distance from fs to the thread's count goes
        self._to_sites: list[tuple[int, int]] = []  # where a distance stands, and the site
        self._looks: dict[tuple[_Operand, int, int, int, bool, bool], _Look] = {}
        self._constants: list[tuple[int, int]] = []  # where a distance to a constant stands, and which
        self._encoder = Encoder(64)
        self._addresses: dict[tuple[_Operand, int], bytes] = {}  # how an operand is told, by what it consists of

    def add(self, group: Group, free_flags: Container[int] = (), counted: Container[int] = ()) -> int:
        """Where it begins. `free_flags`: instructions before which no flag is needed; `counted`: those whose accesses are counted."""
        code = self.code
        entry = len(code)
        behind: list[tuple[_Look, int, int, Instruction, Site]] = []
        for instruction, site in zip(group.instructions, group.sites, strict=True):
            if site is not None and site.marked:
                address = instruction.ip
                look = self._look(instruction, site, address in free_flags, address in counted)
                begin = len(code)
                code += look.look.code
                behind.append((look, begin, len(code), instruction, site))
                self._moved(instruction)
            else:
                self._place(instruction, site)
        last = group.instructions[-1]
        if flow_of(last) not in _LEAVE:
            self._distance(b"\xe9", last.ip + last.len)
        for each in behind:
            self._tell_behind(*each)
        return entry

    def _look(self, instruction: Instruction, site: Site, free_flags: bool, counted: bool) -> _Look:
        base, far = instruction.memory_base, instruction.memory_displacement
        relative = base == Register.RIP
        far = 0 if relative else _signed(far)
        operand = (base, instruction.memory_index, instruction.memory_index_scale)
        key = (operand, far, site.kind, site.bytes, free_flags, counted)
        known = self._looks.get(key)
        if known is None:
            told = _LEA_RIP + bytes(4) if relative else self._lea(operand, far)
            asks = _ASK + bytes(4) + _IF_ZERO + bytes([_ASKED + len(told)]) + _GO_ON + _PUSH + bytes(4) + _SAVE
            calls = _SITE + bytes(4) + _CALL + bytes(4) + _BACK + _SKIP + _SKIPPED + b"\xe9" + bytes(4)
            look = look_of(operand, far, site.kind is Kind.READ, site.bytes, free_flags, counted)
            known = self._looks[key] = _Look(look, asks + told + calls, len(asks + told), relative)
        return known

    def _tell_behind(self, kind: _Look, begin: int, found: int, instruction: Instruction, site: Site) -> None:
        """The rare case lies out of the way of the others. `begin`: where the look at its marks stands; `found`: what comes after it."""
        code, write, look = self.code, _DISTANCE.pack_into, kind.look
        place = len(code)
        for at in look.jumps:
            write(code, begin + at, place - (begin + at + 4))
        for at in look.looks:
            self.looks.append((begin + at, place))
        for at in look.counts:
            self.counts.append(begin + at)
        code += look.behind
        start = len(code)
        self.gates.append((begin, start))
        code += kind.told
        end = start + kind.operand_end
        number, site_at = len(self.sites), end + len(_SITE)
        self.sites.append((instruction.ip, site, instruction.len))
        if kind.relative:
            operand = instruction.memory_displacement
            for at, more in look.to_module:
                write(code, begin + at, operand + more - (self.base + begin + at))
                self.relocations.append(begin + at)
            write(code, end - 4, operand - (self.base + end))
            self.relocations.append(end - 4)
        write(code, start + len(_ASK), LOOKS - (start + len(_ASK) + 4))
        self._to_sites += ((start + _SITE_AT, number), (site_at, number))
        write(code, site_at + 4 + len(_CALL), HOOK - (site_at + 8 + len(_CALL)))
        write(code, len(code) - 4, found - len(code))

    def finish(self) -> tuple[bytes, bytes]:
        """The code, and the sites that follow it at the next multiple of 16. Constants lie behind the code: return addresses of calls."""
        constants = {value: 0 for _, value in self._constants}
        self.code += bytes(-len(self.code) % 8)
        for value in constants:
            constants[value] = len(self.code)
            self.code += struct.pack("<Q", value)
        for where, value in self._constants:
            struct.pack_into("<i", self.code, where, constants[value] - (where + 4))
        self.code += bytes(-len(self.code) % 16)
        table = len(self.code)
        code, write, size = self.code, _DISTANCE.pack_into, SITE.size
        for where, number in self._to_sites:
            write(code, where, table + number * size - (where + 4))
        packed = (
            SITE.pack(address, site.kind, min(site.bytes, 255), site.form, site.source, length, site.operand)
            for address, site, length in self.sites
        )
        self.constants = tuple(constants.values())
        return bytes(self.code), b"".join(packed)

    def _place(self, instruction: Instruction, site: Site | None) -> None:
        if site is None:
            self._moved(instruction)
            return
        if site.kind in _PLAIN:
            self._tell_if_looked_at(instruction, site)
            self._moved(instruction)
            return
        self.code += _KEEP
        self._tell(instruction, site)
        if site.kind in _ANSWERED:
            self._moved_unless_answered(instruction)
        else:
            self.code += _BACK
            self._moved(instruction)

    def _tell_if_looked_at(self, instruction: Instruction, site: Site) -> None:
        self.code += _ASK
        self.code += struct.pack("<i", LOOKS - (len(self.code) + 4)) + _IF_ZERO + b"\0"
        begin = len(self.code)
        self.code += _GO_ON
        self._tell(instruction, site)
        self.code += _BACK + b"\xeb" + bytes([len(_SKIPPED)])
        self.code[begin - 1] = len(self.code) - begin
        self.code += _SKIPPED

    def _moved_unless_answered(self, instruction: Instruction) -> None:
        own = self._encoded(instruction)
        self.code += b"\x85\xc0\x75" + bytes([len(_BACK) + len(own) + 2])  # test %eax, %eax; jnz
        self.code += _BACK + own + b"\xeb" + bytes([len(_BACK)]) + _BACK

    def _tell(self, instruction: Instruction, site: Site) -> None:
        number = len(self.sites)
        self.sites.append((instruction.ip, site, instruction.len))
        self._to_site(_PUSH, number)
        self.code += _SAVE
        if site.kind in _ADDRESSED:
            self._address(instruction)
        else:
            self.code += _NOWHERE
        if site.kind is Kind.MASKED:
            self.code += self._encoded(mask_of(instruction))
        self._to_site(_SITE, number)
        self.code += _CALL + struct.pack("<i", HOOK - (len(self.code) + 6))

    def _to_site(self, opcode: bytes, number: int) -> None:
        self.code += opcode + bytes(4)
        self._to_sites.append((len(self.code) - 4, number))

    def _distance(self, opcode: bytes, target: int) -> None:
        """An instruction that ends in the distance to an address of the module."""
        end = self.base + len(self.code) + len(opcode) + 4
        self.code += opcode + struct.pack("<i", target - end)
        self.relocations.append(len(self.code) - 4)

    def _lea(self, operand: _Operand, far: int) -> bytes:
        """lea operand, %rdi"""
        told = self._addresses.get((operand, far))
        if told is None:
            base, index, scale = operand
            there = MemoryOperand(base, index, scale, far + (BELOW if base == Register.RSP else 0), 8)  # type: ignore[arg-type]
            told = self._addresses[operand, far] = self._encoded(Instruction.create_reg_mem(Code.LEA_R64_M, Register.RDI, there))
        return told

    def _address(self, instruction: Instruction) -> None:
        base, far = instruction.memory_base, instruction.memory_displacement
        if base == Register.RIP:
            self._distance(_LEA_RIP, far)
        elif _is_absolute(instruction) and _signed(far) != _as_32_bits(far):
            self.code += b"\x48\xbf" + struct.pack("<Q", far)  # mov $far, %rdi
        else:
            self.code += self._lea((base, instruction.memory_index, instruction.memory_index_scale), _signed(far))
        if instruction.segment_prefix == Register.FS:
            self.code += _FS_BASE

    def _moved(self, instruction: Instruction) -> None:
        """The instruction itself. A call pushes the address behind the original one: what is found there unwinds as ever."""
        flow = flow_of(instruction)
        if flow in CALLS:
            self.code += b"\xff\x35" + bytes(4)  # push
            self._constants.append((len(self.code) - 4, instruction.ip + instruction.len))
            instruction = _as_jump(instruction)
        elif flow in (FlowControl.CONDITIONAL_BRANCH, FlowControl.UNCONDITIONAL_BRANCH):
            instruction = instruction.copy()
            instruction.as_near_branch()
        elif flow == FlowControl.NEXT and instruction.memory_base != Register.RIP:
            self.code += self._read(instruction.ip, instruction.len)  # it means the same anywhere
            return
        start = len(self.code)
        self.code += self._encoded(instruction)
        if instruction.is_ip_rel_memory_operand:
            self.relocations.append(start + self._encoder_offsets.displacement_offset)
        elif instruction.op_count and instruction.op0_kind == OpKind.NEAR_BRANCH64:
            self.relocations.append(len(self.code) - 4)

    def _encoded(self, instruction: Instruction) -> bytes:
        self._encoder.encode(instruction, self.base + len(self.code))
        self._encoder_offsets = self._encoder.get_constant_offsets()
        return bytes(self._encoder.take_buffer())


def _as_jump(call: Instruction) -> Instruction:
    """Behind a push: what the call finds by its stack pointer lies farther up."""
    kind = call.op0_kind
    if kind == OpKind.NEAR_BRANCH64:
        return Instruction.create_branch(Code.JMP_REL32_64, call.near_branch_target)
    if kind == OpKind.REGISTER:
        return Instruction.create_reg(Code.JMP_RM64, call.op0_register)
    size = 8 if call.memory_base != Register.NONE or call.memory_index != Register.NONE else 4
    far = _signed(call.memory_displacement) + (8 if call.memory_base == Register.RSP else 0)
    operand = MemoryOperand(call.memory_base, call.memory_index, call.memory_index_scale, far, size)
    return Instruction.create_mem(Code.JMP_RM64, operand)


def _is_absolute(instruction: Instruction) -> bool:
    """The address stands in the instruction: of a move of rax it may have 64 bits."""
    return bool(instruction.memory_base == Register.NONE and instruction.memory_index == Register.NONE)


def _as_32_bits(value: int) -> int:
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
