"""What lies between the functions of the unwind table: code that assembler has left without an entry, and constants.

A root is an address in there that something knows: a branch leads to it, a symbol declares it, an instruction computes it, data holds it.
What branches lead to and what is declared to be a function is code, and so is what is reached from there. Of any other root

* what is accessed is data; and what cannot be run: on the ways from it an instruction is invalid or privileged, or branches to where no
  instruction begins;
* what can be run is code only if ways from it cover everything up to the next root, and there is much of it;
* of the rest nothing is claimed: it stays code without a table.

Invariant: only what is certain is patched, since a patch in a constant changes what the program computes; and only what is certain is
called data, since accesses of code that is taken for data would not be reported. Hand-written code need not keep to the calling
convention: nothing is derived from that in a module which has some (`Function.reached`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from iced_x86 import Code, Decoder, FlowControl, Instruction, Mnemonic, OpKind, Register, RegisterExt

from bpor.machine.decoded import Decoded, decode
from bpor.machine.flow import STRAIGHT, flow_of
from bpor.machine.functions import Function
from bpor.machine.gaps import PADDING, STUBS, gaps_of
from bpor.machine.targets import Text, is_tail_call, of_code, of_data, of_tables
from bpor.target.image import SHF_EXECINSTR, STT_FUNC, STT_GNU_IFUNC, Image

_GOES_ON = {FlowControl.NEXT, FlowControl.CONDITIONAL_BRANCH}
_CALLS = {FlowControl.CALL, FlowControl.INDIRECT_CALL}
_LEADS = {FlowControl.CONDITIONAL_BRANCH, FlowControl.UNCONDITIONAL_BRANCH, FlowControl.CALL, FlowControl.XBEGIN_XABORT_XEND}
_STOPS = {Mnemonic.UD2, Mnemonic.HLT, Mnemonic.INT3}
_ENOUGH = 64  # bytes that look like code all through: constants do not
_FAR = 400  # instructions that are looked at for the first use of an address
_WORD = 8  # bytes
_LONGEST = 15  # bytes of an instruction
_ZEROS = int(Code.ADD_RM8_R8)  # two bytes of zeros
_LETTERS = bytes((0, *range(0x20, 0x7F)))


class Between(NamedTuple):
    """What is certain of the gaps of a table."""

    code: tuple[Function, ...] = ()  # sorted, without a gap between the instructions of each
    data: tuple[tuple[int, int], ...] = ()


class _Misread(ValueError):
    """Something that is not an instruction of a program, or lies across another one."""


def look_between(image: Image, functions: Sequence[Function], decoded: Sequence[Decoded]) -> Between:
    """`decoded`: those of the functions that are all code."""
    gaps = [gap for gap in gaps_of(image, functions) if bytes(image.at(gap[0], gap[1] - gap[0])).translate(None, PADDING)]
    if not gaps:
        return Between()
    walk = _Walk(image, gaps, decoded)
    try:
        walk.follow(list(_declared(image)))
        pieces: list[Function] = []
        while True:
            known = [*decoded, *(decode(image, piece) for piece in pieces)]
            roots = _roots(image, walk, known)
            roots.add_code()
            if pieces == (pieces := list(walk.pieces())):
                return Between(tuple(pieces), tuple(roots.data()))
    except _Misread:
        return Between()


def _roots(image: Image, walk: _Walk, known: Sequence[Decoded]) -> _Roots:
    """Of all code that is known; what it branches to is followed."""
    branches: set[int] = set()
    looked = [(code, *of_code(code, branches, image.kind == "executable")) for code in known]
    walk.follow(list(branches))
    computed = {address for _, addresses, _ in looked for address in addresses}
    whole = Text([Function(low, high, None) for low, high in _ranges(image)])
    ends = {code.function.end for code in known if _falls_out(code)}
    listed = of_data(image, whole).union(computed, ends, of_tables(image, computed, whole))
    doubtful = {address for code, addresses, jumps in looked if _jumps_far(code, jumps, branches) for address in addresses}
    doubtful |= ends
    return _Roots(walk, filter(walk.holds, listed), _accessed(walk, known), doubtful)


def _falls_out(code: Decoded) -> bool:
    """Of its end, where the table may end too early. What ends with a call, and maybe a no-op for the unwinder, does not come back."""
    return code.flows[-1] in _GOES_ON and code.instructions[-1].mnemonic != Mnemonic.NOP


def _jumps_far(code: Decoded, jumps: Sequence[int], branches: set[int]) -> bool:
    """To an address that it computes, maybe from a root."""
    return any(not is_tail_call(code.instructions, jump, branches) for jump in jumps)


class _Roots:
    """Of the gaps; each region reaches from one to the next, or to code that is certain."""

    def __init__(self, walk: _Walk, listed: Iterable[int], accessed: Iterable[int], doubtful: set[int]) -> None:
        self._walk, self._listed, self._accessed, self._doubtful = walk, set(listed), set(accessed), doubtful
        self._sorted = sorted(self._accessed.union(self._listed, walk.starts))
        self._following = dict(zip(self._sorted, self._sorted[1:], strict=False))

    def add_code(self) -> None:
        for root in self._sorted:
            end = self._end(root)
            if self._is_only_known(root) and end - root >= _ENOUGH and self._walk.covers(root, end):
                self._walk.follow([root])

    def data(self) -> Iterator[tuple[int, int]]:
        """Also what nothing knows, in front of constants: they may be addressed from their middle."""
        for start, end in self._walk.gaps:
            roots = self._sorted[bisect_left(self._sorted, start) : bisect_left(self._sorted, end)]
            found = [root for root in roots if not self._walk.reached(root) and self._is_data(root, self._end(root))]
            yield from ((root, self._end(root)) for root in found)
            if roots[0] not in self._listed | self._accessed and found == roots[1:] != [] and self._doubtful.isdisjoint(roots):
                yield start, self._end(start)

    def _is_data(self, root: int, end: int) -> bool:
        if root in self._accessed or self._walk.is_text(root, end):
            return True
        return self._is_only_known(root) and root not in self._doubtful and self._walk.cannot_run(root)

    def _is_only_known(self, root: int) -> bool:
        """By its address, which says neither that it is code nor that it is not."""
        return root in self._listed and root not in self._accessed and not self._walk.reached(root)

    def _end(self, root: int) -> int:
        return self._walk.end_of(root, self._following.get(root))


def _ranges(image: Image) -> list[tuple[int, int]]:
    parts = [part for part in image.sections if part.flags & SHF_EXECINSTR and part.bytes]
    return sorted((part.address, part.address + part.bytes) for part in parts)


def _declared(image: Image) -> Iterator[int]:
    for symbol in (*image.symbols(), *image.dynamic_symbols()):
        if symbol.section and symbol.kind in (STT_FUNC, STT_GNU_IFUNC) and symbol.bytes:
            yield symbol.address


def _accessed(walk: _Walk, known: Iterable[Decoded]) -> Iterator[int]:
    """Of the gaps: by the address itself, or through the register that it is put into."""
    for code in known:
        for number, each in enumerate(code.instructions):
            if each.memory_base != Register.RIP or not walk.holds(each.memory_displacement):
                continue
            if each.mnemonic != Mnemonic.LEA or _is_accessed(code, number + 1, each.op0_register):
                yield each.memory_displacement


def _is_accessed(code: Decoded, number: int, register: int) -> bool:
    """Is the first use of the register an access?"""
    for each, flow in zip(code.instructions[number : number + _FAR], code.flows[number : number + _FAR], strict=True):
        if each.memory_base == register and each.mnemonic != Mnemonic.LEA:
            return True
        used = {RegisterExt.full_register(each.op_register(at)) for at in range(each.op_count) if each.op_kind(at) == OpKind.REGISTER}
        if register in used or register in (each.memory_base, each.memory_index) or flow not in STRAIGHT:
            return False
    return False


class _Walk:
    """Over the instructions of gaps."""

    def __init__(self, image: Image, gaps: list[tuple[int, int]], decoded: Sequence[Decoded]) -> None:
        self.gaps = gaps
        self.starts = [start for start, _ in gaps]
        self._contents = [bytes(image.at(start, end - start)) for start, end in gaps]
        self._begins = {address for code in decoded for address in code.addresses}
        self._stubs = [(part.address, part.address + part.bytes) for part in image.sections if part.name in STUBS]
        self._ends: dict[int, int] = {}  # of each instruction that is certain

    def holds(self, address: int) -> bool:
        return self._number(address) is not None

    def reached(self, address: int) -> bool:
        return address in self._ends or any(
            before in self._ends and self._ends[before] > address for before in range(address - 14, address)
        )

    def end_of(self, root: int, following: int | None) -> int:
        """Of what begins at a root: the next one, the next code that is certain, or the gap's end."""
        number = self._number(root)
        assert number is not None
        end = min(self.gaps[number][1], following if following is not None else self.gaps[number][1])
        return next((address for address in range(root + 1, end) if address in self._ends), end)

    def follow(self, ways: list[int]) -> None:
        """From where there is code, to all that it leads to."""
        while ways:
            address = ways.pop()
            while address not in self._ends and self.holds(address):
                instruction = self._decoded(address)
                self._ends[address] = instruction.next_ip
                ways += _targets(instruction)
                if not _goes_on(instruction) or self._takes_its_address(instruction):
                    break
                address = instruction.next_ip

    def cannot_run(self, root: int) -> bool:
        """Not even up to the first call, which need not return."""
        return self._fails({root}, False)

    def is_text(self, start: int, end: int) -> bool:
        """Letters, and padding in front of them and behind: no instruction among them returns, nor leads to anywhere else."""
        return not self._content(start, end).strip(PADDING).translate(None, _LETTERS)

    def covers(self, root: int, end: int) -> bool:
        """Do ways from there run over everything up to `end` but padding, and nowhere else?"""
        seen: dict[int, int] = {}
        if self._fails({root}, True, seen) or any(not root <= address < end for address in seen):
            return False
        at = root
        for address in sorted(seen):
            if address < at or not self._is_padding(at, address):
                return False
            at = seen[address]
        return self._is_padding(at, end)

    def pieces(self) -> Iterator[Function]:
        start = end = 0
        for address in sorted(self._ends):
            if address > end and end:
                yield Function(start, end, frozenset(), reached=True)
            start = address if address > end or not end else start
            end = max(end, self._ends[address])
        if end:
            yield Function(start, end, frozenset(), reached=True)

    def _fails(self, ways: set[int], behind_calls: bool, seen: dict[int, int] | None = None) -> bool:
        seen = {} if seen is None else seen
        todo = list(ways)
        while todo:
            address = todo.pop()
            if address in seen or not self.holds(address):
                continue
            try:
                instruction = self._decoded(address)
            except _Misread:
                return True
            seen[address] = instruction.next_ip
            targets = _targets(instruction)
            if _is_senseless(instruction) or not all(map(self._is_code, targets)):
                return True
            todo += [target for target in targets if behind_calls or instruction.flow_control not in _CALLS]
            calls = instruction.flow_control in _CALLS
            if _goes_on(instruction) and (behind_calls or not calls):
                if not self._is_code(instruction.next_ip):
                    return True
                todo.append(instruction.next_ip)
        return False

    def _is_code(self, address: int) -> bool:
        """May an instruction begin there?"""
        return address in self._begins or self.holds(address) or any(low <= address < high for low, high in self._stubs)

    def _number(self, address: int) -> int | None:
        number = bisect_right(self.starts, address) - 1
        return number if number >= 0 and address < self.gaps[number][1] else None

    def _decoded(self, address: int) -> Instruction:
        number = self._number(address)
        assert number is not None
        start, end = self.gaps[number]
        instruction = Decoder(64, self._contents[number][address - start : address - start + _LONGEST], ip=address).decode()
        across = any(between in self._ends for between in range(address + 1, instruction.next_ip))
        if instruction.code == Code.INVALID or instruction.next_ip > end or across:
            raise _Misread
        return instruction

    def _takes_its_address(self, call: Instruction) -> bool:
        """`call 1f; .long 0; 1: pop %rax`: what lies behind is data."""
        targets = _targets(call) if call.flow_control in _CALLS else []
        return any(self.holds(target) and self._decoded(target).mnemonic == Mnemonic.POP for target in targets)

    def _is_padding(self, start: int, end: int) -> bool:
        return not self._content(start, end).translate(None, PADDING)

    def _content(self, start: int, end: int) -> bytes:
        number = self._number(start)
        if number is None or end <= start:
            return b""
        first = self.starts[number]
        return self._contents[number][start - first : end - first]


def _targets(instruction: Instruction) -> list[int]:
    leads = instruction.flow_control in _LEADS and instruction.op0_kind == OpKind.NEAR_BRANCH64
    return [instruction.near_branch_target] if leads else []


def _is_senseless(instruction: Instruction) -> bool:
    """For a program: it traps there, adds zeros to what it does not know, or leaves the stack where no word begins."""
    odd = instruction.mnemonic == Mnemonic.RET and instruction.op_count == 1 and instruction.immediate16 % _WORD != 0
    return odd or instruction.is_privileged or instruction.code == _ZEROS


def _goes_on(instruction: Instruction) -> bool:
    return instruction.mnemonic not in _STOPS and (flow_of(instruction) in _GOES_ON or instruction.flow_control in _CALLS)
