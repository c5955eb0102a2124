"""Which registers point into a stack frame whose address never escapes, and where the stack pointer may point into another stack.

Invariant: an access that is left out for this reason touches memory that no other thread can know of. A function and the parts of it that
the compiler put elsewhere (`.cold`, catch blocks) share one frame: if the address escapes from one of them, it escapes from all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iced_x86 import FlowControl, Instruction, Mnemonic, OpKind, Register

from bpor.machine.decoded import Decoded, Facts
from bpor.machine.targets import Text

_M = Mnemonic
_RSP, _RBP = Register.RSP, Register.RBP
_LOOKS = {_M.CMP, _M.TEST}
_MOVES_STACK = {_M.PUSH, _M.POP, _M.ADD, _M.SUB, _M.AND, _M.INC, _M.DEC, *_LOOKS}  # and leave it the function's own
_BY_ITSELF = {_M.PUSH, _M.POP, _M.PUSHFQ, _M.POPFQ, _M.PUSHF, _M.POPF, _M.ENTER, _M.LEAVE}  # access the stack without an operand
_STOPS = {FlowControl.RETURN, FlowControl.UNCONDITIONAL_BRANCH, FlowControl.INDIRECT_BRANCH}
_JUMPS = {FlowControl.CONDITIONAL_BRANCH, FlowControl.UNCONDITIONAL_BRANCH}
NOTHING: frozenset[int] = frozenset()
_OF_STACK = frozenset({int(_RSP), int(_RBP), int(Register.ESP), int(Register.EBP)})
_SPECIAL = Facts(lambda instruction: instruction.mnemonic in (_M.LEA, _M.ENTER, _M.LEAVE) or instruction.op_count > 2)


class _Facts(NamedTuple):
    """Of one part. What is said of rbp matters only if that leads to the frame."""

    frame: bool  # rbp is set from rsp
    keeps: bool  # and to nothing else
    tells: bool  # an address of the stack goes somewhere
    tells_rbp: bool
    elsewhere: bool  # the stack pointer is set to what is not its own
    from_rbp: bool  # it is set to rbp


class Stacks:
    """Of all functions of a module, by their numbers."""

    def __init__(self, codes: Sequence[Decoded], text: Text) -> None:
        self._codes = codes
        self._whole = _wholes(codes, text)
        facts = [_facts(code) for code in codes]
        together: dict[int, list[_Facts]] = {}
        for number, whole in enumerate(self._whole):
            together.setdefault(whole, []).append(facts[number])
        self._facts = {whole: _joined(parts) for whole, parts in together.items()}
        parts = {number for number, code in enumerate(codes) if code.function.inside}
        self._orphans = {number for number in parts if len(together[self._whole[number]]) == 1}

    def own(self, number: int) -> frozenset[int]:
        """Registers whose accesses nobody else can notice."""
        facts = self._facts[self._whole[number]]
        by_hand = self._codes[number].function.reached  # parts of a function may call each other and use one frame
        if by_hand or number in self._orphans or facts.tells or facts.elsewhere or (facts.frame and facts.tells_rbp):
            return NOTHING
        return frozenset({_RSP, _RBP}) if facts.frame and facts.keeps else frozenset({_RSP})

    def elsewhere(self, number: int) -> set[int]:
        """Instructions that push to or pop from a stack that may be another's."""
        facts = self._facts[self._whole[number]]
        return set(_elsewhere(self._codes[number].instructions, facts.frame and facts.keeps)) if facts.elsewhere else set()


def _wholes(codes: Sequence[Decoded], text: Text) -> list[int]:
    """For each part the number of one that stands for all of its function."""
    functions = [code.function for code in codes]
    whole = list(range(len(functions)))

    def root(number: int) -> int:
        while whole[number] != number:
            whole[number] = number = whole[whole[number]]
        return number

    def join(number: int, address: int, any_way: bool) -> None:
        other = text.number(address)
        if other is not None and other != number and (any_way or address != functions[other].start or functions[other].inside):
            whole[root(other)] = root(number)

    for number, (function, code) in enumerate(zip(functions, codes, strict=True)):
        for pad in function.pads or ():
            join(number, pad, True)
        for at, flow in enumerate(code.flows):
            if flow not in _JUMPS:
                continue
            instruction = code.instructions[at]
            target = instruction.near_branch_target
            if not function.start <= target < function.end and instruction.op0_kind == OpKind.NEAR_BRANCH64:
                join(number, target, flow == FlowControl.CONDITIONAL_BRANCH)
    return [root(number) for number in range(len(functions))]


def _joined(parts: Sequence[_Facts]) -> _Facts:
    frame, keeps, tells, tells_rbp, elsewhere, from_rbp = zip(*parts, strict=True)
    framed = any(frame) and all(keeps)
    return _Facts(any(frame), all(keeps), any(tells), any(tells_rbp), any(elsewhere) or (any(from_rbp) and not framed), any(from_rbp))


def _facts(code: Decoded) -> _Facts:
    frame = tells = tells_rbp = elsewhere = from_rbp = False
    keeps = True
    for instruction, special in zip(code.instructions, _SPECIAL.each(code.codes, code.instructions), strict=True):
        first, second = instruction.op0_register, instruction.op1_register
        if not special and first not in _OF_STACK and second not in _OF_STACK:
            continue
        mnemonic = instruction.mnemonic
        if mnemonic == _M.LEA:
            base = instruction.memory_base
            tells |= base == _RSP and first != _RSP
            tells_rbp |= base == _RBP and first not in (_RSP, _RBP)
        elif second == _RSP:
            if mnemonic == _M.MOV and first == _RBP:
                frame = True
                continue  # rbp is the frame, or all that it is told to
            tells |= mnemonic not in _LOOKS and first != _RSP
            elsewhere |= mnemonic in (_M.XCHG, _M.XADD, _M.CMPXCHG)
        elif second == _RBP:
            tells_rbp |= mnemonic not in _LOOKS and first != _RSP
        elif mnemonic == _M.PUSH:
            tells |= first == _RSP
            tells_rbp |= first == _RBP and frame
        elif mnemonic == _M.ENTER:
            frame = True
        elif mnemonic == _M.LEAVE:
            from_rbp = True
        elif instruction.op_count > 2 and any(instruction.op_register(each) in (_RSP, _RBP) for each in (2, 3)):
            tells = True
        if first in (_RSP, _RBP, Register.EBP, Register.ESP) and instruction.op0_kind == OpKind.REGISTER:
            if first in (_RBP, Register.EBP):
                keeps &= mnemonic in (_M.PUSH, _M.POP, _M.CMP, _M.TEST)
            else:
                from_rbp |= _is_from_rbp(instruction)
                elsewhere |= not _stays(instruction)
    return _Facts(frame, keeps, tells, tells_rbp, elsewhere, from_rbp)


def _is_from_rbp(instruction: Instruction) -> bool:
    if instruction.mnemonic == _M.LEAVE:
        return True
    if instruction.op0_register != _RSP:
        return False
    return instruction.op1_register == _RBP or (instruction.mnemonic == _M.LEA and instruction.memory_base == _RBP)


def _stays(instruction: Instruction) -> bool:
    """The stack pointer that it sets is one of the same stack, as far as rbp is the frame's."""
    mnemonic = instruction.mnemonic
    if mnemonic == _M.POP or instruction.op0_register == Register.ESP:
        return False
    if mnemonic == _M.LEA:
        return instruction.memory_base in (_RSP, _RBP)
    return mnemonic in _MOVES_STACK or (mnemonic == _M.MOV and instruction.op1_register == _RBP)


def _elsewhere(code: Sequence[Instruction], framed: bool) -> Iterator[int]:
    """Return addresses are nobody's data: calls and returns are left out."""
    away = False
    for number, instruction in enumerate(code):
        mnemonic, flow = instruction.mnemonic, instruction.flow_control
        if _is_from_rbp(instruction):
            away = not framed
        if away and mnemonic in _BY_ITSELF:
            yield number
        elif _RSP in (instruction.op0_register, instruction.op1_register) and not _stays(instruction):
            away |= instruction.op0_register == _RSP or mnemonic in (_M.XCHG, _M.XADD)
        if flow in _STOPS and (framed or flow == FlowControl.RETURN):
            away = False
