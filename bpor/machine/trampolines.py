"""The code that stands in for a group: each site tells the hook where it goes, then the instruction itself runs, somewhere else.

What the program has in registers, flags and below its stack pointer (128 bytes, System V ABI) stays. The address of the site lies on the
stack for the unwinder: all trampolines of a module have one entry in its tables, that of the moment when the hook is called.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Container

from iced_x86 import Code, Encoder, FlowControl, Instruction, MemoryOperand, OpKind, Register

from bpor.machine.blob import Blob, Fix, Fixup
from bpor.machine.decoded import Decoded
from bpor.machine.filters import look_of
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
_IF_DONE, _IF_NOT_DONE = bytes.fromhex("85c074"), bytes.fromhex("85c075")  # test %eax, %eax; jz, jnz: over what is to be run then
_GO_ON = bytes.fromhex("488b0c24 488d642408")  # mov (%rsp), %rcx; lea 8(%rsp), %rsp
_SKIPPED = bytes.fromhex("488b0c24 488da42488000000")  # mov (%rsp), %rcx; lea 136(%rsp), %rsp
_NOWHERE = bytes.fromhex("31ff")  # xor %edi, %edi
_LEA_RIP = bytes.fromhex("488d3d")  # lea far(%rip), %rdi
_PUSH, _SITE, _CALL = bytes.fromhex("ff35"), bytes.fromhex("488d35"), bytes.fromhex("ff15")  # the site's address; lea site, %rsi; the hook
_SKIP = b"\xeb" + bytes([len(_SKIPPED)])
_JUMP = b"\xe9"
BELOW = RED_ZONE + 8 + 8 + 9 * 8  # from the stack pointer of the program to that of the call
_ANSWERED = {Kind.SYSCALL, Kind.CLOCK, Kind.RANDOM}  # the hook may do it in the instruction's place
_PLAIN = {Kind.READ, Kind.WRITE, Kind.UPDATE, Kind.COPY, Kind.FILL, Kind.BIT, Kind.LOOK, Kind.MASKED}
_STRINGS = {Kind.COPY, Kind.FILL, Kind.LOOK}  # likewise
_ADDRESSED = {Kind.READ, Kind.WRITE, Kind.UPDATE, Kind.LOCKED, Kind.BIT, Kind.MASKED}
_LEAVE = CALLS | {FlowControl.UNCONDITIONAL_BRANCH, FlowControl.INDIRECT_BRANCH, FlowControl.RETURN}
_BRANCHES = frozenset({int(FlowControl.CONDITIONAL_BRANCH), int(FlowControl.UNCONDITIONAL_BRANCH)})
_NEXT, _RIP, _RSP, _NONE = int(FlowControl.NEXT), int(Register.RIP), int(Register.RSP), int(Register.NONE)

_Operand = tuple[int, int, int]  # base, index and scale


class _Writer:
    """Code that becomes a piece."""

    def __init__(self) -> None:
        self.code = bytearray()
        self.fixups: list[Fixup] = []

    def distance(self, opcode: bytes, fix: Fix, value: int = 0) -> None:
        """An instruction that ends in one."""
        self.code += opcode
        self.fixups.append((len(self.code), fix, value))
        self.code += bytes(4)


class Trampolines:
    def __init__(self, blob: Blob, read: Callable[[int, int], bytes]) -> None:
        """`read(address, count)`: what the module has there."""
        self._blob, self._read = blob, read
        self.sites: list[tuple[int, Site]] = []  # by address
        self._looks: dict[tuple[int, int, int, int, int, int, bool, bool], int] = {}
        self._pieces: dict[bytes, int] = {}  # of instructions that are moved, by their bytes without what depends on where they lie
        self._encoder = Encoder(64)
        self._addresses: dict[tuple[_Operand, int], bytes] = {}  # how an operand is told, by what it consists of

    def add(self, code: Decoded, groups: list[Group], sites: dict[int, Site], needed: list[int], counted: Container[int]) -> None:
        """Of one function, everything by number of the instruction. `needed`: flags before it; `counted`: those whose accesses are."""
        place, told, addresses, flows = self._blob.place, self.sites, code.addresses, code.flows
        for group in groups:
            for number in range(group.first, group.last + 1):
                instruction, address, site = code.instructions[number], addresses[number], sites.get(number)
                base = instruction.memory_base
                look = moved = 0
                if site is not None:
                    told.append((address, site))
                    if site.marked:
                        look = self._look(instruction, base, site, not needed[number], number in counted)
                    else:
                        moved = self._told(instruction, site)
                if not moved and (flows[number] != _NEXT or base == _RIP):
                    moved = self._moved(instruction, flows[number])
                refers = instruction.memory_displacement if base == _RIP else instruction.near_branch_target if moved else 0
                place(address, instruction.len, refers, look, moved)
            self._blob.end_group(group, flows[group.last] in _LEAVE)

    def _look(self, instruction: Instruction, base: int, site: Site, free_flags: bool, counted: bool) -> int:
        """All accesses of one kind by one operand are looked at and told alike."""
        far = 0 if base == _RIP else _signed(instruction.memory_displacement)
        index, scale = instruction.memory_index, instruction.memory_index_scale
        key = (base, index, scale, far, site.kind, site.bytes, free_flags, counted)
        known = self._looks.get(key)
        if known is None:
            operand = (base, index, scale)
            look = look_of(operand, far, site.kind is Kind.READ, site.bytes, free_flags, counted)
            fixups: list[Fixup] = [(at, Fix.BEHIND, 0) for at in look.jumps]
            fixups += [(at, Fix.LOOK, 0) for at in look.looks]
            fixups += [(at, Fix.COUNT, 0) for at in look.counts]
            fixups += [(at, Fix.MODULE, more) for at, more in look.to_module]
            behind = self._behind(look.behind, instruction, site)
            known = self._looks[key] = self._blob.piece(look.code, fixups, behind=behind)
        return known

    def _behind(self, begin: bytes, instruction: Instruction, site: Site) -> int:
        """The rare case lies out of the way of the others."""
        writer = _Writer()
        writer.code += begin
        writer.fixups.append((len(begin), Fix.GATE, 0))
        self._tell_if_looked_at(writer, instruction, site)
        writer.distance(_JUMP, Fix.FOUND)
        return self._blob.piece(bytes(writer.code), writer.fixups, site)

    def _told(self, instruction: Instruction, site: Site) -> int:
        """A site that has no marks, and the instruction."""
        writer = _Writer()
        if site.kind in _PLAIN:
            self._tell_if_looked_at(writer, instruction, site)
        else:
            writer.code += _KEEP
            self._tell(writer, instruction, site)
            if site.kind in _ANSWERED:
                own = self._encoded(instruction)
                writer.code += _IF_NOT_DONE + bytes([len(_BACK) + len(own) + 2])
                writer.code += _BACK + own + b"\xeb" + bytes([len(_BACK)]) + _BACK
                return self._blob.piece(bytes(writer.code), writer.fixups, site)
            writer.code += _BACK
        self._move(writer, instruction)
        return self._blob.piece(bytes(writer.code), writer.fixups, site)

    def _tell_if_looked_at(self, writer: _Writer, instruction: Instruction, site: Site) -> None:
        code = writer.code
        writer.distance(_ASK, Fix.CODE, LOOKS)
        code += _IF_ZERO + b"\0"
        begin = len(code)
        code += _GO_ON
        self._tell(writer, instruction, site)
        if site.kind in _STRINGS:
            code += _IF_DONE + bytes([len(_BACK) + 2]) + _BACK
            code += b"\xeb" + bytes([len(_BACK + _SKIP + _SKIPPED) + instruction.len])
        code += _BACK + _SKIP
        code[begin - 1] = len(code) - begin
        code += _SKIPPED

    def _tell(self, writer: _Writer, instruction: Instruction, site: Site) -> None:
        writer.distance(_PUSH, Fix.SITE)
        writer.code += _SAVE
        if site.kind in _ADDRESSED:
            self._address(writer, instruction)
        else:
            writer.code += _NOWHERE
        if site.kind is Kind.MASKED:
            writer.code += self._encoded(mask_of(instruction))
        writer.distance(_SITE, Fix.SITE)
        writer.distance(_CALL, Fix.CODE, HOOK)

    def _lea(self, operand: _Operand, far: int) -> bytes:
        """lea operand, %rdi"""
        told = self._addresses.get((operand, far))
        if told is None:
            base, index, scale = operand
            there = MemoryOperand(base, index, scale, far + (BELOW if base == _RSP else 0), 8)  # type: ignore[arg-type]
            told = self._addresses[operand, far] = self._encoded(Instruction.create_reg_mem(Code.LEA_R64_M, Register.RDI, there))
        return told

    def _address(self, writer: _Writer, instruction: Instruction) -> None:
        base, far = instruction.memory_base, instruction.memory_displacement
        if base == _RIP:
            writer.distance(_LEA_RIP, Fix.MODULE, -4)
        elif _is_absolute(instruction) and _signed(far) != _as_32_bits(far):
            writer.code += b"\x48\xbf" + struct.pack("<Q", far)  # mov $far, %rdi
        else:
            writer.code += self._lea((base, instruction.memory_index, instruction.memory_index_scale), _signed(far))
        if instruction.segment_prefix == Register.FS:
            writer.code += _FS_BASE

    def _moved(self, instruction: Instruction, flow: int) -> int:
        """An instruction that does not mean the same anywhere."""
        key = self._anywhere(instruction, flow)
        known = self._pieces.get(key, 0) if key else 0
        if not known:
            writer = _Writer()
            self._move(writer, instruction)
            known = self._blob.piece(bytes(writer.code), writer.fixups)
            if key:
                self._pieces[key] = known
        return known

    def _anywhere(self, instruction: Instruction, flow: int) -> bytes:
        """Its bytes without its distance; empty: where that stands is not known, or what it becomes depends on more."""
        own = self._read(instruction.ip, instruction.len)
        if flow == _NEXT:
            far = (instruction.memory_displacement - instruction.ip - instruction.len) & 0xFFFFFFFF
            parts = own.split(struct.pack("<I", far))
            return parts[0] + bytes(4) + parts[1] if len(parts) == 2 else b""
        if flow in _BRANCHES and instruction.op0_kind == OpKind.NEAR_BRANCH64:
            return own[:-1] if len(own) == 2 else own[:-4] if (own[0], len(own)) in ((0x0F, 6), (0xE9, 5)) else b""
        return b""

    def _move(self, writer: _Writer, instruction: Instruction) -> None:
        """The instruction itself. A call pushes the address behind the original one: what is found there unwinds as ever."""
        flow = flow_of(instruction)
        if flow in CALLS:
            writer.distance(_PUSH, Fix.CONSTANT, self._blob.constant(instruction.ip + instruction.len))
            instruction = _as_jump(instruction)
        elif flow in _BRANCHES:
            instruction = instruction.copy()
            instruction.as_near_branch()
        elif flow == _NEXT and instruction.memory_base != _RIP:
            writer.code += self._read(instruction.ip, instruction.len)
            return
        start, own = len(writer.code), self._encoded(instruction)
        writer.code += own
        if instruction.is_ip_rel_memory_operand:
            at = self._encoder_offsets.displacement_offset
            writer.fixups.append((start + at, Fix.MODULE, at - len(own)))
        elif instruction.op_count and instruction.op0_kind == OpKind.NEAR_BRANCH64:
            writer.fixups.append((len(writer.code) - 4, Fix.MODULE, -4))

    def _encoded(self, instruction: Instruction) -> bytes:
        self._encoder.encode(instruction, self._blob.base)
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
