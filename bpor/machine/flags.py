"""Status flags that are still needed before an instruction: where none is, the code in front of it may change them.

Invariant: a flag that is called dead is overwritten on every way on before it is read. Calls and returns need none (System V ABI), unless
some instruction of the module reads a flag right behind a call, as assembler may: then they need all.
"""

from __future__ import annotations

from collections.abc import Iterable

from iced_x86 import FlowControl, Instruction, Mnemonic, RflagsBits

from bpor.machine.decoded import Decoded, Facts
from bpor.machine.flow import CALLS, flow_of
from bpor.machine.targets import Targets

ALL = int(RflagsBits.OF | RflagsBits.SF | RflagsBits.ZF | RflagsBits.AF | RflagsBits.CF | RflagsBits.PF)
_M = Mnemonic
_PUSHES = {_M.PUSHFQ, _M.PUSHF, _M.PUSHFD}
_SHIFTS = {_M.SHL, _M.SHR, _M.SAR, _M.SAL, _M.ROL, _M.ROR, _M.RCL, _M.RCR, _M.SHLD, _M.SHRD}
_CONDITIONAL, _JUMP = int(FlowControl.CONDITIONAL_BRANCH), int(FlowControl.UNCONDITIONAL_BRANCH)
_NEXT, _RETURN, _INDIRECT = int(FlowControl.NEXT), int(FlowControl.RETURN), int(FlowControl.INDIRECT_BRANCH)
_JUMPS, _OF_CALLS = frozenset({_CONDITIONAL, _JUMP}), frozenset({*CALLS, _RETURN})
_PASSES = 2  # the second one knows what loops need at their beginning


class Flags:
    """Of one module."""

    def __init__(self, by_hand: bool = False) -> None:
        """`by_hand`: some of it may hand flags from function to function."""
        self._behind_calls = ALL if by_hand else 0  # flags that calls and returns need

    def look_at_calls(self, functions: Iterable[Decoded], targets: Targets) -> None:
        """All of them, before the first question."""
        for code in functions:
            pending = 0
            for address, (reads, writes, flow) in zip(code.addresses, _EFFECTS.each(code.codes, code.instructions), strict=True):
                if flow in CALLS:
                    pending = ALL
                elif pending:
                    if reads & pending:
                        self._behind_calls = ALL
                        return
                    pending = 0 if address in targets else pending & ~writes

    def needed_before(self, code: Decoded) -> list[int]:
        """By number of the instruction; and one more."""
        count = len(code.instructions)
        effects = _EFFECTS.each(code.codes, code.instructions)
        at = dict(zip(code.addresses, range(count), strict=True))
        live = [ALL] * (count + 1)
        behind_calls = self._behind_calls
        to = {
            number: at.get(code.instructions[number].near_branch_target, count) for number, flow in enumerate(code.flows) if flow in _JUMPS
        }  # an address that is none of the function's, or that a register holds: everything may be needed there
        loops = any(target <= number for number, target in to.items())
        for _ in range(_PASSES if loops else 1):
            behind = ALL
            for number in range(count - 1, -1, -1):
                reads, writes, flow = effects[number]
                if flow == _CONDITIONAL:
                    behind |= live[to[number]]
                elif flow == _JUMP:
                    behind = live[to[number]]
                elif flow != _NEXT:
                    behind = behind_calls if flow in _OF_CALLS else ALL
                behind = live[number] = reads | (behind & ~writes)
        return live


def _effect(instruction: Instruction) -> tuple[int, int, int]:
    """Flags that it reads and that it surely overwrites; where it leads."""
    mnemonic, flow = instruction.mnemonic, flow_of(instruction)
    reads, writes = int(instruction.rflags_read) & ALL, int(instruction.rflags_modified) & ALL
    if mnemonic in _PUSHES or flow not in (_NEXT, *_JUMPS, *_OF_CALLS, _INDIRECT):
        reads = ALL
    if mnemonic in _SHIFTS or instruction.is_string_instruction:
        writes = 0  # by nothing: a count of zero leaves them
    return reads, writes, flow


_EFFECTS = Facts(_effect)
