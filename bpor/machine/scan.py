"""A module from its image to its blob."""

from __future__ import annotations

import gc
import hashlib
import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from iced_x86 import Code, EncodingKind, Instruction, OpCodeInfo, OpKind, RegisterExt

from bpor.lazy_dataclass import replace
from bpor.machine.blob import PAGE, Blob
from bpor.machine.callees import Part, held_by_data, merged, with_callees
from bpor.machine.decoded import Decoded, decode
from bpor.machine.flags import Flags
from bpor.machine.flow import STRAIGHT
from bpor.machine.functions import Function, functions_of
from bpor.machine.gaps import STUBS, targets_of_gaps, untold_bytes
from bpor.machine.groups import Group, Grouping, Padding
from bpor.machine.reached import look_between
from bpor.machine.registers import Liveness
from bpor.machine.scanned import Scan, Summary
from bpor.machine.sites import Classifier, Form, Kind, Site
from bpor.machine.stack import Stacks
from bpor.machine.targets import Targets, Text, is_tail_call, of_code, of_data, of_tables, within
from bpor.machine.trampolines import Trampolines
from bpor.target.assembler import marked
from bpor.target.containers import container_code, container_names, leaves_code, leaves_containers_alone
from bpor.target.image import PF_W, PF_X, PT_LOAD, Image
from bpor.target.units import callbacks, silent_code, stub_functions

ATOMIC = {Kind.LOCKED, Kind.FENCE, Kind.PAUSE, Kind.SYSCALL}
_NO_ACCESS = {Kind.PAUSE, Kind.SYSCALL, Kind.CLOCK, Kind.RANDOM}
_TEXTREL = 22
_LOCK = b"\xf0"
_SYSCALL = int(Code.SYSCALL)  # others may run meanwhile
_MARGIN = 1 << 20
_REACH = 0x78000000  # from a module's first byte to its last, so that its trampolines lie near enough to all of it
LARGEST = 16 << 20  # bytes of code, which take half a minute and a gigabyte
_ELSEWHERE = 1 << 10  # bytes before the first of other trampolines


def scan(image: Image, other: bool = False) -> Scan:
    """Never raises: a file that is not as it should be has a summary that says so. `other`: other groups, other trampolines."""
    collects = gc.isenabled()
    gc.disable()  # a million objects, none of them in a circle: looking for circles is a sixth of the time
    try:
        return _scan(image, other)
    except (ValueError, struct.error, IndexError, OverflowError, KeyError) as error:
        return Scan(Summary(problem=f"its machine code cannot be read ({error or type(error).__name__})"))
    finally:
        if collects:
            gc.enable()


def _scan(image: Image, other: bool) -> Scan:
    problem = _problem(image)
    if problem:
        return Scan(Summary(problem=problem))
    functions = [function for function in functions_of(image) if not _in_stubs(image, function)]
    if not functions:
        return Scan(Summary(problem="it has no table of its functions (.eh_frame_hdr)"))
    decoded = [decode(image, function) for function in functions]
    between = look_between(image, functions, [code for code in decoded if code.instructions])
    if between.code:
        functions = sorted([*functions, *between.code])
        decoded = sorted([*decoded, *(decode(image, piece) for piece in between.code)], key=lambda code: code.function.start)
    text = Text(functions)
    sound = [code for code in decoded if code.instructions]
    targets, misread = _targets(image, sound, functions, between.data, text)
    classifier = Classifier(_writable(image))
    marks, silent = marked(image), silent_functions(image, sound)
    part = Part(merged([*marks, *silent])) if marks or silent else _containers(image, sound)
    chosen = _chosen(part.ranges)
    sites = [
        _with_stores(code.instructions, chosen(code.instructions, found), not between.code)
        for code, found in zip(sound, _sites(classifier, sound), strict=True)
    ]
    grouping = Grouping(targets, Padding(image, functions, targets), other)
    read = _reader(image, text)
    blob = Blob(_base(image), _ELSEWHERE if other else 0)
    trampolines = Trampolines(blob, read)
    flags = Flags(bool(between.code))
    flags.look_at_calls(sound, targets)
    for code, found in zip(sound, sites, strict=True):
        if found:
            groups = grouping.groups(code, found)
            told = {number: site for number, site in found.items() if site.kind is not Kind.UNSEEN}
            trampolines.add(code, groups, told, flags.needed_before(code), _counted(code, targets, groups, told))
    untold = untold_bytes(image, functions, between.data)
    summary = replace(_summary(trampolines, grouping, functions, untold, len(decoded) - len(sound) + misread), constants=between.data)
    if part.ranges:
        words = "inline assembler" if marks else "functions for others"
        of_part = _of_part(summary, part, Text([code.function for code in sound]), words, image)
        # Of the functions of objects that were compiled elsewhere none may be missing.
        summary = replace(of_part, without_table=untold, problem=summary.problem or of_part.problem) if silent else of_part
        summary = replace(summary, parts=tuple(part.ranges))
    if not trampolines.sites:
        return Scan(summary)
    atomics = frozenset(address for address, site in trampolines.sites if site.kind in ATOMIC)
    return Scan(summary, blob.made(image, (text.low, text.high), classifier.sets_gs, _has_vex(decoded)), atomics)


def _has_vex(decoded: list[Decoded]) -> bool:
    """Masks and vectors 16 to 31 are no arguments and no results, and belong to who calls: without such instructions the module has
    nothing in them (System V ABI, 3.2.1)."""
    codes = {code for function in decoded for code in function.codes}
    encodings = {OpCodeInfo(code).encoding for code in codes}  # type: ignore[arg-type]
    return encodings != {EncodingKind.LEGACY} or any(not function.codes for function in decoded)


def _reader(image: Image, text: Text) -> Callable[[int, int], bytes]:
    """What the file has, out of one copy of all its code."""
    low, content = text.low, bytes(image.at(text.low, text.high - text.low))

    def read(address: int, count: int) -> bytes:
        at = address - low
        return content[at : at + count] if 0 <= at <= len(content) - count else bytes(image.at(address, count))

    return read


def _sites(classifier: Classifier, sound: list[Decoded]) -> Iterator[dict[int, Site]]:
    stacks = Stacks(sound, Text([code.function for code in sound]))
    for number, code in enumerate(sound):
        yield classifier.sites_of(code, stacks.own(number), stacks.elsewhere(number))


def _chosen(ranges: list[tuple[int, int]]) -> Callable[[list[Instruction], dict[int, Site]], dict[int, Site]]:
    """Of an instrumented module what is marked, of libstdc++ what works on the program's objects; of any other everything."""
    starts = [start for start, _ in ranges]

    def inside(address: int) -> bool:
        at = bisect_right(starts, address) - 1
        return at >= 0 and address < ranges[at][1]

    def choose(instructions: list[Instruction], sites: dict[int, Site]) -> dict[int, Site]:
        return {number: site for number, site in sites.items() if inside(instructions[number].ip)} if ranges else sites

    return choose


def _counted(code: Decoded, targets: Targets, groups: list[Group], sites: dict[int, Site]) -> set[int]:
    """Of straight-line code the first plain access counts: no loop without one that does."""
    facts = zip(code.addresses, code.flows, code.codes, strict=True)
    leaving = {address + 1 for address, flow, kind in facts if flow not in STRAIGHT or kind == _SYSCALL}
    begins = sorted(leaving.union(targets.within(code.function)))  # of straight-line code
    found: set[int] = set()
    last = -1
    for number in chain.from_iterable(range(group.first, group.last + 1) for group in sorted(groups)):
        site = sites.get(number)
        if site is not None and site.marked:
            block = bisect_right(begins, code.addresses[number])
            if block != last:
                found.add(number)
            last = block
    return found


def _problem(image: Image) -> str:
    if image.bits != 64 or image.machine != "EM_X86_64":
        return "it is for another processor"
    tags = dict(image.dynamic())
    if _TEXTREL in tags:
        return "its code is changed by the loader (text relocations)"
    if any(segment.kind == PT_LOAD and segment.flags & PF_W and segment.flags & PF_X for segment in image.segments):
        return "its code can be written"
    code = sum(segment.bytes for segment in image.segments if segment.kind == PT_LOAD and segment.flags & PF_X)
    if code > LARGEST:
        return f"it has {code >> 20} MB of code, more than is decoded"
    loaded = [segment for segment in image.segments if segment.kind == PT_LOAD]
    if loaded and max(part.address + part.memory for part in loaded) - min(part.address for part in loaded) > _REACH:
        return "there is no room within 2 GiB of it, which is as far as a jump reaches"
    return ""


def silent_functions(image: Image, code: Sequence[Decoded]) -> list[tuple[int, int]]:
    """Of an instrumented module with objects that were compiled elsewhere: the functions that call no callback."""
    if not silent_code(image):
        return []
    ours, told = stub_functions(image), callbacks(image)
    silent = (each.function for each in code if told and each.function.start not in ours and not _calls(each, told))
    return [(function.start, function.end) for function in silent]


def _calls(code: Decoded, targets: frozenset[int]) -> bool:
    branches = (each for each in code.instructions if each.op0_kind == OpKind.NEAR_BRANCH64)
    return any(branch.near_branch_target in targets for branch in branches)


def _in_stubs(image: Image, function: Function) -> bool:
    stubs = (section for section in image.sections if section.name in STUBS)
    return any(section.address <= function.start < section.address + section.bytes for section in stubs)


def _targets(
    image: Image, decoded: list[Decoded], functions: Sequence[Function], data: Sequence[tuple[int, int]], text: Text
) -> tuple[Targets, int]:
    """And how many functions are not all code, since something branches to where none of their instructions begins."""
    begins = set(chain.from_iterable(code.addresses for code in decoded))
    held = of_data(image, text) & begins  # by chance a number looks like an address, but seldom like that of an instruction
    found = held | {function.start for function in functions}
    listed = sorted(held)
    looked = [(code, *of_code(code, found, image.kind == "executable")) for code in decoded]
    found.update(targets_of_gaps(image, functions, data))
    aside = {text.number(address) for address in found - begins if not _is_behind_a_prefix(image, address, begins)}
    for _, addresses, _ in looked:
        found |= begins.intersection(addresses)
    for code in decoded:
        found |= code.function.pads or set()
    for code, addresses, jumps in looked:
        code.known = code.function.pads is not None
        tables = of_tables(image, addresses, text) & begins  # also where another function jumps for it, as a retpoline does
        found |= tables
        if any(not is_tail_call(code.instructions, jump, found) for jump in jumps):
            code.known &= bool(tables) or within(listed, code.function)
    return Targets(found), len(aside.intersection(text.number(code.function.start) for code in decoded))


def _is_behind_a_prefix(image: Image, address: int, begins: set[int]) -> bool:
    """Of a locked instruction, which is then the same without a lock."""
    return address - 1 in begins and image.at(address - 1, 1) == _LOCK


def _writable(image: Image):  # type: ignore[no-untyped-def]
    constant = [
        (segment.address, segment.address + segment.memory)
        for segment in image.segments
        if segment.kind == PT_LOAD and not segment.flags & PF_W
    ]

    def writable(address: int) -> bool:
        return not any(low <= address < high for low, high in constant)

    return writable


def _with_stores(instructions: list[Instruction], sites: dict[int, Site], by_convention: bool) -> dict[int, Site]:
    """An exchange whose register nobody looks at afterwards is a store. `by_convention`: calls and returns keep to the usual one."""
    liveness: Liveness | None = None
    for number, site in sites.items() if by_convention else ():
        if site.form != Form.EXCHANGE or site.kind is not Kind.LOCKED:
            continue
        liveness = liveness or Liveness(instructions)
        instruction = instructions[number]
        register = instruction.op0_register if instruction.op0_kind == OpKind.REGISTER else instruction.op1_register
        if liveness.dead_behind(number, RegisterExt.full_register(register)):
            sites[number] = site._replace(form=Form.STORE)
    return sites


def _base(image: Image) -> int:
    """Where the file's first page would lie, near what it belongs to."""
    end = max(segment.address + segment.memory for segment in image.segments if segment.kind == PT_LOAD)
    return (end + _MARGIN) // PAGE * PAGE + PAGE


def _summary(trampolines: Trampolines, grouping: Grouping, functions: Sequence[Function], untold: int, unsound: int) -> Summary:
    told = [site for _, site in trampolines.sites]
    missed = grouping.unpatched
    starts = {_around(functions, address) for address, _ in missed}
    summary = Summary(
        sites=len(told),
        atomics=sum(site.kind in ATOMIC for site in told),
        accesses=sum(site.kind not in _NO_ACCESS for site in told),
        traps=grouping.traps,
        unpatched=len(missed),
        unpatched_atomics=sum(site.kind in ATOMIC for _, site in missed),
        functions=tuple(f"{start:#x}" for start in sorted(starts)),
        without_table=untold,
        identity=hashlib.sha256(repr(sorted(address for address, _ in trampolines.sites)).encode()).hexdigest()[:32],
        waits=any(site.kind in ATOMIC for site in (*told, *(site for _, site in missed))),
    )
    return replace(summary, problem=f"{unsound} functions of it are not all code") if unsound else summary


def _containers(image: Image, code: list[Decoded]) -> Part:
    """Of libstdc++ what works on objects of the program's."""
    named = container_code(image)
    if not named:
        return Part([])
    text = Text([each.function for each in code])
    aside = leaves_code(image)
    numbers = {text.number(address) for address in held_by_data(image, text) if address not in aside}
    held = {(code[number].function.start, code[number].function.end) for number in numbers if number is not None}
    part = with_callees(image, code, [*named, *held.difference(named)], leaves_containers_alone)
    starts = {start for start, _ in part.unseen} & {start for start, _ in held}
    hidden = f"call of {', '.join(hex(start) for start in sorted(starts))} by a pointer" if starts else ""
    return part._replace(problem=part.problem or hidden)


def _of_part(summary: Summary, part: Part, text: Text, words: str, image: Image) -> Summary:
    """Whatever else cannot be read is not asked for."""
    lost = sum(start not in text for start, _ in part.ranges)
    problem = f"{lost} pieces of its {words} lie in no function" if lost else ""
    problem = problem or (f"of its {words} not all is seen: {part.problem}" if part.problem else "")
    return replace(summary, without_table=0, problem=problem, unseen=container_names(image, part.unseen) if part.unseen else ())


def _around(functions: Sequence[Function], address: int) -> int:
    return next(function.start for function in functions if function.start <= address < function.end)
