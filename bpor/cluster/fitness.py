"""Fitness: can another machine run the program exactly as the client's machine does? Its system libraries, its processor and its version of
this tool are compared."""

from __future__ import annotations

import os
import platform

from bpor.lazy_dataclass import dataclass
from bpor.platform_support import unsupported
from bpor.target.census import is_system, libraries_of
from bpor.target.elf import read_elf
from bpor.target.program import TargetProgram, inspect_program
from bpor.version import VERSION

# What code may be compiled for, or choose by itself.
_TOLD = frozenset({"sse4_2", "avx", "avx2", "fma", "bmi1", "bmi2", "avx512f", "avx512bw", "avx512vl", "sha_ni", "rtm", "fsgsbase"})


@dataclass(frozen=True, slots=True)
class Fitness:
    version: str  # of this tool
    machine: str
    processor: frozenset[str]
    libraries: tuple[tuple[str, str], ...]  # of the system: names and build ids


def fitness_here(program: TargetProgram) -> Fitness:
    libraries = {}
    for path in libraries_of(program.elf)[0] if program.elf is not None else ():
        elf, name = read_elf(path), os.path.basename(path)
        if is_system(name):
            libraries[name] = elf.build_id if elf is not None else ""
    return Fitness(VERSION, platform.machine(), _processor(), tuple(sorted(libraries.items())))


def unfit(wanted: Fitness, path: str) -> str:
    """Why this machine cannot run the program at `path` as the one that `wanted` was taken on does; empty: it can."""
    reason = unsupported()
    if reason:
        return reason
    here = fitness_here(inspect_program(path))
    if here.version != wanted.version:
        return f"it has version {here.version} of bpor-native, and the client {wanted.version}"
    if here.machine != wanted.machine:
        return f"its processor is {here.machine}, and the client's {wanted.machine}"
    if lacking := sorted(wanted.processor - here.processor):
        return f"its processor lacks {', '.join(lacking)}"
    theirs, ours = dict(wanted.libraries), dict(here.libraries)
    if missing := sorted(theirs.keys() - ours.keys()):
        return f"it has no {missing[0]}"
    if other := sorted(name for name in theirs if ours[name] != theirs[name]):
        return f"its {other[0]} is another one (build id {ours[other[0]] or 'unknown'}, the client's {theirs[other[0]] or 'unknown'})"
    return ""


def _processor() -> frozenset[str]:
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        flags = next((line.partition(":")[2].split() for line in file if line.startswith("flags")), [])
    return _TOLD & frozenset(flags)
