"""What an instruction does that other threads can notice, or that would not repeat.

Invariant: an access that is not reported is recorded as UNSEEN, so that no verdict claims to have seen it. Not sites: the stack of a
function that lets no address of it out (bpor/machine/stack.py), read-only data, return addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum, IntFlag
from typing import NamedTuple

from iced_x86 import (
    Code,
    EncodingKind,
    Instruction,
    InstructionInfo,
    InstructionInfoFactory,
    MemorySizeExt,
    Mnemonic,
    OpAccess,
    OpCodeOperandKind,
    OpKind,
    Register,
    RegisterExt,
)

from bpor.machine.decoded import Decoded, Facts


class Kind(IntEnum):
    """csrc/machine/blob.h has the same."""

    READ = 1
    WRITE = 2
    UPDATE = 3
    LOCKED = 4
    FENCE = 5
    PAUSE = 6
    SYSCALL = 7
    CLOCK = 8
    RANDOM = 9
    COPY = 10  # movs
    FILL = 11  # stos
    BIT = 12  # bt and its like, by a number in a register, which may lead beyond the operand
    LOOK = 13  # lods, scas, cmps
    MASKED = 14  # of a vector, those elements that a mask names; `bytes` is that of one
    UNSEEN = 15  # never in a blob


class Form(IntEnum):
    """Of a locked access: csrc/instrument/atomic_forms.h, and one of which nobody knows beforehand what it writes."""

    STORE = 1
    EXCHANGE = 2
    ADD = 3
    SUB = 4
    AND = 5
    OR = 6
    XOR = 7
    COMPARE = 9
    UNKNOWN = 10


class Masked(IntFlag):
    """Of MASKED; csrc/machine/blob.h has the same."""

    WRITES = 1
    PACKED = 2  # as many as the mask names, one behind the other


class Look(IntFlag):
    """Of LOOK; csrc/machine/blob.h has the same."""

    REPEATED = 1
    SCAN = 2  # of what edi leads to, for what rax holds
    COMPARE = 4  # of what both lead to
    UNTIL_EQUAL = 8  # else while it is


NO_REGISTER, BIT_OF = 0xFF, 0x40  # a source: an immediate; the number of a register that holds the number of a bit
_NAMES = ("RAX", "RCX", "RDX", "RBX", "RSP", "RBP", "RSI", "RDI", *(f"R{number}" for number in range(8, 16)))
ORDER = [getattr(Register, name) for name in _NAMES]
_NUMBER = {register: number for number, register in enumerate(ORDER)}
_HIGH_HALVES = {Register.AH, Register.BH, Register.CH, Register.DH}
_STACK = Register.RSP
_M = Mnemonic
_ALONE = {
    _M.MFENCE: Kind.FENCE,
    _M.PAUSE: Kind.PAUSE,
    _M.SYSCALL: Kind.SYSCALL,
    _M.RDTSC: Kind.CLOCK,
    _M.RDTSCP: Kind.CLOCK,
    _M.RDRAND: Kind.RANDOM,
    _M.RDSEED: Kind.RANDOM,
}
_COPIES = {_M.MOVSB: 1, _M.MOVSW: 2, _M.MOVSD: 4, _M.MOVSQ: 8}
_FILLS = {_M.STOSB: 1, _M.STOSW: 2, _M.STOSD: 4, _M.STOSQ: 8}
_LOOKS = {
    **{mnemonic: (size, Look(0)) for mnemonic, size in ((_M.LODSB, 1), (_M.LODSW, 2), (_M.LODSD, 4), (_M.LODSQ, 8))},
    **{mnemonic: (size, Look.SCAN) for mnemonic, size in ((_M.SCASB, 1), (_M.SCASW, 2), (_M.SCASD, 4), (_M.SCASQ, 8))},
    **{mnemonic: (size, Look.COMPARE) for mnemonic, size in ((_M.CMPSB, 1), (_M.CMPSW, 2), (_M.CMPSD, 4), (_M.CMPSQ, 8))},
}
_BY_32_BITS = {OpKind.MEMORY_SEG_ESI, OpKind.MEMORY_SEG_EDI, OpKind.MEMORY_ESEDI}
_FORMS = {
    _M.ADD: Form.ADD,
    _M.XADD: Form.ADD,
    _M.SUB: Form.SUB,
    _M.AND: Form.AND,
    _M.OR: Form.OR,
    _M.XOR: Form.XOR,
    _M.BTS: Form.OR,
    _M.BTR: Form.AND,
    _M.BTC: Form.XOR,
    _M.XCHG: Form.EXCHANGE,
    _M.CMPXCHG: Form.COMPARE,
    _M.CMPXCHG8B: Form.UNKNOWN,
    _M.CMPXCHG16B: Form.COMPARE,
}
_BITS = {_M.BTS, _M.BTR, _M.BTC}
_BIT_TESTS = {_M.BT, *_BITS}
_BY_VECTOR = {_M.VMASKMOVPS, _M.VMASKMOVPD, _M.VPMASKMOVD, _M.VPMASKMOVQ}  # whose elements' highest bits are the mask
_PACKED = {
    getattr(_M, f"V{what}{kind}")
    for what in ("EXPAND", "COMPRESS", "PEXPAND", "PCOMPRESS")
    for kind in (("B", "W", "D", "Q") if what.startswith("P") else ("PS", "PD"))
}
_ELEMENT_BY_ELEMENT = {
    getattr(_M, f"VMOV{kind}") for kind in ("DQU8", "DQU16", "DQU32", "DQU64", "DQA32", "DQA64", "UPS", "UPD", "APS", "APD", "SS", "SD")
}
_SEGMENTS = {_M.WRGSBASE, _M.LGS}
_NOT_AS_A_WHOLE = {_M.XCHG, _M.POP, *_BIT_TESTS, *_BY_VECTOR}
_HIDING = {_M.CLZERO}  # the decoder does not know what it writes
_FRAMES = {_M.ENTER, _M.LEAVE}  # of them bpor/machine/stack.py knows
_READS = {OpAccess.READ, OpAccess.COND_READ, OpAccess.READ_WRITE, OpAccess.READ_COND_WRITE}
_WRITES = {OpAccess.WRITE, OpAccess.COND_WRITE, OpAccess.READ_WRITE, OpAccess.READ_COND_WRITE}
_ALL_BITS = (1 << 64) - 1
_MEMORY = int(OpKind.MEMORY)
_RIP, _NO_BASE, _NO_SEGMENT = int(Register.RIP), int(Register.NONE), int(Register.NONE)
_BY_FIXED_REGISTERS = ("SEG_RSI", "SEG_RDI", "ES_RDI", "SEG_RBX_AL")
_MAY_BE_MEMORY = {value for name, value in vars(OpCodeOperandKind).items() if "MEM" in name or name in _BY_FIXED_REGISTERS}


LARGEST_MARKED = 32  # bytes
_NEAR = 0x60000000  # a displacement that can be smaller by the distance of two marks


class Site(NamedTuple):
    kind: Kind
    bytes: int = 0
    form: int = 0
    source: int = NO_REGISTER
    operand: int = 0
    marked: bool = False  # a mark can tell that nothing is to be done about it (bpor/machine/filters.py)


UNSEEN = Site(Kind.UNSEEN)


class Shape(NamedTuple):
    """What all instructions of one code have in common."""

    operands: int
    reads: tuple[bool, ...]
    writes: tuple[bool, ...]
    string: bool
    hidden: bool  # it accesses memory that is neither its operand nor the stack
    sets_segment: bool
    silent: bool  # nothing of it matters but its one operand that may be memory ...
    memory: int  # ... this one; -1: none is
    never: bool  # no instruction of the code can be a site
    plain: bool  # it can by its one operand only, which is read or written as a whole


_FACTORY = InstructionInfoFactory()


def _shape(instruction: Instruction) -> Shape:
    info, mnemonic = _FACTORY.info(instruction), instruction.mnemonic
    access = [info.op_access(each) for each in range(instruction.op_count)]
    string, hidden = instruction.is_string_instruction, _hides(instruction, info)
    sets_segment = mnemonic in _SEGMENTS or RegisterExt.is_segment_register(instruction.op0_register)
    in_memory = [each for each in range(instruction.op_count) if instruction.op_code().op_kind(each) in _MAY_BE_MEMORY]
    silent = not (string or hidden or sets_segment or mnemonic in _ALONE or len(in_memory) > 1)
    reads, writes = tuple(each in _READS for each in access), tuple(each in _WRITES for each in access)
    memory = in_memory[0] if in_memory else -1
    plain = silent and memory >= 0 and (reads[memory] or writes[memory]) and mnemonic not in _NOT_AS_A_WHOLE
    return Shape(
        instruction.op_count,
        reads,
        writes,
        string,
        hidden,
        sets_segment,
        silent,
        memory,
        silent and memory < 0,
        plain and _is_old(instruction),
    )


def _hides(instruction: Instruction, info: InstructionInfo) -> bool:
    used = sum(each.base != _STACK for each in info.used_memory())
    explicit = _memory_operand(instruction, instruction.op_count) is not None
    return instruction.mnemonic in _HIDING or (used > explicit and instruction.mnemonic not in _FRAMES)


def _is_old(instruction: Instruction) -> bool:
    """Without masks and broadcasts, whose sizes differ within a code."""
    return instruction.encoding in (EncodingKind.LEGACY, EncodingKind.VEX)


class Classifier:
    """Of one module."""

    def __init__(self, writable: Callable[[int], bool]) -> None:
        self._writable = writable
        self._shapes = Facts(_shape)
        self._known: dict[tuple[int, int, int], Site] = {}
        self.sets_gs = False  # some function of those that were asked about does

    def sites_of(self, code: Decoded, local: frozenset[int], elsewhere: set[int]) -> dict[int, Site]:
        """By number of the instruction. An exchange is one here, whoever needs what was there. `local`: registers that lead to its own
        stack; `elsewhere`: instructions that push or pop where that may be another's."""
        found = dict.fromkeys(elsewhere, UNSEEN)
        instructions = code.instructions
        for number, shape in enumerate(self._shapes.each(code.codes, instructions)):
            if shape.never:
                continue
            instruction = instructions[number]
            if shape.silent:
                operand = shape.memory
                if (instruction.op0_kind if operand == 0 else instruction.op_kind(operand)) != _MEMORY:
                    continue
            site = self._plain(instruction, code.codes[number], local) if shape.plain else self._site(instruction, shape, local)
            if site is not None:
                found[number] = site
        return found

    def _plain(self, instruction: Instruction, code: int, local: frozenset[int]) -> Site | None:
        """What all by the same code and registers are, if nothing is special about this one."""
        base = instruction.memory_base
        if instruction.has_lock_prefix or instruction.segment_prefix != _NO_SEGMENT:
            return self._site(instruction, self._shapes[code], local)
        if base in local:
            return None
        far = instruction.memory_displacement
        if base == _RIP:
            if not self._writable(far):
                return None
        elif base == _NO_BASE or _NEAR <= far <= _ALL_BITS + 1 - _NEAR:
            return self._site(instruction, self._shapes[code], local)
        key = (code, base, instruction.memory_index)
        known = self._known.get(key)
        if known is None:
            known = self._site(instruction, self._shapes[code], local) or UNSEEN
            self._known[key] = known
        return known

    def _site(self, instruction: Instruction, shape: Shape, local: frozenset[int]) -> Site | None:
        if shape.sets_segment:
            self.sets_gs |= instruction.mnemonic in _SEGMENTS or instruction.op0_register == Register.GS
        if shape.hidden and not shape.string:
            return UNSEEN
        if shape.operands == 0 or shape.string or instruction.mnemonic in _ALONE:
            return _without_operand(instruction, shape)
        operand = _memory_operand(instruction, shape.operands)
        if operand is None:
            return None
        mnemonic = instruction.mnemonic
        if instruction.has_lock_prefix or mnemonic == _M.XCHG:
            return Site(Kind.FENCE) if _is_fence(instruction, local) else locked(instruction)
        reads, writes = shape.reads[operand], shape.writes[operand]
        if not (reads or writes) or instruction.memory_base in local:
            return None
        base = instruction.memory_base
        fixed = base == Register.RIP or (base == Register.NONE and instruction.memory_index == Register.NONE)
        if fixed and instruction.segment_prefix == Register.NONE and not self._writable(instruction.memory_displacement):
            return None
        size = MemorySizeExt.size(instruction.memory_size)
        moved = mnemonic == _M.POP and base == _STACK  # where it goes depends on what it takes
        if not 0 < size <= 64 or not addressable(instruction) or moved:
            return None if _thread_control(instruction) else UNSEEN
        if instruction.has_op_mask or mnemonic in _BY_VECTOR:
            return _masked(instruction, writes)
        if mnemonic in _BIT_TESTS and instruction.op1_kind == OpKind.REGISTER:
            return Site(Kind.BIT, size, form=int(writes), source=_NUMBER[RegisterExt.full_register(instruction.op1_register)] | BIT_OF)
        kind = Kind.UPDATE if reads and writes else Kind.READ if reads else Kind.WRITE
        near = base == Register.RIP or -_NEAR < _signed(instruction.memory_displacement) < _NEAR
        return Site(kind, size, marked=near and size <= LARGEST_MARKED and instruction.segment_prefix == Register.NONE)


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _masked(instruction: Instruction, writes: bool) -> Site:
    """An element that the mask leaves out is not accessed, not even if it lies in freed memory."""
    mnemonic, size = instruction.mnemonic, MemorySizeExt.element_size(instruction.memory_size)
    if mnemonic not in _BY_VECTOR | _PACKED | _ELEMENT_BY_ELEMENT or not size:
        return UNSEEN  # which elements it takes is another question
    return Site(Kind.MASKED, size, form=Masked.WRITES * writes | Masked.PACKED * (mnemonic in _PACKED))


def mask_of(instruction: Instruction) -> Instruction:
    """An instruction that puts the mask of a MASKED site into rdx, a bit for each element."""
    if instruction.mnemonic not in _BY_VECTOR:
        many = MemorySizeExt.element_size(instruction.memory_size) < 4
        code, register = (Code.VEX_KMOVQ_R64_KR, Register.RDX) if many else (Code.VEX_KMOVW_R32_KR, Register.EDX)
        return Instruction.create_reg_reg(code, register, instruction.op_mask)
    mask = instruction.op1_register
    names = "XMM" if RegisterExt.is_xmm(mask) else "YMM", "PD" if MemorySizeExt.element_size(instruction.memory_size) == 8 else "PS"
    return Instruction.create_reg_reg(getattr(Code, f"VEX_VMOVMSK{names[1]}_R32_{names[0]}"), Register.EDX, mask)


def _is_fence(instruction: Instruction, local: frozenset[int]) -> bool:
    """`lock or $0, (%rsp)`, which compilers prefer to mfence; or any locked access of what nobody else knows."""
    idle = instruction.mnemonic in (_M.OR, _M.ADD) and instruction.op1_kind != OpKind.REGISTER and instruction.immediate(1) == 0
    return instruction.memory_base in local or (instruction.memory_base == _STACK and idle)


def _thread_control(instruction: Instruction) -> bool:
    """libc's own words before the thread's variables: the stack protector's, above all."""
    offset = instruction.memory_displacement
    plain = instruction.memory_base == Register.NONE and instruction.memory_index == Register.NONE
    return instruction.segment_prefix == Register.FS and plain and offset < 1 << 63


def addressable(instruction: Instruction) -> bool:
    """Can `lea` tell where it goes?"""
    segment = instruction.segment_prefix
    if segment == Register.GS or (segment == Register.FS and _thread_control(instruction)):
        return False
    base, index = instruction.memory_base, instruction.memory_index
    wide = base in (Register.NONE, Register.RIP) or RegisterExt.is_gpr64(base)
    return wide and (index == Register.NONE or RegisterExt.is_gpr64(index))


def _memory_operand(instruction: Instruction, operands: int) -> int | None:
    for number in range(operands):
        if instruction.op_kind(number) == OpKind.MEMORY:
            return number
    return None


def _without_operand(instruction: Instruction, shape: Shape) -> Site | None:
    mnemonic = instruction.mnemonic
    if mnemonic in _ALONE:
        kind = _ALONE[mnemonic]
        register = instruction.op0_register if kind is Kind.RANDOM else Register.NONE
        if register == Register.NONE:
            return Site(kind)
        return Site(kind, RegisterExt.size(register), source=_NUMBER[RegisterExt.full_register(register)])
    if not shape.string:
        return None
    repeated = instruction.has_rep_prefix or instruction.has_repne_prefix
    if instruction.segment_prefix != Register.NONE or _BY_32_BITS & {instruction.op0_kind, instruction.op1_kind}:
        return UNSEEN
    if mnemonic in _COPIES:
        return Site(Kind.COPY, _COPIES[mnemonic], form=int(repeated))
    if mnemonic in _FILLS:
        return Site(Kind.FILL, _FILLS[mnemonic], form=int(repeated))
    if mnemonic in _LOOKS:
        size, how = _LOOKS[mnemonic]
        how |= Look.REPEATED if repeated else how
        return Site(Kind.LOOK, size, form=how | (Look.UNTIL_EQUAL if instruction.has_repne_prefix else how))
    return UNSEEN


def locked(instruction: Instruction) -> Site:
    """An atomic access, with what it will write as far as registers tell."""
    mnemonic, size = instruction.mnemonic, MemorySizeExt.size(instruction.memory_size)
    if not addressable(instruction):
        return UNSEEN
    unknown = Site(Kind.LOCKED, size, Form.UNKNOWN)
    if mnemonic in (_M.INC, _M.DEC, _M.NOT):
        form = {_M.INC: Form.ADD, _M.DEC: Form.SUB, _M.NOT: Form.XOR}[mnemonic]
        return Site(Kind.LOCKED, size, form, operand=_ALL_BITS if mnemonic == _M.NOT else 1)
    form = _FORMS.get(mnemonic, Form.UNKNOWN)
    if mnemonic == _M.CMPXCHG16B:
        return Site(Kind.LOCKED, 16, Form.COMPARE)
    if form is Form.UNKNOWN:
        return unknown
    register = next((instruction.op_register(each) for each in (0, 1) if instruction.op_kind(each) == OpKind.REGISTER), None)
    if register in _HIGH_HALVES:
        return unknown
    if register is None:
        value = instruction.immediate(1) & _ALL_BITS
        if mnemonic in _BITS:
            mask = 1 << value % (8 * size)
            value = _ALL_BITS ^ mask if mnemonic == _M.BTR else mask
        return Site(Kind.LOCKED, size, form, operand=value)
    source = _NUMBER[RegisterExt.full_register(register)]
    return Site(Kind.LOCKED, size, form, source | BIT_OF if mnemonic in _BITS else source)
