"""Image: an ELF file as the kernel and the loader take it: its program headers and what they point at; sections only where they are sound.

Invariant: every file gives an answer, in time that its size bounds. What cannot be true (outside the file, or contradicting the program
headers) is left out and named in `damage`; it never raises and nothing is followed twice.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from typing import NamedTuple

from bpor.lazy_dataclass import dataclass, field

_HEADER = struct.Struct("<HHIQQQIHHHHHH")  # behind e_ident
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_DYNAMIC = struct.Struct("<qQ")
_NOTE = struct.Struct("<III")
_LONGEST_NAME = 1 << 16
_MOST_DYNAMIC = 1 << 16
_LONGEST_CHAIN = 1 << 18

PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_NOTE, PT_PHDR, PT_GNU_EH_FRAME = 1, 2, 3, 4, 6, 0x6474E550
PF_X, PF_W = 1, 2
SHF_EXECINSTR, SHF_ALLOC = 4, 2
SHT_SYMTAB, SHT_NOBITS = 2, 8
DT_NEEDED, DT_STRTAB, DT_SYMTAB, DT_HASH, DT_GNU_HASH, DT_FLAGS_1, DT_STRSZ = 1, 5, 6, 4, 0x6FFFFEF5, 0x6FFFFFFB, 10
STT_OBJECT, STT_FUNC, STT_FILE, STT_GNU_IFUNC = 1, 2, 4, 10
STB_LOCAL = 0
_KINDS = {1: "object", 2: "executable", 3: "shared", 4: "core"}
_MACHINES = {3: "386", 8: "MIPS", 20: "PPC", 21: "PPC64", 22: "S390", 40: "ARM", 62: "X86_64", 183: "AARCH64", 243: "RISCV"}


class Segment(NamedTuple):
    kind: int
    flags: int
    offset: int
    address: int
    bytes: int  # in the file
    memory: int  # bytes when it is loaded


class Section(NamedTuple):
    name: str
    kind: int
    flags: int
    address: int
    offset: int
    bytes: int
    link: int
    info: int


class Symbol(NamedTuple):
    name: bytes
    kind: int
    binding: int
    section: int  # 0: undefined
    address: int
    bytes: int


@dataclass(slots=True)
class Image:
    data: mmap.mmap | bytes
    kind: str
    machine: str
    bits: int
    entry: int = 0
    segments: tuple[Segment, ...] = ()
    sections: tuple[Section, ...] = ()
    damage: list[str] = field(default_factory=list)  # what was left out, in words

    def section(self, name: str) -> Section | None:
        return next((section for section in self.sections if section.name == name), None)

    def content(self, part: Section | Segment) -> bytes:
        return self.data[part.offset : part.offset + part.bytes]

    def at(self, address: int, count: int) -> bytes:
        """Bytes of the loaded program, as far as they are in the file."""
        for segment in self.segments:
            if segment.kind == PT_LOAD and segment.address <= address < segment.address + segment.bytes:
                start = address - segment.address
                return self.data[segment.offset + start : segment.offset + min(start + count, segment.bytes)]
        return b""

    def dynamic(self) -> Iterator[tuple[int, int]]:
        """Tags and values."""
        for segment in self.segments:
            if segment.kind == PT_DYNAMIC:
                table = self.content(segment)[: _MOST_DYNAMIC * _DYNAMIC.size]
                for tag, value in _DYNAMIC.iter_unpack(table[: len(table) - len(table) % _DYNAMIC.size]):
                    if tag == 0:
                        break
                    yield tag, value

    def notes(self) -> Iterator[tuple[bytes, int, bytes, int]]:
        """Owner, type, description, and the address of the description."""
        for segment in self.segments:
            if segment.kind != PT_NOTE:
                continue
            table, at = self.content(segment), 0
            while at + _NOTE.size <= len(table):
                owner, description, kind = _NOTE.unpack_from(table, at)
                begin = at + _NOTE.size + -(-owner // 4) * 4
                name = table[at + _NOTE.size : at + _NOTE.size + owner].rstrip(b"\0")
                yield name, kind, table[begin : begin + description], segment.address + begin
                at = begin + -(-description // 4) * 4

    def interpreter(self) -> str | None:
        for segment in self.segments:
            if segment.kind == PT_INTERP:
                return self.content(segment).split(b"\0", 1)[0].decode("utf-8", "replace")
        return None

    def symbols(self) -> Iterator[Symbol]:
        """Of the symbol table that debuggers use; a stripped file has none."""
        table = next((section for section in self.sections if section.kind == SHT_SYMTAB), None)
        if table is not None and table.link < len(self.sections):
            yield from _symbols(self.content(table), self.content(self.sections[table.link]))

    def local_symbols(self) -> Iterator[Symbol]:
        """In the order of the units that they come from."""
        for symbol in self.symbols():
            if symbol.binding == STB_LOCAL:
                yield symbol

    def dynamic_symbols(self) -> Iterator[Symbol]:
        """As the loader finds them, without a section."""
        tags = dict(reversed(list(self.dynamic())))
        if DT_SYMTAB not in tags or DT_STRTAB not in tags:
            return
        names = self.at(tags[DT_STRTAB], tags.get(DT_STRSZ, 0))
        yield from _symbols(self.at(tags[DT_SYMTAB], self._dynamic_count(tags) * _SYMBOL.size), names)

    def _dynamic_count(self, tags: dict[int, int]) -> int:
        """Only the hash table tells how many there are."""
        if DT_HASH in tags and len(counts := self.at(tags[DT_HASH], 8)) == 8:
            return int(struct.unpack("<II", counts)[1])
        if DT_GNU_HASH in tags and len(head := self.at(tags[DT_GNU_HASH], 16)) == 16:
            buckets, first, words, _ = struct.unpack("<IIII", head)
            at = tags[DT_GNU_HASH] + 16 + 8 * words
            table = self.at(at, 4 * buckets)
            last = max(struct.unpack(f"<{len(table) // 4}I", table[: len(table) // 4 * 4]), default=0)
            return max(int(first), self._end_of_chain(at + 4 * buckets, last, first))
        return 0

    def _end_of_chain(self, chains: int, last: int, first: int) -> int:
        """The chain of the last bucket ends with the last symbol, marked by an odd hash."""
        if last < first:
            return 0
        chain = self.at(chains + 4 * (last - first), _LONGEST_CHAIN)
        for number, (word,) in enumerate(struct.iter_unpack("<I", chain[: len(chain) // 4 * 4])):
            if word & 1:
                return last + number + 1
        return last + 1


def _symbols(table: bytes, names: bytes) -> Iterator[Symbol]:
    for at, info, _, section, address, size in _SYMBOL.iter_unpack(table[: len(table) // _SYMBOL.size * _SYMBOL.size]):
        yield Symbol(_string(names, at), info & 0xF, info >> 4, section, address, size)


def _string(names: bytes, at: int) -> bytes:
    end = names.find(b"\0", at, at + _LONGEST_NAME)
    return names[at:end] if end >= 0 else b""


def read_image(data: mmap.mmap | bytes) -> Image | None:
    """None: it is no ELF file, or not even its header is there."""
    if len(data) < 52 or data[:4] != b"\x7fELF" or data[4] not in (1, 2) or data[5] not in (1, 2):
        return None
    order, bits = ("<", ">")[data[5] - 1], (32, 64)[data[4] - 1]
    kind, machine = struct.unpack_from(order + "HH", data, 16)
    image = Image(data, _KINDS.get(kind, f"type {kind}"), f"EM_{_MACHINES.get(machine, machine)}", bits)
    if (order, bits) != ("<", 64) or len(data) < 64:
        return image  # nothing that runs here
    header = _HEADER.unpack_from(data, 16)
    image.entry = header[3]
    segments, segment_bytes, segment_count = header[4], header[8], header[9]
    sections, section_bytes, section_count, names = header[5], *header[10:]
    if segment_bytes == _SEGMENT.size:
        image.segments = tuple(_segments(image, segments, segment_count))
    if section_bytes == _SECTION.size and section_count:
        image.sections = tuple(_sections(image, sections, section_count, names))
    elif section_count:
        image.damage.append("section headers")
    return image


def _segments(image: Image, at: int, count: int) -> Iterator[Segment]:
    """As the kernel does, which refuses what is not in the file."""
    for number in range(count):
        start = at + number * _SEGMENT.size
        if start + _SEGMENT.size > len(image.data):
            return
        kind, flags, offset, address, _, size, memory, _ = _SEGMENT.unpack_from(image.data, start)
        if offset + size <= len(image.data):
            yield Segment(kind, flags, offset, address, size, memory)


def _sections(image: Image, at: int, count: int, names: int) -> list[Section]:
    """One that cannot be keeps its place, since others refer to it by number, and is empty."""
    there = min(count, max(0, len(image.data) - at) // _SECTION.size)
    raw = [_SECTION.unpack_from(image.data, at + number * _SECTION.size) for number in range(there)]
    if len(raw) < count or names >= len(raw):
        image.damage.append("section headers")
    strings = b""
    if names < len(raw) and raw[names][4] + raw[names][5] <= len(image.data):
        strings = image.data[raw[names][4] : raw[names][4] + raw[names][5]]
    found, unsound = [], 0
    for name, kind, flags, address, offset, size, link, info, _, _ in raw:
        sound = kind == SHT_NOBITS or (offset + size <= len(image.data) and _agrees(image, flags, address, offset, size))
        unsound += not sound
        text = _string(strings, name).decode("utf-8", "replace")
        found.append(Section(text, kind, flags, address, offset, size if sound and kind != SHT_NOBITS else 0, link, info))
    if unsound:
        image.damage.append(f"{unsound} section{'s' * (unsound > 1)}")
    return found


def _agrees(image: Image, flags: int, address: int, offset: int, size: int) -> bool:
    """Loaded where a segment loads it."""
    if not flags & SHF_ALLOC or size == 0:
        return True
    return any(
        segment.kind == PT_LOAD and segment.address <= address and offset - segment.offset == address - segment.address
        for segment in image.segments
    )
