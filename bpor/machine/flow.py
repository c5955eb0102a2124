"""Where an instruction leads. To iced a system call is a call; it comes back to the next instruction like any other."""

from __future__ import annotations

from iced_x86 import FlowControl, Instruction, Mnemonic

CALLS = frozenset({FlowControl.CALL, FlowControl.INDIRECT_CALL})
STRAIGHT = frozenset({FlowControl.NEXT, FlowControl.CONDITIONAL_BRANCH})
_CALL, _NEXT = int(FlowControl.CALL), int(FlowControl.NEXT)


def flow_of(instruction: Instruction) -> int:
    flow: int = instruction.flow_control
    if flow == _CALL and instruction.mnemonic == Mnemonic.SYSCALL:
        return _NEXT
    return flow
