"""The code that stands in for a group: each site tells the hook where it goes, then the instruction itself runs, somewhere else.

What the program has in registers, flags and below its stack pointer (128 bytes, System V ABI) stays. The address of the site lies on the
stack for the unwinder: all trampolines of a module have one entry in its tables, that of the moment when the hook is called.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Container

from iced_x86 import Code, Encoder, FlowControl, Instruction, MemoryOperand, OpKind, Register

from bpor.machine.filters import Filter, Label, filterable
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
BELOW = RED_ZONE + 8 + 8 + 9 * 8  # from the stack pointer of the program to that of the call
_ANSWERED = {Kind.SYSCALL, Kind.CLOCK, Kind.RANDOM}  # the hook may do it in the instruction's place
_PLAIN = {Kind.READ, Kind.WRITE, Kind.UPDATE, Kind.COPY, Kind.FILL, Kind.BIT, Kind.LOOK, Kind.MASKED}
_ADDRESSED = {Kind.READ, Kind.WRITE, Kind.UPDATE, Kind.LOCKED, Kind.BIT, Kind.MASKED}
_LEAVE = CALLS | {FlowControl.UNCONDITIONAL_BRANCH, FlowControl.INDIRECT_BRANCH, FlowControl.RETURN}
SITE = struct.Struct("<QBBBBBxxxQ")


class Trampolines:
    """Everything is as if the module lay at 0 and this code at `base`; `relocations` are the distances that change with either."""

    def __init__(self, base: int, read: Callable[[int, int], bytes], unused: int = 0) -> None:
        """`read(address, count)`: what the module has there."""
        self.base, self._read = base, read
        self.code = bytearray(16 + unused)
        self.sites: list[tuple[int, Site, int]] = []  # address, what it is, length of the instruction
        self.relocations: list[int] = []
        self.gates: list[tuple[int, int]] = []  # where marks are begun to be looked at, and where it goes on without them
        self.looks: list[tuple[int, Label]] = []  # at each mark, and where it goes on if there is none
        self.counts: list[int] = []  # where the distance from fs to the thread's count goes
        self._to_sites: list[tuple[int, int, int]] = []  # where a distance stands, the site, how far into it
        self._constants: list[tuple[int, int]] = []  # where a distance to a constant stands, and which
        self._encoder = Encoder(64)
        self._addresses: dict[tuple[int, int, int, int], bytes] = {}  # how an operand is told, by what it consists of

    def add(self, group: Group, free_flags: Container[int] = (), counted: Container[int] = ()) -> int:
        """Where it begins. `free_flags`: instructions before which no flag is needed; `counted`: those whose accesses are counted."""
        entry = len(self.code)
        behind: list[tuple[Filter, int, Instruction, Site]] = []
        for instruction, site in zip(group.instructions, group.sites, strict=True):
            if site is not None and filterable(instruction, site):
                filter = Filter(self, instruction, site, instruction.ip in free_flags, instruction.ip in counted)
                filter.begin()
                behind.append((filter, len(self.code), instruction, site))
                self._moved(instruction)
            else:
                self._place(instruction, site)
        last = group.instructions[-1]
        if flow_of(last) not in _LEAVE:
            self._distance(b"\xe9", last.ip + last.len)
        for filter, found, instruction, site in behind:
            self._tell_behind(filter, found, instruction, site)
        return entry

    def _tell_behind(self, filter: Filter, found: int, instruction: Instruction, site: Site) -> None:
        """The rare case lies out of the way of the others."""
        filter.end()
        self.gates.append((filter.gate, len(self.code)))
        self._tell_if_looked_at(instruction, site)
        self.code += b"\xe9" + struct.pack("<i", found - (len(self.code) + 5))

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
        for where, number, into in self._to_sites:
            struct.pack_into("<i", self.code, where, table + number * SITE.size + into - (where + 4))
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
        self._to_site(b"\xff\x35", number, 0)  # push address of the site
        self.code += _SAVE
        if site.kind in _ADDRESSED:
            self._address(instruction)
        else:
            self.code += _NOWHERE
        if site.kind is Kind.MASKED:
            self.code += self._encoded(mask_of(instruction))
        self._to_site(b"\x48\x8d\x35", number, 0)  # lea site, %rsi
        self.code += b"\xff\x15" + struct.pack("<i", HOOK - (len(self.code) + 6))

    def _to_site(self, opcode: bytes, number: int, into: int) -> None:
        self.code += opcode + bytes(4)
        self._to_sites.append((len(self.code) - 4, number, into))

    def _distance(self, opcode: bytes, target: int) -> None:
        """An instruction that ends in the distance to an address of the module."""
        end = self.base + len(self.code) + len(opcode) + 4
        self.code += opcode + struct.pack("<i", target - end)
        self.relocations.append(len(self.code) - 4)

    def _address(self, instruction: Instruction) -> None:
        """lea operand, %rdi"""
        base, far = instruction.memory_base, instruction.memory_displacement
        if base == Register.RIP:
            self._distance(b"\x48\x8d\x3d", far)
        elif _is_absolute(instruction) and _signed(far) != _as_32_bits(far):
            self.code += b"\x48\xbf" + struct.pack("<Q", far)  # mov $far, %rdi
        else:
            near = _signed(far)
            near += BELOW if base == Register.RSP else 0
            key = (base, instruction.memory_index, instruction.memory_index_scale, near)
            told = self._addresses.get(key)
            if told is None:
                told = self._encoded(Instruction.create_reg_mem(Code.LEA_R64_M, Register.RDI, MemoryOperand(*key, 8)))
                self._addresses[key] = told
            self.code += told
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

    def emit(self, code: bytes, to_module: int, behind: bytes) -> None:
        """Code that is not the program's. `to_module`: it ends in the distance to this address; 0: it does not. Then comes `behind`."""
        self.code += code
        if to_module:
            end = self.base + len(self.code) + 4 + len(behind)
            self.relocations.append(len(self.code))
            self.code += struct.pack("<i", to_module - end)
        self.code += behind

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
