"""Addresses of a process -> names of its source: frames (inlined ones included) for code, variables for data.

Invariant: a lookup never raises. What the debug information cannot say the symbol table says, then module and offset.
Code addresses are return addresses unless said otherwise: the call is the instruction before, so one is subtracted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from bpor.lazy_dataclass import dataclass
from bpor.report.dwarf_functions import EnclosingFunction, Functions, name_of
from bpor.report.dwarf_image import DwarfImage, SymbolRow
from bpor.report.dwarf_lines import LineTable
from bpor.report.dwarf_locals import Scope
from bpor.report.dwarf_variables import describe, entry_of
from bpor.report.symbols_demangle import function_name, variable_name

if TYPE_CHECKING:
    from elftools.dwarf.compileunit import CompileUnit
    from elftools.dwarf.die import DIE

T = TypeVar("T")
_MOST_UNITS = 200  # looked at for the directories they were compiled in
# The Python interpreter and how it calls C: not the user's code, and its debug information takes seconds to read.
INTERPRETER = re.compile(r"(python\d*(\.\d+)*[a-z]*$|libpython\d|_ctypes\.|libffi\.)")

# Distributions ship sanitizers' runtimes with their debug information: seconds to read, for lines that nobody asks for.
_RUNTIME = re.compile(r"lib[a-z]+san\.so(\.\d+)*")


@dataclass(frozen=True, slots=True)
class SourceFrame:
    """One line of a stack. Without debug information `file` is empty, `line` 0, and `offset` counts from the function's start."""

    function: str = ""
    file: str = ""
    line: int = 0
    module: str = ""
    offset: int = 0
    inlined: bool = False

    def __str__(self) -> str:
        if self.file:
            return f"{self.function or '?'} ({os.path.basename(self.file)}:{self.line})"
        name = f"{self.function}+{self.offset:#x}" if self.function else f"+{self.offset:#x}"
        return f"{name} ({os.path.basename(self.module)})" if self.module else f"{self.offset:#x}"


@dataclass(frozen=True, slots=True)
class StaticVariable:
    name: str
    die: DIE
    offset: int  # of the address that was asked for, into the variable


class ModuleSymbols:
    """One module: addresses relative to its load address (for a fixed-address executable: the addresses themselves)."""

    def __init__(self, path: str) -> None:
        """Raises OSError, or ValueError for what is no ELF file."""
        self.image = DwarfImage(path)
        self._lines: dict[int, LineTable] = {}
        self._functions: dict[int, Functions] = {}
        # Each place once, however many executions of this process ask.
        self._frames: dict[int, list[SourceFrame]] = {}
        self._variables: dict[int, str | None] = {}
        self._scopes: dict[int, Scope | None] = {}
        self._statics: dict[int, StaticVariable | None] = {}

    def frames(self, address: int) -> list[SourceFrame]:
        """The frames of the instruction at an address, innermost first; never empty."""
        if address not in self._frames:
            self._frames[address] = self._forgiving(lambda: self._described(address), []) or [self._named(address)]
        return self._frames[address]

    def scope(self, address: int) -> Scope | None:
        """The local variables at an address."""
        if address not in self._scopes:
            self._scopes[address] = self._forgiving(lambda: self._scope(address), None)
        return self._scopes[address]

    def _scope(self, address: int) -> Scope | None:
        tables = self._tables(address)
        function = tables[1].covering(address) if tables is not None else None
        return Scope(function, address) if function is not None else None

    def read(self, look_up: Callable[[], T], otherwise: T) -> T:
        """Follows entries of its debug information, as `scope` gave them."""
        return self._forgiving(look_up, otherwise)

    def _tables(self, address: int) -> tuple[LineTable, Functions] | None:
        """Of the unit that an address lies in."""
        if _RUNTIME.fullmatch(os.path.basename(self.image.path)):
            return None
        unit = self.image.unit_at(address)
        if unit is None:
            return None
        offset = unit.cu_offset
        if offset not in self._lines:
            self._lines[offset], self._functions[offset] = LineTable(unit), Functions(unit)
        return self._lines[offset], self._functions[offset]

    def _described(self, address: int) -> list[SourceFrame]:
        tables = self._tables(address)
        if tables is None:
            return []
        lines, functions = tables
        here = lines.at(address)
        if here is None:
            return []
        none: list[EnclosingFunction] = []
        calls = self._forgiving(lambda: functions.at(address), none)
        if not calls:
            return [SourceFrame(self._named(address).function, *here, module=self.image.path)]
        frames: list[SourceFrame] = []
        for call in calls:
            frames.append(SourceFrame(call.function, *here, module=self.image.path, inlined=bool(call.call_line)))
            here = (lines.file(call.call_file), call.call_line)
        return frames

    def _named(self, address: int) -> SourceFrame:
        symbol = self.image.symbol_at(address)
        if symbol is None or not symbol.is_function:
            return SourceFrame(module=self.image.path, offset=address)
        return SourceFrame(function_name(symbol.name), module=self.image.path, offset=address - symbol.address)

    def variable(self, address: int) -> str | None:
        """`name`, `name.field`, `name[i]`, or `name+8` where no type tells what lies there; None outside every variable."""
        if address not in self._variables:
            self._variables[address] = self._variable(address)
        return self._variables[address]

    def _variable(self, address: int) -> str | None:
        symbol = self.image.symbol_at(address)
        if symbol is None or symbol.is_function:
            return None
        offset = address - symbol.address
        nothing: tuple[str, str | None] = ("", None)
        name, path = self._forgiving(lambda: describe(self.image, symbol, offset), nothing)
        if path is None:
            path = f"+{offset}" if offset else ""
        return _source_name(symbol, name) + path

    def static_at(self, address: int) -> StaticVariable | None:
        """The static variable in which an address lies, if an entry describes it."""
        if address not in self._statics:
            self._statics[address] = self._forgiving(lambda: self._static(address), None)
        return self._statics[address]

    def _static(self, address: int) -> StaticVariable | None:
        symbol = self.image.symbol_at(address)
        die = entry_of(self.image, symbol.address) if symbol is not None and not symbol.is_function else None
        if symbol is None or die is None:
            return None
        return StaticVariable(_source_name(symbol, name_of(die)), die, address - symbol.address)

    def compiled_in(self) -> list[str]:
        """The directories that its units were compiled in."""
        none: list[str] = []
        return self._forgiving(lambda: list(dict.fromkeys(filter(None, map(_directory, islice(self.image.units(), _MOST_UNITS))))), none)

    def _forgiving(self, look_up: Callable[[], T], otherwise: T) -> T:
        """Debug information is written by every compiler there is and read here by a library that knows most of it. An entry it
        cannot read must cost a name, not the report."""
        if self.image.limit.exhausted:
            return otherwise
        import elftools.elf.elffile  # noqa: F401  (loading it is no work on this file, and slow while calls are counted)

        try:
            with self.image.limit.held():
                return look_up()
        except Exception:
            _UNREADABLE.add(self.image.path)
            return otherwise


def _source_name(symbol: SymbolRow, described: str) -> str:
    """A mangled name knows its scopes; for C the compiler adds to the names of statics (`once.0`, `main.once`)."""
    return variable_name(symbol.name) if symbol.name.startswith("_Z") or not described else described


class Symbols:
    """All modules of one process: (load address, path), as an execution described them."""

    def __init__(self, modules: Sequence[tuple[int, str]]) -> None:
        self._modules = sorted(modules, reverse=True)
        self._cache: dict[tuple[int, bool], tuple[SourceFrame, ...]] = {}

    def frames(self, address: int, *, is_return: bool = True) -> tuple[SourceFrame, ...]:
        """Innermost first; never empty. `is_return=False` for a function's own address or a faulting instruction."""
        key = (address, is_return)
        if key not in self._cache:
            self._cache[key] = self._look_up(address - is_return)
        return self._cache[key]

    def _look_up(self, address: int) -> tuple[SourceFrame, ...]:
        module, relative = self._module_of(address)
        if module is None:
            return (SourceFrame(offset=address),)
        if _is_interpreter(module):
            return (SourceFrame(module=module.image.path, offset=relative),)
        return tuple(module.frames(relative))

    def module(self, address: int) -> str:
        """The file that a return address lies in; empty if in none."""
        return self.relative(address)[0]

    def relative(self, address: int) -> tuple[str, int]:
        """A return address as the file's own: (path, address in it)."""
        module, relative = self._module_of(address - 1)
        return (module.image.path if module is not None else ""), relative + 1

    def module_at(self, address: int) -> tuple[ModuleSymbols | None, int]:
        """The module of a return address, and the call's address in it; None for an interpreter."""
        module, relative = self._module_of(address - 1)
        return (None, 0) if module is None or _is_interpreter(module) else (module, relative)

    def data_at(self, address: int) -> tuple[ModuleSymbols | None, int]:
        """The same of an address of data."""
        return self.module_at(address + 1)

    def compiled_in(self, path: str) -> list[str]:
        module = load(path)
        return module.compiled_in() if module is not None else []

    def variable(self, address: int) -> str | None:
        module, relative = self._module_of(address)
        return None if module is None or _is_interpreter(module) else module.variable(relative)

    def _module_of(self, address: int) -> tuple[ModuleSymbols | None, int]:
        """A fixed-address executable is listed with base 0 or with its first address; either way its addresses are its own."""
        for base, path in self._modules:
            if base <= address:
                module = load(path)
                if module is not None:
                    relative = address if module.image.is_fixed else address - base
                    if module.image.contains(relative):
                        return module, relative
        return None, address


def _directory(unit: CompileUnit) -> str:
    attribute = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
    return attribute.value.decode("utf-8", "replace") if attribute is not None else ""


def _is_interpreter(module: ModuleSymbols) -> bool:
    return INTERPRETER.match(os.path.basename(module.image.path)) is not None


_UNREADABLE: set[str] = set()


def unreadable() -> list[str]:
    """Modules with debug information that a look-up could not read: what is said about them may lack names and lines."""
    return sorted(_UNREADABLE)


@cache
def load(path: str) -> ModuleSymbols | None:
    """None for what is no readable ELF file (the kernel's vdso, a deleted library)."""
    try:
        return ModuleSymbols(path)
    except (OSError, ValueError):
        return None
