"""Is a register still needed behind an instruction? An exchange whose old value nobody looks at is a store.

Invariant: yes, unless every way on overwrites it before reading it. The System V ABI says what calls and returns need.
"""

from __future__ import annotations

from collections.abc import Sequence

from iced_x86 import FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, RegisterExt

from bpor.machine.flow import CALLS, flow_of

_RETURNED = {
    getattr(Register, name) for name in ["RAX", "RDX", "RBX", "RBP", "RSP", "R12", "R13", "R14", "R15"]
}  # results, and what a callee must leave as it was
_ARGUMENTS = {getattr(Register, name) for name in ["RDI", "RSI", "RDX", "RCX", "R8", "R9", "RAX"]}
_READS = {OpAccess.READ, OpAccess.COND_READ, OpAccess.READ_WRITE, OpAccess.READ_COND_WRITE}
_FARTHEST = 200  # instructions looked at


class Liveness:
    """Of one function."""

    def __init__(self, instructions: Sequence[Instruction]) -> None:
        self._instructions, self._factory = instructions, InstructionInfoFactory()
        self._at = {instruction.ip: number for number, instruction in enumerate(instructions)}

    def dead_behind(self, number: int, register: int) -> bool:
        todo, seen = [number + 1], set[int]()
        while todo:
            at = todo.pop()
            if at in seen:
                continue
            seen.add(at)
            if at >= len(self._instructions) or len(seen) > _FARTHEST:
                return False
            following = self._following(at, register)
            if following is None:
                return False
            todo += following
        return True

    def _following(self, at: int, register: int) -> list[int] | None:
        """Where to look on; None: it is needed, or that is not known."""
        instruction = self._instructions[at]
        read, overwritten = self._uses(instruction, register)
        flow = flow_of(instruction)
        if read:
            return None
        if overwritten:
            return []
        if flow == FlowControl.NEXT:
            return [at + 1]
        if flow == FlowControl.RETURN:
            return None if register in _RETURNED else []
        if flow in CALLS:
            return None if register in _ARGUMENTS | _RETURNED else []
        if flow not in (FlowControl.CONDITIONAL_BRANCH, FlowControl.UNCONDITIONAL_BRANCH):
            return None
        target = self._at.get(instruction.near_branch_target)
        if target is None:
            return None
        return [target, at + 1] if flow == FlowControl.CONDITIONAL_BRANCH else [target]

    def _uses(self, instruction: Instruction, register: int) -> tuple[bool, bool]:
        """Reads it, overwrites all of it."""
        zeroed = instruction.mnemonic == Mnemonic.XOR and instruction.op1_kind == OpKind.REGISTER
        if zeroed and instruction.op0_register == instruction.op1_register:
            return False, RegisterExt.full_register(instruction.op0_register) == register
        read = overwritten = False
        for use in self._factory.info(instruction).used_registers():
            if RegisterExt.full_register(use.register) == register:
                read |= use.access in _READS
                overwritten |= use.access == OpAccess.WRITE and RegisterExt.size(use.register) >= 4
        return read, overwritten
