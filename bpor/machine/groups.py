"""Which instructions a jump of five bytes can take the place of.

A site that is shorter takes its neighbours with it, straight-line code forward and backward; nothing may jump into the middle of a group.
Where that does not suffice, a jump of two bytes leads to an island: five bytes of padding between functions, near enough, which hold the
other jump. What then remains has a breakpoint instruction in the place of its first byte: it costs a signal, and is rare.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from iced_x86 import Decoder, Instruction, Mnemonic, Register

from bpor.machine.decoded import Decoded
from bpor.machine.flow import CALLS, STRAIGHT, flow_of
from bpor.machine.functions import Function
from bpor.machine.sites import Kind, Site
from bpor.machine.targets import Targets
from bpor.target.image import Image

JUMP, SHORT_JUMP = 5, 2
_REACH = 120  # bytes from a short jump to its island
_SHORT_ONLY = {Mnemonic.LOOP, Mnemonic.LOOPE, Mnemonic.LOOPNE, Mnemonic.JRCXZ, Mnemonic.JECXZ, Mnemonic.XBEGIN}
_PADDING = {Mnemonic.NOP, Mnemonic.INT3}


class Group(NamedTuple):
    """Instructions of a function, by number."""

    first: int
    last: int
    length: int  # bytes that are overwritten, with padding behind the function
    island: int = 0  # where the jump of five bytes stands; 0: here
    traps: bool = False  # a breakpoint instruction, in the place of the first byte


class Padding:
    """Bytes between functions that nothing runs."""

    def __init__(self, image: Image, functions: Sequence[Function], targets: Targets) -> None:
        self._free: dict[int, int] = {}
        for function, following in zip(functions, [*functions[1:], None], strict=True):
            end = following.start if following is not None else function.end + 16
            room = _padding(image.at(function.end, min(end - function.end, 64)), function.end)
            if room and function.end not in targets and not targets.between(function.end, function.end + room):
                self._free[function.end] = room
        self._ends = sorted(self._free)

    def behind(self, end: int, wanted: int) -> bool:
        """Takes so many bytes right behind a function."""
        if self._free.get(end, 0) < wanted or end + self._free[end] < end + wanted:
            return False
        self._free[end] = 0
        return True

    def island(self, near: int) -> int | None:
        """Five bytes that a short jump from `near` reaches."""
        for end in self._ends[bisect_left(self._ends, near - _REACH - 64) :]:
            if end > near + _REACH:
                return None
            room = self._free[end]
            at = end if end >= near - _REACH else near - _REACH
            if room and at + JUMP <= end + room:
                self._free[end] = at - end  # the last bytes first would need no split; padding is short
                return at
        return None


def _padding(data: bytes, at: int) -> int:
    """How many bytes of it are instructions that do nothing."""
    room = 0
    for instruction in Decoder(64, data, ip=at):
        if instruction.is_invalid or instruction.mnemonic not in _PADDING:
            break
        room += instruction.len
    return room


class Grouping:
    """Of one module; `unpatched` are the sites that nobody can tell, or that something jumps into the middle of. `other`: in another
    way, where there are two."""

    def __init__(self, targets: Targets, padding: Padding, other: bool = False) -> None:
        self._targets, self._padding = targets, padding
        self._grow = (self._backward, self._forward) if other else (self._forward, self._backward)
        self.unpatched: list[tuple[int, Site]] = []
        self.traps = 0

    def groups(self, code: Decoded, sites: dict[int, Site]) -> list[Group]:
        """Where not all jumps into a function are known, only an instruction that has the room itself is replaced."""
        ranges: list[Group] = []
        missed: list[int] = []
        for number in sorted(sites):
            if ranges and number <= ranges[-1].last:
                continue
            found = None
            if sites[number].kind is not Kind.UNSEEN:
                found = self._range(code, sites, number, ranges[-1] if ranges else _NOTHING)
            if found is None:
                missed.append(number)
                continue
            if ranges and found.first <= ranges[-1].last:
                ranges.pop()  # it has grown
            ranges.append(found)
        if missed:
            ranges = self._on_made_islands(code.instructions, sites, ranges, missed, code.known)
        self.traps += sum(each.traps for each in ranges)
        return ranges

    def _on_made_islands(
        self, code: Sequence[Instruction], sites: dict[int, Site], ranges: list[Group], missed: list[int], known: bool
    ) -> list[Group]:
        """Islands in what groups leave over of their bytes; where none is near, straight-line code becomes a group that has some."""
        spare = {code[each.first].ip + JUMP: each for each in ranges if each.length >= 2 * JUMP and not each.island}
        hosts: set[Group] = {each for each in ranges if each.island}
        runs = self._runs(code) if known else []
        for number in missed:
            start, length = code[number].ip, code[number].len
            if any(each.first <= number <= each.last for each in ranges) and sites[number].kind is not Kind.UNSEEN:
                continue  # it is in a group that was widened for another
            if sites[number].kind is Kind.UNSEEN or self._targets.between(start, start + length):
                self.unpatched.append((start, sites[number]))
                continue
            short = length >= SHORT_JUMP
            island = next((each for each in spare if _reaches(start, each)), None) if short else None
            if short and island is None and (wide := self._widened(code, ranges, hosts, runs, number)) is not None:
                ranges = [each for each in ranges if not wide.first <= each.first <= wide.last] + [wide]
                spare = {at: each for at, each in spare.items() if not wide.first <= each.first <= wide.last}
                island = code[wide.first].ip + JUMP
                spare[island] = wide
            if island is None:
                ranges.append(Group(number, number, length, traps=True))
                hosts.add(ranges[-1])
                continue
            hosts.add(spare.pop(island))
            ranges.append(Group(number, number, length, island))
            hosts.add(ranges[-1])
        return ranges

    def _runs(self, code: Sequence[Instruction]) -> list[tuple[int, int]]:
        """Straight-line code that nothing jumps into the middle of: first and last instructions."""
        runs: list[tuple[int, int]] = []
        first = 0
        for number in range(len(code)):
            ends = number + 1 == len(code) or flow_of(code[number]) not in STRAIGHT
            ends = ends or code[number + 1].ip in self._targets or not _movable(code[number + 1])
            if ends:
                if _movable(code[first]):
                    runs.append((first, number))
                first = number + 1
        return runs

    def _widened(
        self, code: Sequence[Instruction], ranges: list[Group], hosts: set[Group], runs: list[tuple[int, int]], near: int
    ) -> Group | None:
        """The beginning of a run of which ten bytes are free to give way, with the groups that lie in it, near enough for a short jump."""
        last_of = {number: each.last for each in ranges for number in range(each.first, each.last + 1)}
        fixed = {number for each in hosts for number in range(each.first, each.last + 1)} | {near}
        for first, end in sorted(runs, key=lambda run: abs(run[0] - near)):
            if not _reaches(code[near].ip, code[first].ip + JUMP):
                continue
            last, length = first, 0
            while last <= end and last not in fixed:
                length = code[last].ip + code[last].len - code[first].ip
                if length >= 2 * JUMP and last_of.get(last, last) == last:
                    start = code[first].ip
                    return None if self._targets.between(start, start + length) else Group(first, last, length)
                last += 1
        return None

    def _range(self, code: Decoded, sites: dict[int, Site], number: int, before: Group) -> Group | None:
        found = Group(number, number, code.instructions[number].len)
        if found.length < JUMP and code.known:
            for grow in self._grow:
                if found.length < JUMP:
                    found = grow(code, sites, found, before)
            if found.length < JUMP and found.last == len(code.flows) - 1:
                ends = code.flows[found.last] not in STRAIGHT | CALLS
                if ends and self._padding.behind(code.function.end, JUMP - found.length):
                    found = found._replace(length=JUMP)
        start = code.addresses[found.first]
        if found.length >= JUMP and not self._targets.between(start, start + found.length):
            return found
        return self._with_island(code.instructions, number)

    def _with_island(self, code: Sequence[Instruction], number: int) -> Group | None:
        start, length = code[number].ip, code[number].len
        if length < SHORT_JUMP or self._targets.between(start, start + length):
            return None
        island = self._padding.island(start + SHORT_JUMP)
        return None if island is None else Group(number, number, length, island)

    def _forward(self, code: Decoded, sites: dict[int, Site], found: Group, before: Group) -> Group:
        """Up to five bytes; the group before does not matter."""
        first, last, length = found.first, found.last, found.length
        flows, addresses = code.flows, code.addresses
        while length < JUMP and last + 1 < len(flows) and flows[last] in STRAIGHT:
            following = code.instructions[last + 1]
            if addresses[last + 1] in self._targets or not _movable(following) or sites.get(last + 1, _NONE).kind is _UNSEEN:
                break
            last, length = last + 1, length + following.len
        return Group(first, last, length)

    def _backward(self, code: Decoded, sites: dict[int, Site], found: Group, before: Group) -> Group:
        """Up to the group before, which may grow by this one."""
        first, length = found.first, found.length
        flows, addresses = code.flows, code.addresses
        while length < JUMP and first > 0 and addresses[first] not in self._targets and flows[first - 1] in STRAIGHT:
            if first - 1 == before.last and not before.island:
                return Group(before.first, found.last, length + before.length)
            if first - 1 <= before.last or not _movable(code.instructions[first - 1]) or first - 1 in sites:
                break
            first, length = first - 1, length + code.instructions[first - 1].len
        return Group(first, found.last, length)


def _reaches(start: int, island: int) -> bool:
    return abs(island - (start + SHORT_JUMP)) <= _REACH


_NOTHING = Group(-1, -1, 0)
_NONE = Site(Kind.READ)
_UNSEEN = Kind.UNSEEN


def _movable(instruction: Instruction) -> bool:
    """Not those that jump a byte far only, nor those that mean a place by 32 bits of where they are."""
    return instruction.mnemonic not in _SHORT_ONLY and instruction.memory_base != Register.EIP
