"""Which code of a Python process tells its accesses of memory, and which does not. Said with every verdict.

The interpreter and its standard library are not the subject, nor are the modules that the tool itself needs.
"""

from __future__ import annotations

import functools
import operator
import os
import re
from collections.abc import Iterable

from bpor.lazy_dataclass import dataclass
from bpor.protocol import wire
from bpor.target.census import Census, Module, as_answered, is_system
from bpor.target.elf import Elf, read_elf
from bpor.target.environment import openmp_libraries
from bpor.target.patched import UNPATCHED, Patching
from bpor.target.program import TargetProgram
from bpor.target.python import is_python_name

# Loaded by the tool, or by a plugin of pytest's that loads itself, whatever the test. Instrumented, it is what somebody tests.
_OURS = re.compile(
    r".*/(_cffi_backend\.[^/]*|psutil/_psutil_\w+\.[^/]*|markupsafe/_speedups\.[^/]*|iced_x86/[^/]*|libbpor[^/]*|hypothesis/.*)"
)
_CONTAINERS = {name.lower(): wire.constant(f"BPOR_CONTAINER_{name}") for name in ("DICT", "LIST", "SET", "OBJECT")}
_SYSTEM_DIRECTORIES = ("/lib/", "/lib64/", "/usr/lib/x86_64-linux-gnu/", "/usr/lib64/")
_CFFI = "_cffi_backend"
_STANDARD = "lib-dynload"  # where an interpreter keeps the modules of its standard library


@dataclass(frozen=True, slots=True)
class PythonModules:
    told: tuple[Module, ...] = ()  # instrumented
    others: tuple[Module, ...] = ()
    libraries: tuple[str, ...] = ()  # of the system's that these ask for, by name
    patched: tuple[Module, ...] = ()  # OpenMP's, whose machine code tells
    openmp: tuple[str, ...] = ()  # paths of OpenMP's whose machine code does not

    @property
    def silent(self) -> tuple[str, ...]:
        return (*sorted(os.path.basename(module.elf.path) for module in self.others), *self.libraries)

    def unfit(self, subjects: frozenset[str] | None) -> tuple[str, ...]:
        """Those of these files that are not instrumented; None: of all."""
        paths = (module.elf.path for module in self.others)
        return tuple(sorted(os.path.basename(path) for path in paths if subjects is None or os.path.realpath(path) in subjects))

    def census(self, program: TargetProgram, patching: Patching) -> Census:
        """Coverage is about the code that tells, and what does not is named beside it, unless it has atomics of its own."""
        notes = (f"{name} is not instrumented: its accesses of memory are not seen" for name in self.silent)
        ordering = (module for module in self.others if module.instructions is None or module.instructions.atomics)
        modules = (*self.told, *self.patched, *ordering)
        return Census(program, modules, notes=tuple(notes), patching=patching, loaded_plain=self.openmp)

    def words(self) -> tuple[str, ...]:
        told = ", ".join(os.path.basename(module.elf.path) for module in (*self.told, *self.patched)) or "no instrumented module"
        return (f"seen: {told}", *([f"not seen: {', '.join(self.silent)}"] if self.silent else []))


def look_at_modules(
    paths: Iterable[str], patching: Patching = UNPATCHED, answers: frozenset[tuple[str, str]] = frozenset()
) -> PythonModules:
    """The modules of a process, by the paths of what it has mapped; what it said of those that were to be patched."""
    mapped = list(dict.fromkeys(paths))
    openmp = openmp_libraries(mapped)
    patched = [
        as_answered(Module(elf, patching.of(path)), answers) for path in openmp if (elf := _elf(path)) is not None and patching.of(path)
    ]
    telling = tuple(module for module in patched if module.tells)
    names = {module.elf.path for module in telling}
    mapped = [path for path in mapped if os.path.realpath(path) not in names]
    elves = [elf for path in mapped if _is_subject(path) and (elf := _elf(path)) is not None]
    others = [elf for elf in elves if not elf.instrumented and not _OURS.fullmatch(elf.path)]
    told = [elf for elf in elves if elf.instrumented]
    libraries = _asked_for([*told, *others], mapped) | _backend(told, mapped)
    plain = tuple(path for path in openmp if path not in names)
    return PythonModules(tuple(map(Module, told)), tuple(map(Module, others)), tuple(sorted(libraries)), telling, plain)


def _backend(told: Iterable[Elf], mapped: Iterable[str]) -> set[str]:
    """cffi's own module, which is the tool's too, where one that is tested calls it: through a table that it hands out."""
    found = {os.path.basename(path) for path in mapped if os.path.basename(path).startswith(_CFFI)}
    return found if found and any(_says(elf.path, _CFFI.encode()) for elf in told) else set()


@functools.cache
def _says(path: str, text: bytes) -> bool:
    with open(path, "rb") as stream:
        return text in stream.read()


def _asked_for(elves: Iterable[Elf], mapped: Iterable[str]) -> set[str]:
    """Libraries of the system that do a module's work out of sight, and those that these ask for."""
    system = {os.path.basename(path): path for path in mapped if path.startswith(_SYSTEM_DIRECTORIES)}
    found: set[str] = set()
    asked = [name for elf in elves for name in elf.needed]
    while asked:
        name = asked.pop()
        if name in system and name not in found and not is_system(name) and not name.startswith("libpython"):
            found.add(name)
            asked += elf.needed if (elf := _elf(system[name])) is not None else ()
    return found


@functools.cache
def _elf(path: str) -> Elf | None:
    """Of a module that is mapped, and so stays what it is: a test runner has the same ones in test after test."""
    return read_elf(path)


def container_names(seen: Iterable[int]) -> tuple[str, ...]:
    """Containers of the interpreter that instrumented code reached: (struct bpor_shared).containers, of several targets."""
    flags = functools.reduce(operator.or_, seen, 0)
    return tuple(name for name, flag in _CONTAINERS.items() if flags & flag)


def calls_by_pointer(seen: Iterable[int]) -> bool:
    """Instrumented code had the address of a function of the interpreter, so that a call of it is no step."""
    return any(flags & wire.constant("BPOR_CONTAINER_POINTER") for flags in seen)


def _is_subject(path: str) -> bool:
    name = os.path.basename(path)
    if is_python_name(name) or name.startswith("libpython") or is_system(name) or os.path.basename(os.path.dirname(path)) == _STANDARD:
        return False
    return not path.startswith(_SYSTEM_DIRECTORIES)
