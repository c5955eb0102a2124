"""Code between the functions that the unwind table lists. What of it is not certain to be code (reached.py) is not decoded for patching,
so its accesses are not reported.

Padding does not count, and neither does code that accesses no memory but the stack. The startup code of every module (crtbegin.o: it
registers transactional clones and runs the destructors of static objects once, at the end) has no entry in the table and is known by its
form. The linker's stubs read the loader's slots and do nothing else; other code in their sections is not reported either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iced_x86 import Code, Decoder, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register

from bpor.machine.functions import Function
from bpor.target.image import SHF_EXECINSTR, Image, Section

STUBS = (".plt", ".plt.got", ".plt.sec", ".init", ".fini")  # sections
_FACTORY = InstructionInfoFactory()
_STACK = {Register.RSP, Register.ESP}
PADDING = bytes((0x00, 0x0F, 0x1F, 0x2E, 0x40, 0x44, 0x66, 0x80, 0x84, 0x90, 0xCC))  # of no-ops, also of a part of one: none of it returns
_ZEROS = int(Code.ADD_RM8_R8)  # two bytes of zeros


def untold_bytes(image: Image, functions: Sequence[Function], data: Sequence[tuple[int, int]] = ()) -> int:
    """Of such code; `functions`: none of them in a section of stubs. `data`: what is none."""
    of_stubs = (section.bytes for section in image.sections if section.name in STUBS and not _is_stubs(image, section))
    return sum(of_stubs) + sum(end - start for start, end in _left(image, functions, data) if _accesses(image, start, end))


def targets_of_gaps(image: Image, functions: Sequence[Function], data: Sequence[tuple[int, int]] = ()) -> Iterator[int]:
    """Where code that nobody else decodes branches to."""
    for start, end in _left(image, functions, data):
        content = bytes(image.at(start, end - start))
        if content.translate(None, PADDING):
            branches = (each for each in Decoder(64, content, ip=start) if each.op0_kind == OpKind.NEAR_BRANCH64)
            yield from (each.near_branch_target for each in branches)


def _is_stubs(image: Image, section: Section) -> bool:
    instructions = Decoder(64, bytes(image.at(section.address, section.bytes)), ip=section.address)
    return all(not _is_access(each) or _reads_slot(each) for each in instructions)


def _reads_slot(instruction: Instruction) -> bool:
    used = [each for each in _FACTORY.info(instruction).used_memory() if each.base not in _STACK]
    return all(each.access == OpAccess.READ and each.base == each.index == Register.NONE for each in used)


def _left(image: Image, functions: Sequence[Function], data: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    return gaps_of(image, [*functions, *(Function(start, end, None) for start, end in data)])


def gaps_of(image: Image, functions: Sequence[Function]) -> Iterator[tuple[int, int]]:
    ordered = sorted(functions, key=lambda function: function.start)
    for section in image.sections:
        if not section.flags & SHF_EXECINSTR or section.name in STUBS:
            continue
        at, end = section.address, section.address + section.bytes
        for function in ordered:
            if function.end <= at or function.start >= end:
                continue
            if function.start > at:
                yield at, function.start
            at = max(at, function.end)
        if at < end:
            yield at, end


def _accesses(image: Image, start: int, end: int) -> bool:
    data = bytes(image.at(start, end - start))
    if not data.translate(None, PADDING):
        return False
    instructions = list(Decoder(64, data, ip=start))
    told = [each for each in instructions if _is_access(each) and not start <= each.memory_displacement < end]  # constants beside it
    return bool(told) and not _is_startup_code(instructions, told)


def _is_access(instruction: Instruction) -> bool:
    """Of anything but the stack, by an operand or, as string instructions do, without one."""
    if instruction.code in (Code.INVALID, _ZEROS):
        return instruction.code == Code.INVALID
    used = _FACTORY.info(instruction).used_memory()
    return any(each.base not in _STACK or each.index != Register.NONE for each in used)


def _is_startup_code(instructions: Sequence[Instruction], told: Sequence[Instruction]) -> bool:
    """Looks at slots of the loader for functions that may be missing, and at one byte that says whether it ran, and sets that."""
    flags = [each for each in told if each.op1_kind == OpKind.IMMEDIATE8 and each.mnemonic in (Mnemonic.CMP, Mnemonic.MOV)]
    slots = [each for each in told if each not in flags]
    begins = [each.mnemonic for each in instructions if each.mnemonic not in (Mnemonic.NOP, Mnemonic.INT3, Mnemonic.ENDBR64)][:2]
    return (
        begins in ([Mnemonic.LEA, Mnemonic.LEA], [Mnemonic.MOV, Mnemonic.CMP], [Mnemonic.LEA, Mnemonic.CMP])
        and [each.mnemonic for each in flags] == [Mnemonic.CMP, Mnemonic.MOV]
        and len({each.memory_displacement for each in flags}) == 1
        and all(each.is_ip_rel_memory_operand or each.memory_base == Register.NONE for each in slots)
        and all(each.op0_kind == OpKind.REGISTER or each.mnemonic in (Mnemonic.CMP, Mnemonic.CALL) for each in slots)
    )
