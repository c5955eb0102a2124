"""What a file is, from its first bytes and its ELF headers: facts only, no judgement and nothing executed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection, SymbolTableSection
from elftools.elf.segments import InterpSegment

from bpor.target.units import silent_units

_TYPES = {"ET_EXEC": "executable", "ET_DYN": "shared", "ET_REL": "object", "ET_CORE": "core"}
_DF_1_PIE = 0x08000000
_TELLING = re.compile(rb"\0(__tsan_\w+|dlmopen)\0")
_FREE_THREADED_LIBRARY = re.compile(r"libpython3\.\d+t\.so")
_STUB_NOTE = ".note.bpor-native"  # csrc/instrument/bpor_mark.c
_TSAN_RUNTIME = b"TSAN_OPTIONS"  # what it looks for in the environment
_ASAN_RUNTIME = b"ASAN_OPTIONS"
_LSAN_RUNTIME = b"LSAN_OPTIONS", b"LeakSanitizer"
_MSAN_RUNTIME = b"MSAN_OPTIONS", b"MemorySanitizer"
_MINIMAL_UBSAN = (b"ubsan: add-overflow",)
_FREE_THREADED = b"\0_Py_MergeZeroLocalRefcount\0"  # a function that only interpreters without a global lock have
_SANITIZERS = ("asan", "tsan", "msan", "ubsan", "hwasan", "lsan")


@dataclass(frozen=True, slots=True)
class Elf:
    """The headers of one ELF file."""

    path: str
    kind: str  # executable, shared (a PIE or a library), object, core
    machine: str  # EM_X86_64, ...
    bits: int
    interpreter: str | None  # the dynamic loader it asks for
    pie: bool  # marked as a position-independent executable (a library is not)
    needed: tuple[str, ...] = ()
    imports: frozenset[str] = frozenset()  # those undefined dynamic symbols that tell us something
    has_dwarf: bool = False
    build_id: str = ""
    has_stub: bool = False  # has code that was compiled by `bpor-native cc`
    silent_units: tuple[str, ...] = ()  # of an instrumented module: sources or objects in it that are not
    has_tsan_runtime: bool = False  # ThreadSanitizer's own runtime is linked in
    free_threaded: bool = False  # a Python interpreter without the global lock, or its library
    has_asan: bool = False  # AddressSanitizer's, linked in or asked for
    has_lsan: bool = False  # LeakSanitizer's, which is also a part of AddressSanitizer's, likewise
    has_msan: bool = False  # MemorySanitizer's, which is always linked in
    has_minimal_ubsan: bool = False  # UndefinedBehaviorSanitizer's that only prints

    @property
    def is_library(self) -> bool:
        return self.kind == "shared" and self.interpreter is None and not self.pie

    @property
    def is_static(self) -> bool:
        """A program that no dynamic loader starts: nothing can be preloaded."""
        return self.kind in ("executable", "shared") and self.interpreter is None and not self.is_library

    @property
    def instrumented(self) -> bool:
        """Built with ThreadSanitizer's callbacks, so accesses of memory are calls that can be seen."""
        return self.has_stub or _calls_tsan(self.imports)

    @property
    def sanitizer(self) -> str:
        """A sanitizer's runtime that it links dynamically (empty: none)."""
        return next((name for name in _SANITIZERS for needed in self.needed if needed.startswith(f"lib{name}.so")), "")


def read_elf(path: str) -> Elf | None:
    """None if it is not a well-formed ELF file. Raises OSError."""
    with open(path, "rb") as stream:
        if stream.read(4) != b"\x7fELF":
            return None
        stream.seek(0)
        try:
            return _read(path, ELFFile(stream))
        except (ELFError, ValueError, KeyError, AttributeError, TypeError, IndexError, UnicodeDecodeError):
            return None  # pyelftools meets a damaged file with any of these


def _read(path: str, file: ELFFile) -> Elf:
    interpreter, needed, flags = None, [], 0
    for segment in file.iter_segments():
        if isinstance(segment, InterpSegment):
            interpreter = str(segment.get_interp_name())
        elif isinstance(segment, DynamicSegment):
            tag: Any  # its attributes are made at run time
            for tag in segment.iter_tags():
                if tag.entry.d_tag == "DT_NEEDED":
                    needed.append(str(tag.needed))
                elif tag.entry.d_tag == "DT_FLAGS_1":
                    flags = tag.entry.d_val
    imports, has_stub = _imports(file), file.get_section_by_name(_STUB_NOTE) is not None
    instrumented = has_stub or _calls_tsan(imports)
    return Elf(
        path=path,
        kind=_TYPES.get(file["e_type"], str(file["e_type"])),
        machine=str(file["e_machine"]),
        bits=file.elfclass,
        interpreter=interpreter,
        pie=bool(flags & _DF_1_PIE),
        needed=tuple(needed),
        imports=imports,
        has_dwarf=file.get_section_by_name(".debug_info") is not None or file.get_section_by_name(".zdebug_info") is not None,
        build_id=_build_id(file),
        has_stub=has_stub,
        silent_units=silent_units(file) if instrumented else (),
        has_tsan_runtime=_mentions(file, _TSAN_RUNTIME),
        free_threaded=_exports_free_threading(file) or any(map(_FREE_THREADED_LIBRARY.match, needed)),
        has_asan=any(name.startswith("libasan.so") for name in needed) or _mentions(file, _ASAN_RUNTIME),
        has_lsan=any(name.startswith("liblsan.so") for name in needed) or _mentions(file, *_LSAN_RUNTIME),
        has_msan=_mentions(file, *_MSAN_RUNTIME),
        has_minimal_ubsan=any("ubsan_minimal" in name for name in needed) or _mentions(file, *_MINIMAL_UBSAN),
    )


def _calls_tsan(imports: frozenset[str]) -> bool:
    return any(name.startswith("__tsan_") for name in imports)


def _imports(file: ELFFile) -> frozenset[str]:
    names, symbols = file.get_section_by_name(".dynstr"), file.get_section_by_name(".dynsym")
    if names is None or not isinstance(symbols, SymbolTableSection) or not _TELLING.search(names.data()):
        return frozenset()  # without a look at each symbol: a large library has tens of thousands
    undefined = (symbol.name for symbol in symbols.iter_symbols() if symbol["st_shndx"] == "SHN_UNDEF")
    return frozenset(name for name in undefined if _TELLING.match(b"\0" + name.encode() + b"\0"))


def _exports_free_threading(file: ELFFile) -> bool:
    names = file.get_section_by_name(".dynstr")
    return names is not None and _FREE_THREADED in names.data()


def _mentions(file: ELFFile, *texts: bytes) -> bool:
    """All of them, as its constants."""
    section = file.get_section_by_name(".rodata")
    constants = section.data() if section is not None else b""
    return all(text in constants for text in texts)


def _build_id(file: ELFFile) -> str:
    section = file.get_section_by_name(".note.gnu.build-id")
    if not isinstance(section, NoteSection):
        return ""
    return next((str(note["n_desc"]) for note in section.iter_notes() if note["n_type"] == "NT_GNU_BUILD_ID"), "")


def shebang(path: str) -> tuple[str, ...] | None:
    """The interpreter and its argument, as the kernel splits a script's first line; None if it is no script. Raises OSError."""
    with open(path, "rb") as stream:
        head = stream.read(256)
    if not head.startswith(b"#!"):
        return None
    words = head[2:].split(b"\n", 1)[0].decode("utf-8", "replace").split(None, 1)
    return tuple(word.strip() for word in words)


def is_musl(elf: Elf) -> bool:
    return elf.interpreter is not None and Path(elf.interpreter).name.startswith("ld-musl")
