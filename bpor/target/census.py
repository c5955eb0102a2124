"""The census: which parts of a program can be seen, and which cannot. What doctor prints and the JSON report carries.

Invariant: it never claims more than was looked at. Finding no atomic instruction proves nothing, because an atomic load or store of a word
is a plain move; so coverage is decided by instrumentation alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field

from bpor.target.elf import Elf, read_elf
from bpor.target.program import Program

# Their synchronisation is intercepted or inert; they are not the program under test.
_SYSTEM = re.compile(
    r"(linux-vdso|ld-linux-x86-64|ld|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libutil|libresolv|libanl|libatomic|libtsan|libbpor)(-[\d.]+)?\.so(\.\d+)*"
)
_LISTED_UNITS = 5
_LISTED = re.compile(r"\s*(?:\S+ => )?(/\S+) \(0x[0-9a-f]+\)")
# A library that starts threads or waits by itself, out of sight of interposition.
_FOREIGN = {
    "libgomp": "issues futex system calls directly",
    "libomp": "issues futex system calls directly",
    "libjemalloc": "keeps its own locks",
}
_INSTRUCTIONS = {
    "atomic": re.compile(r"\t(?:lock\s|xchg\s.*\()"),  # xchg with memory locks without the prefix
    "syscall": re.compile(r"\t(?:syscall|sysenter|int\s+\$0x80)\b"),
    "clock": re.compile(r"\t(?:rdtscp?)\b"),
    "random": re.compile(r"\t(?:rdrand|rdseed)\b"),
}


@dataclass(frozen=True, slots=True)
class Module:
    """The program, or one of its libraries that are not the system's."""

    elf: Elf
    instructions: dict[str, int] | None = None  # None: not disassembled


@dataclass(frozen=True, slots=True)
class Census:
    program: Program
    modules: tuple[Module, ...] = ()
    system: tuple[str, ...] = ()  # known libraries, by name
    missing: tuple[str, ...] = ()  # libraries the loader did not find
    notes: tuple[str, ...] = field(default=())

    @property
    def coverage(self) -> str:
        """What may be claimed about the whole: memory if every module of the program's own tells its accesses, with all its units."""
        return "memory" if self.modules and not self.silent else "calls"

    @property
    def silent(self) -> tuple[str, ...]:
        """Modules, and units of modules, whose plain and atomic accesses are not seen, by name."""
        return tuple(silent for module in self.modules if (silent := _silent(module.elf)))


def _silent(elf: Elf) -> str:
    """What of a module is not seen; empty: nothing."""
    name, units = os.path.basename(elf.path), elf.silent_units
    if not elf.instrumented:
        return name
    more = f" and {len(units) - _LISTED_UNITS} more" if len(units) > _LISTED_UNITS else ""
    return f"{', '.join(units[:_LISTED_UNITS])}{more} in {name}" if units else ""


def is_system(name: str) -> bool:
    """A library that is not the program under test, by its file name."""
    return _SYSTEM.fullmatch(name) is not None


def take_census(program: Program, disassemble: bool = False) -> Census:
    """Reads headers, asks the dynamic loader for the libraries, runs nothing of the program."""
    if program.elf is None:
        note = f"a script ({' '.join(program.interpreter)}): the program it starts is seen only when it runs"
        return Census(program, notes=(note,))
    loaded, missing = _libraries(program.elf)
    own = [path for path in loaded if not is_system(os.path.basename(path))]
    elves = [program.elf, *(elf for elf in map(read_elf, own) if elf is not None)]
    modules = tuple(Module(elf, _count_instructions(elf.path) if disassemble else None) for elf in elves)
    system = tuple(os.path.basename(path) for path in loaded if path not in own)
    return Census(program, modules, system, missing, tuple(_notes(elves)))


def library_census(elf: Elf) -> Module:
    """One library by itself, whoever loads it."""
    return Module(elf, _count_instructions(elf.path))


def _libraries(elf: Elf) -> tuple[list[str], tuple[str, ...]]:
    """As the program's own loader resolves them (what ldd does): it maps libraries and runs nothing of theirs."""
    if elf.interpreter is None:
        return [], ()
    try:
        listing = subprocess.run(
            [elf.interpreter, elf.path],
            env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return [], elf.needed
    found = [match[1] for line in listing.splitlines() if (match := _LISTED.fullmatch(line))]
    missing = tuple(line.split(" => ")[0].strip() for line in listing.splitlines() if line.endswith("=> not found"))
    return found, missing


def _count_instructions(path: str) -> dict[str, int] | None:
    """None without objdump, or where it takes too long."""
    if shutil.which("objdump") is None:
        return None
    counts = dict.fromkeys(_INSTRUCTIONS, 0)
    command = ["timeout", "30", "objdump", "--disassemble", "--no-show-raw-insn", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace") as process:
        assert process.stdout is not None
        for line in process.stdout:
            for name, pattern in _INSTRUCTIONS.items():
                if pattern.search(line):
                    counts[name] += 1
    return counts if process.returncode == 0 else None


def _notes(elves: list[Elf]) -> list[str]:
    notes = []
    for elf in elves:
        name = os.path.basename(elf.path)
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
