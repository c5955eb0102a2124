"""Patched: which accesses of a module's machine code are reported (bpor/machine), and which are not."""

from __future__ import annotations

from bpor.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Patched:
    """A module that was to be patched."""

    path: str
    sites: int = 0  # instructions that tell
    unpatched: int = 0  # accesses that do not ...
    functions: int = 0  # ... in so many functions
    told: frozenset[int] = frozenset()  # addresses of the atomic instructions that do
    traps: int = 0  # instructions that tell by a breakpoint instruction, for want of room
    accesses: int = 0  # of the instructions that tell, those that access memory or order such accesses
    marked: tuple[tuple[int, int], ...] = ()  # of an instrumented module: what of it is told by machine code (bpor/target/assembler.py)
    problem: str = ""  # why it tells nothing, or why what it does not tell may order threads
    constants: tuple[tuple[int, int], ...] = ()  # among its code, which look like instructions
    unseen: tuple[str, ...] = ()  # of a library of which a part is patched: its functions that call what is out of sight


@dataclass(frozen=True, slots=True)
class Patching:
    """Of one program; nothing in it: machine code is left alone."""

    modules: tuple[Patched, ...] = ()
    left_out: tuple[str, ...] = ()  # paths of system libraries that cannot make a thread wait: not seen, and said so
    list: str = ""  # path of what the runtime reads; empty: nothing is patched

    def of(self, path: str) -> Patched | None:
        return next((module for module in self.modules if module.path == path), None)


UNPATCHED = Patching()
