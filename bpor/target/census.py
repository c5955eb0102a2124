"""The census: which parts of a program can be seen, and which cannot. What doctor prints, the verdict begins with and JSON carries.

Invariant: it never claims more than was looked at. Finding no atomic instruction proves nothing, because an atomic load or store of a word
is a plain move; so only instrumentation of everything gives more than `calls`, and one atomic instruction out of sight takes it back.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from bpor.lazy_dataclass import dataclass, field, replace
from bpor.target.assembler import OUTSIDE_WORDS
from bpor.target.elf import Elf, open_image, read_elf
from bpor.target.loaded import Loaded
from bpor.target.patched import Patched, Patching
from bpor.target.program import TargetProgram

if TYPE_CHECKING:
    from bpor.target.instructions import Instructions

# Not the program under test, and known: what of theirs makes a thread wait or orders it is interposed (libc, libpthread, libatomic; of
# libstdc++ its guards, its waits for atomics and, through pthread, everything else that waits), or there is nothing of the kind (libm,
# libgcc_s). What is left are reference counts of libstdc++ (of locales, exceptions, directory entries), which no caller can wait for.
_SYSTEM = re.compile(
    r"(linux-vdso|ld-linux-x86-64|ld|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libutil|libresolv|libanl|libatomic|libtsan|libbpor)(-[\d.]+)?\.so(\.\d+)*"
)
_LISTED_UNITS = 5
_LISTED = re.compile(r"\s*(?:\S+ => )?(.*?/.*) \(0x[0-9a-f]+\)")  # a path is as relative as the search path that leads there
# A library that starts threads or waits by itself, out of sight of interposition.
_FOREIGN = {
    "libgomp": "issues futex system calls directly",
    "libomp": "issues futex system calls directly",
    "libjemalloc": "keeps its own locks",
}


@dataclass(frozen=True, slots=True)
class Module:
    """The program, or one of its libraries that are not the system's."""

    elf: Elf
    patched: Patched | None = None  # its machine code is, so that it tells its accesses

    @property
    def instructions(self) -> Instructions | None:
        """Of an instrumented module those alone that are not its callbacks': of assembler, and of code compiled elsewhere."""
        told = self.patched.told if self.patched is not None and not self.patched.problem else frozenset()
        return _instructions(self.elf.path, self.elf.stub, told, self.patched.constants if self.patched is not None else ())

    @property
    def tells(self) -> bool:
        """Its accesses; those of an instrumented module that have no callback apart."""
        return self.elf.instrumented or (self.patched is not None and not self.patched.problem)

    @property
    def by_machine_code(self) -> bool:
        """Some of what it tells is told by its machine code."""
        return not self.elf.instrumented or (self.patched is not None and self.patched.accesses > 0)

    @property
    def silent(self) -> str:
        """What of it is not seen; empty: nothing."""
        units = self.elf.silent_units
        if not self.elf.instrumented:
            return "" if self.tells else os.path.basename(self.elf.path)
        untold = self.patched is None or bool(self.patched.problem)
        if self.elf.has_marks and untold:
            units = ("inline assembler", *units)
        elif self.elf.has_silent_code and not untold:
            units = tuple(unit for unit in units if unit == OUTSIDE_WORDS)
        return self._parts(units)

    @property
    def uninstrumented(self) -> str:
        """What of it no compiler of ours has built; empty: nothing."""
        return self._parts(self.elf.silent_units) if self.elf.instrumented else os.path.basename(self.elf.path)

    def _parts(self, units: tuple[str, ...]) -> str:
        more = f" and {len(units) - _LISTED_UNITS} more" if len(units) > _LISTED_UNITS else ""
        return f"{', '.join(units[:_LISTED_UNITS])}{more} in {os.path.basename(self.elf.path)}" if units else ""


@dataclass(frozen=True, slots=True)
class Unseen:
    """What could order threads out of our sight. The names are those of files; the program's own stands first."""

    atomics: int = 0  # instructions
    where: tuple[str, ...] = ()  # modules that have them
    functions: dict[str, int] = field(default_factory=dict)  # that have them
    plain: tuple[str, ...] = ()  # modules of which not even plain accesses are seen
    unread: tuple[str, ...] = ()  # modules that could not be looked at
    told: bool = False  # some module tells its accesses
    unknown: tuple[str, ...] = ()  # code that there is no file to look at, in words
    unpatched: tuple[str, ...] = ()  # modules whose machine code was to tell and does not: their names, and why

    @property
    def may_order(self) -> bool:
        """There are instructions that nobody saw and that may order threads, beside plain moves."""
        return bool(self.atomics or self.unread or self.unknown)


@dataclass(frozen=True, slots=True)
class Census:
    program: TargetProgram
    modules: tuple[Module, ...] = ()
    system: tuple[str, ...] = ()  # known libraries, by name
    missing: tuple[str, ...] = ()  # libraries the loader did not find
    notes: tuple[str, ...] = field(default=())
    unknown: tuple[str, ...] = ()  # code that there is no file to look at, in words
    left_out: tuple[str, ...] = ()  # paths of libraries whose accesses are not seen, and that cannot make a thread wait
    patching: Patching = field(default_factory=Patching)
    untold: tuple[str, ...] = ()  # libraries on trust whose accesses are not seen, by name
    loaded_plain: tuple[str, ...] = ()  # paths of libraries that were loaded as it ran and that nobody had patched
    libraries: tuple[str, ...] = ()  # paths of those that the loader finds, known ones included

    @property
    def coverage(self) -> str:
        """What may be claimed about the whole: memory if every module of the program's own tells its accesses, all of them; machine if
        the machine code of some is what tells them."""
        if not self.modules or self.silent or self.unseen.may_order:
            return "calls"
        return "machine" if self.left_out or any(module.by_machine_code for module in self.modules) else "memory"

    @property
    def silent(self) -> tuple[str, ...]:
        """Modules, and units of modules, whose plain and atomic accesses are not seen, by name."""
        return tuple(module.silent for module in self._counted if module.silent)

    @property
    def uninstrumented(self) -> tuple[str, ...]:
        """Modules, and units of modules, that no compiler of ours has built, by name."""
        return tuple(filter(None, (module.uninstrumented for module in self._counted)))

    @property
    def _counted(self) -> tuple[Module, ...]:
        return tuple(module for module in self.modules if module.elf.path not in self.left_out)

    @property
    def patched_words(self) -> str:
        """Of coverage `machine`: which accesses were seen, and which were not."""
        told = [module for module in self._counted if module.patched is not None or module.elf.instrumented]
        missed = [f"{_accesses(module.patched)} of {_name(module)}" for module in told if module.patched and module.patched.unpatched]
        missed += [os.path.basename(path) for path in self.left_out]
        seen = f"all memory accesses of {', '.join(map(_name, told))}"
        return f"{seen}; not seen: {', '.join(missed)}" if missed else seen

    @property
    def unseen(self) -> Unseen:
        looked = [(os.path.basename(module.elf.path), module.instructions) for module in self.modules]
        found = {name: code for name, code in looked if code is not None and code.atomics}
        return Unseen(
            sum(code.atomics for code in found.values()),
            tuple(found),
            {function: count for code in found.values() for function, count in code.functions.items()},
            tuple(_name(module) for module in self.modules if not module.tells and module.elf.path not in self.left_out),
            tuple(name for name, code in looked if code is None),
            any(module.tells for module in self.modules),
            self.unknown,
            tuple(f"{_name(module)}: {module.patched.problem}" for module in self.modules if module.patched and module.patched.problem),
        )

    def with_patching(self, patching: Patching) -> Census:
        """And which machine code is patched."""
        return replace(
            self,
            modules=tuple(Module(module.elf, patching.of(module.elf.path)) for module in self.modules),
            left_out=patching.left_out,
            patching=patching,
        )

    def without(self, trusted: Callable[[str], bool]) -> Census:
        """Nothing is to be said of libraries that are taken on trust, by name."""
        kept = tuple(module for module in self.modules if not (module.elf.is_library and trusted(_name(module))))
        left_out = tuple(path for path in self.left_out if not trusted(os.path.basename(path)))
        plain = tuple(path for path in self.loaded_plain if not trusted(os.path.basename(path)))
        gone = [module for module in self.modules if module not in kept]
        untold = tuple(_name(module) for module in gone if not (module.tells or module.elf.instrumented))
        return replace(self, modules=kept, left_out=left_out, loaded_plain=plain, untold=untold)

    @property
    def untold_words(self) -> tuple[str, ...]:
        return (f"calls of {', '.join(self.untold)} in any order where they make no library calls",) if self.untold else ()

    def with_loaded(self, loaded: Loaded) -> Census:
        """And what was in the process when it ran."""
        if not loaded.paths:
            return self  # it did not run
        there = {_identity(path) for path in loaded.paths}
        known = tuple(module for module in self.modules if _identity(module.elf.path) in there)  # a wrapper is not
        old = {_identity(module.elf.path) for module in known}
        later = [path for path in sorted(loaded.paths) if not is_system(os.path.basename(path)) and _identity(path) not in old]
        read = {path: _elf(path) for path in later}
        elves = [elf for elf in read.values() if elf is not None]
        words = [f"{os.path.basename(path)}, which is gone," for path, elf in read.items() if elf is None]
        words += ["code that the program made as it ran"] * loaded.made_code + ["a library that it unloaded again"] * loaded.unloaded
        others = [Module(elf, self.patching.of(elf.path)) for elf in elves]
        return replace(
            self,
            modules=tuple(as_answered(module, loaded.patched) for module in (*known, *others)),
            loaded_plain=tuple(
                module.elf.path for module in others if not module.tells and module.patched is None and module.elf.path not in self.left_out
            ),
            notes=(*self.notes, *_notes(elves)),
            unknown=(*self.unknown, *words),
        )


def _name(module: Module) -> str:
    return os.path.basename(module.elf.path)


def _accesses(patched: Patched | None) -> str:
    assert patched is not None
    return f"{patched.unpatched} access{'es' * (patched.unpatched > 1)} in {patched.functions} function{'s' * (patched.functions > 1)}"


def as_answered(module: Module, answers: frozenset[tuple[str, str]]) -> Module:
    """With what the runtime said about it."""
    patched = module.patched
    if patched is None or patched.problem or not patched.sites:
        return module
    said = [problem for path, problem in answers if _identity(path) == _identity(module.elf.path)]
    problem = next(filter(None, said), "") if said else "it was not there when the program was patched"
    return replace(module, patched=replace(patched, problem=problem)) if problem else module


@cache
def _instructions(
    path: str, stub: tuple[int, int], told: frozenset[int] = frozenset(), constants: tuple[tuple[int, int], ...] = ()
) -> Instructions | None:
    """None: it cannot be read (any more)."""
    from bpor.target.instructions import look_at_instructions

    try:
        with open_image(path) as image:
            return look_at_instructions(image, stub, told, constants) if image is not None else None
    except OSError:
        return None


def _identity(path: str) -> object:
    try:
        status = os.stat(path)
    except OSError:
        return path
    return status.st_dev, status.st_ino


def _elf(path: str) -> Elf | None:
    try:
        return read_elf(path)
    except OSError:
        return None


def is_system(name: str) -> bool:
    """A library that is not the program under test, by its file name."""
    return _SYSTEM.fullmatch(name) is not None


def take_census(program: TargetProgram) -> Census:
    """Reads headers, asks the dynamic loader for the libraries, runs nothing of the program."""
    if program.elf is None:
        note = f"a script ({' '.join(program.interpreter)}): the program it starts is seen only when it runs"
        return Census(program, notes=(note,))
    loaded, missing = libraries_of(program.elf)
    own = [path for path in loaded if not is_system(os.path.basename(path))]
    elves = [program.elf, *(elf for elf in map(_elf, own) if elf is not None)]
    system = tuple(os.path.basename(path) for path in loaded if path not in own)
    return Census(program, tuple(map(Module, elves)), system, missing, tuple(_notes(elves)), libraries=tuple(loaded))


def library_called(elf: Elf, name: str) -> str:
    """Where the program's own loader finds a library that is opened by its name alone; empty: nowhere."""
    found = _listed(_listing(elf, {"LD_PRELOAD": name}) or "")
    return next((path for path in found if os.path.basename(path) == name), "")


def _listed(listing: str) -> list[str]:
    return [os.path.abspath(match[1]) for line in listing.splitlines() if (match := _LISTED.fullmatch(line))]


def _listing(elf: Elf, more: dict[str, str]) -> str | None:
    """What the loader prints of the libraries that it maps; None: it did not run."""
    try:
        return subprocess.run(
            [elf.interpreter or "", elf.path],
            env={**os.environ, **more, "LD_TRACE_LOADED_OBJECTS": "1"},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None


def libraries_of(elf: Elf) -> tuple[list[str], tuple[str, ...]]:
    """As the program's own loader resolves them (what ldd does): it maps libraries and runs nothing of theirs."""
    if elf.interpreter is None:
        return [], ()
    listing = _listing(elf, {})
    if listing is None:
        return [], elf.needed
    missing = tuple(line.split(" => ")[0].strip() for line in listing.splitlines() if line.endswith("=> not found"))
    return _listed(listing), missing


def _notes(elves: list[Elf]) -> list[str]:
    notes = []
    for elf in elves:
        name = os.path.basename(elf.path)
        if elf.damage:
            notes.append(f"{name} is damaged ({', '.join(elf.damage)}): names of functions and lines may be missing")
        if reason := next((text for prefix, text in _FOREIGN.items() if name.startswith(prefix)), None):
            notes.append(f"{name} {reason}: its threads are out of our sight")
        if elf.sanitizer == "tsan":
            notes.append(f"{name} asks for libtsan: an empty library of that name takes its place, its callbacks are ours")
        elif elf.has_asan:
            notes.append(f"{name} is built with AddressSanitizer: it runs on kernel threads, each execution in a process of its own")
        elif elf.sanitizer:
            notes.append(f"{name} links {elf.sanitizer}'s own runtime, which intercepts the same functions as we do")
        if elf.imports & {"dlmopen"}:
            notes.append(f"{name} calls dlmopen: libraries in another namespace are out of our sight")
    return notes
