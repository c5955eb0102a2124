"""What a file is, from its first bytes and its ELF headers: facts only, no judgement and nothing executed."""

from __future__ import annotations

import mmap
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bpor.lazy_dataclass import dataclass
from bpor.target.assembler import OUTSIDE, OUTSIDE_WORDS, has_marks
from bpor.target.image import DT_FLAGS_1, DT_NEEDED, DT_STRSZ, DT_STRTAB, PF_W, PT_LOAD, Image, read_image
from bpor.target.units import is_file, silent_code

_DF_1_PIE = 0x08000000
_GLOBAL, _CALLABLE = 1, (0, 2)  # bindings and kinds of symbols: STB_GLOBAL; STT_NOTYPE, STT_FUNC
_TELLING = re.compile(rb"__tsan_\w+|dlmopen")
_SAYS_ANYTHING = re.compile(rb"\0(?:" + _TELLING.pattern + rb")\0")
_FREE_THREADED_LIBRARY = re.compile(r"libpython3\.\d+t\.so")
_STUB_OWNER, _BUILD_OWNER = b"bpor-native", b"GNU"  # of notes: csrc/instrument/bpor_mark.c, the linker's
_BUILD_ID, _STUB = 3, 1
_LONGEST_NAME = 4096
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
    calls: frozenset[str] = frozenset()  # of an instrumented module: functions of other modules that it asks for
    silent_units: tuple[str, ...] = ()  # of an instrumented module: sources or objects in it that are not
    has_tsan_runtime: bool = False  # ThreadSanitizer's own runtime is linked in
    free_threaded: bool = False  # a Python interpreter without the global lock, or its library
    has_asan: bool = False  # AddressSanitizer's, linked in or asked for
    has_lsan: bool = False  # LeakSanitizer's, which is also a part of AddressSanitizer's, likewise
    has_msan: bool = False  # MemorySanitizer's, which is always linked in
    has_minimal_ubsan: bool = False  # UndefinedBehaviorSanitizer's that only prints
    stub: tuple[int, int] = (0, 0)  # where the stub's own atomic instructions lie
    damage: tuple[str, ...] = ()  # what of the file could not be read
    has_marks: bool = False  # of an instrumented module: it has accesses without a callback, which are marked ...
    has_silent_code: bool = False  # ... or are in objects that were compiled elsewhere, among what has callbacks

    @property
    def is_library(self) -> bool:
        return self.kind == "shared" and self.interpreter is None and not self.pie

    @property
    def is_static(self) -> bool:
        """A program that no dynamic loader starts: nothing can be preloaded."""
        return self.kind in ("executable", "shared") and self.interpreter is None and not self.is_library

    @property
    def is_told_in_part(self) -> bool:
        """By its callbacks: of the rest its machine code tells."""
        return self.has_marks or self.has_silent_code

    @property
    def instrumented(self) -> bool:
        """Built with ThreadSanitizer's callbacks, so accesses of memory are calls that can be seen."""
        return self.has_stub or _calls_tsan(self.imports)

    @property
    def sanitizer(self) -> str:
        """A sanitizer's runtime that it links dynamically (empty: none)."""
        return next((name for name in _SANITIZERS for needed in self.needed if needed.startswith(f"lib{name}.so")), "")


@contextmanager
def open_image(path: str) -> Iterator[Image | None]:
    """None if it is not an ELF file. Raises OSError."""
    with open(path, "rb") as stream:
        if stream.read(4) != b"\x7fELF":
            yield None
            return
        with mmap.mmap(stream.fileno(), 0, prot=mmap.PROT_READ) as data:
            yield read_image(data)


def read_elf(path: str) -> Elf | None:
    """None if it is not an ELF file. Raises OSError."""
    with open_image(path) as image:
        return _read(path, image) if image is not None else None


def _read(path: str, image: Image) -> Elf:
    dynamic = list(image.dynamic())
    names = next((value for tag, value in dynamic if tag == DT_STRTAB), 0)
    needed = tuple(_text(image.at(names + value, _LONGEST_NAME)) for tag, value in dynamic if tag == DT_NEEDED)
    flags = next((value for tag, value in dynamic if tag == DT_FLAGS_1), 0)
    imports, stub = _imports(image), _stub(image)
    instrumented = stub is not None or _calls_tsan(imports)
    silent = silent_code(image) if instrumented else ()
    sections = {section.name for section in image.sections}
    return Elf(
        path=path,
        kind=image.kind,
        machine=image.machine,
        bits=image.bits,
        interpreter=image.interpreter(),
        pie=bool(flags & _DF_1_PIE),
        needed=needed,
        imports=imports,
        has_dwarf=bool(sections & {".debug_info", ".zdebug_info"}),
        build_id=next((text.hex() for owner, kind, text, _ in image.notes() if (owner, kind) == (_BUILD_OWNER, _BUILD_ID)), ""),
        has_stub=stub is not None,
        calls=_calls(image) if instrumented else frozenset(),
        silent_units=(*filter(is_file, silent), *_outside(image)) if instrumented else (),
        has_tsan_runtime=_mentions(image, _TSAN_RUNTIME),
        free_threaded=_mentions(image, _FREE_THREADED) or any(map(_FREE_THREADED_LIBRARY.match, needed)),
        has_asan=any(name.startswith("libasan.so") for name in needed) or _mentions(image, _ASAN_RUNTIME),
        has_lsan=any(name.startswith("liblsan.so") for name in needed) or _mentions(image, *_LSAN_RUNTIME),
        has_msan=_mentions(image, *_MSAN_RUNTIME),
        has_minimal_ubsan=any("ubsan_minimal" in name for name in needed) or _mentions(image, *_MINIMAL_UBSAN),
        stub=stub or (0, 0),
        damage=tuple(image.damage),
        has_marks=instrumented and has_marks(image),
        has_silent_code=stub is not None and bool(silent),
    )


def _text(data: bytes) -> str:
    return data.split(b"\0", 1)[0].decode("utf-8", "replace")


def _calls_tsan(imports: frozenset[str]) -> bool:
    return any(name.startswith("__tsan_") for name in imports)


def _stub(image: Image) -> tuple[int, int] | None:
    """Where it lies, by the note of the module that has it; None: it has none."""
    for owner, kind, text, address in image.notes():
        if (owner, kind) == (_STUB_OWNER, _STUB):
            if len(text) < 12:
                return 0, 0
            start, end = struct.unpack_from("<ii", text, 4)
            return address + 4 + start, address + 8 + end
    return None


def _outside(image: Image) -> tuple[str, ...]:
    """Code that no callback and no mark tells of."""
    return (OUTSIDE_WORDS,) * any((owner, kind) == (_STUB_OWNER, OUTSIDE) for owner, kind, _, _ in image.notes())


def _imports(image: Image) -> frozenset[str]:
    tags = dict(image.dynamic())
    if not _SAYS_ANYTHING.search(image.at(tags.get(DT_STRTAB, 0), tags.get(DT_STRSZ, 0))):
        return frozenset()  # without a look at each symbol: a large library has tens of thousands
    undefined = (symbol.name for symbol in image.dynamic_symbols() if symbol.section == 0)
    return frozenset(name.decode("utf-8", "replace") for name in undefined if _TELLING.fullmatch(name))


def _mentions(image: Image, *texts: bytes) -> bool:
    """All of them, among the constants and names that are loaded with it."""
    readable = [part for part in image.segments if part.kind == PT_LOAD and not part.flags & PF_W]
    return all(any(image.data.find(text, part.offset, part.offset + part.bytes) >= 0 for part in readable) for text in texts)


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


def calls_of(path: str) -> frozenset[str]:
    """Functions of other modules that a module asks for; empty: it cannot be read."""
    try:
        with open_image(path) as image:
            return _calls(image) if image is not None else frozenset()
    except OSError:
        return frozenset()


def functions_for_others(path: str) -> frozenset[str]:
    """Functions that a module has for others to call."""
    try:
        with open_image(path) as image:
            symbols = image.dynamic_symbols() if image is not None else ()
            return frozenset(symbol.name.decode("utf-8", "replace") for symbol in symbols if symbol.section and symbol.kind in _CALLABLE)
    except OSError:
        return frozenset()


def _calls(image: Image) -> frozenset[str]:
    """Weak ones are mostly the stub's own, which asks for what it can do without."""
    undefined = (symbol for symbol in image.dynamic_symbols() if symbol.section == 0 and symbol.binding == _GLOBAL)
    return frozenset(symbol.name.decode("utf-8", "replace") for symbol in undefined if symbol.kind in _CALLABLE and symbol.name)
