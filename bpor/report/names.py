"""Names from the source for the threads, objects and call sites of one execution.

Invariant: a name is made once per report and stays the same in every line of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from bpor.lazy_dataclass import replace
from bpor.model.operation import Operation
from bpor.model.trace import Description, Trace
from bpor.protocol.ops import Op
from bpor.report.finding import ObjectName, SourceSite
from bpor.report.object_names import Given, name_objects, same_place
from bpor.report.script_sites import innermost, outermost_name
from bpor.report.symbols import INTERPRETER, SourceFrame, Symbols
from bpor.report.symbols_source import printable, source_line
from bpor.report.used_by import FrameOwner, family_of, stacks_by_object

# bits 59..58 of an object's identity (csrc/protocol/protocol.h)
_STATIC, _HEAP, _STACK = 0, 1, 2
_CLASSES = {3: "its end", 7: "the process"}  # bits 63..60: objects that are no variables
_NOUNS = {
    "MUTEX": "mutex",
    "COND": "condition",
    "SEM": "semaphore",
    "RWLOCK": "rwlock",
    "BARRIER": "barrier",
    "FUTEX": "futex",
    "FD": "pipe",
    "FILE": "stream",
    "GIL": "GIL",
    "PYMUTEX": "PyMutex",
    "CONTAINER": "container",
    "FREE": "memory",
    "FILES": "files",
    "DIRECTORY": "working directory",
    "ENVIRONMENT": "environment",
    "RANDOM": "random numbers",
    "STATICS": "libc's static data",
    "STREAMS": "streams",
    "DESCRIPTORS": "descriptors",
    "SETTINGS": "settings of the process",
    "NUMBERS": "numbers of descriptors",
    "SIGNAL": "pending signals",
}
_PROCESS_STATE = ("FILES", "DIRECTORY", "ENVIRONMENT", "RANDOM", "STATICS", "STREAMS", "DESCRIPTORS", "SETTINGS", "NUMBERS")
_SINGLE = frozenset(_NOUNS[name] for name in ("GIL", "SIGNAL", *_PROCESS_STATE))  # there is one
_LIBRARY_FILE = re.compile(  # our functions in place of the library's (csrc/instrument) among them
    r"^/usr/(include|lib|lib64)/|/include/c\+\+/|/include/python3\.\d+t?/|^/rustc/|^\./nptl/|/glibc|\bbpor_(lists|trees|hashes)\.c$"
)
_GOOGLETEST = re.compile(r"^(\w+?)_(\w+)_Test::TestBody\b")  # the class that TEST(Cache, Puts) makes; its users know Cache.Puts
_LIBRARY_MODULE = re.compile(
    r"^(libbpor|libasan|libubsan|libc|libm|libpthread|libstdc\+\+|libc\+\+|libc\+\+abi"
    r"|libgcc_s|ld-linux[-\w]*)([-.]|$)"
)
_LIBRARY_FUNCTIONS = (
    "std::",
    "__asan",
    "__sanitizer::",
    "__interceptor_",
    "__gnu_cxx::",
    "__gthread_",
    "_start",
    "operator new",
    "__clang_call_terminate",
)


class Names:
    def __init__(self, description: Description, like: Names | None = None) -> None:
        """`like`: of another execution of the same program; what that has named keeps its name here."""
        self._description = description
        self._symbols = Symbols(description.modules)
        self._stacks: dict[tuple[int, ...], tuple[SourceSite, ...]] = {}
        self._objects: dict[int, ObjectName] = dict(like._objects) if like is not None else {}
        self._taken: set[str] = set(like._taken) if like is not None else set()
        self._numbers: dict[str, int] = dict(like._numbers) if like is not None else {}
        self._reached: dict[int, Given] = {}
        self._used: dict[int, list[tuple[int, ...]]] = {}

    def learn(self, trace: Trace) -> None:
        """The execution that the description is of: what its objects are called where they are used."""
        self._reached = name_objects(trace, self._description, self._symbols, self._is_mine) if self._description.frames else {}
        self._used = stacks_by_object(trace, self._description)

    # ---- code ----

    def site(self, thread: int, number: int, operation: Operation) -> SourceSite | None:
        """Where a thread's n-th operation was called: the innermost frame of the user's own code."""
        stack = self._description.stacks.get((thread, number), ())
        sites = self.stack(stack) or self.stack((operation.site,) if operation.site else ())
        script = innermost(self._description.scripts.get((thread, number), ()))
        if not sites:
            return script
        site = in_source(sites)
        return site if script is None else replace(site, via=str(script))

    def stack(self, addresses: tuple[int, ...]) -> tuple[SourceSite, ...]:
        """The user's part of a stack, innermost first, with what of the libraries lies inside it."""
        if addresses not in self._stacks:
            self._stacks[addresses] = self._sites(addresses)
        return self._stacks[addresses]

    def _sites(self, addresses: tuple[int, ...]) -> tuple[SourceSite, ...]:
        frames = [frame for address in self._inside(addresses) for frame in self._symbols.frames(address)]
        mine = [index for index, frame in enumerate(frames) if not is_library(frame)]
        return tuple(_site(frame) for frame in frames[mine[0] : mine[-1] + 1] if not _is_ours(frame)) if mine else ()

    def _inside(self, addresses: tuple[int, ...]) -> list[int]:
        """From the user's first frame to the last. Of the libraries around them nothing is read: that takes longer than all the rest."""
        present = [address for address in addresses if address]
        mine = [index for index, address in enumerate(present) if self._is_mine(address)]
        return present[mine[0] : mine[-1] + 1] if mine else []

    def _is_mine(self, address: int) -> bool:
        if _is_library_module(self._symbols.module(address)):
            return False
        return not all(map(is_library, self._symbols.frames(address)))

    def thread(self, number: int) -> str:
        """The function a thread runs: its start routine, or what a library's start routine (std::thread) calls first."""
        if number == 0:
            return "main"
        _, start = self._description.threads.get(number, (0, 0))
        if start:
            frame = self._symbols.frames(start, is_return=False)[-1]
            if not is_library(frame) and frame.function:
                return printable(_GOOGLETEST.sub(r"\1.\2", frame.function))
        return self._script_name(number) or self._native_name(number)

    def _script_name(self, number: int) -> str:
        named = (outermost_name(frames) for (thread, _), frames in self._description.scripts.items() if thread == number)
        return next(filter(None, named), "")

    def _native_name(self, number: int) -> str:
        """By its first operation; of a Python thread, which begins in the interpreter, by the first in the user's code."""
        stacks = [stack for (thread, _), stack in self._description.stacks.items() if thread == number]
        mine = next(filter(None, map(self.stack, stacks if self._description.scripts else stacks[:1])), ())
        return _GOOGLETEST.sub(r"\1.\2", mine[-1].function) if mine else ""

    def compiled_in(self) -> tuple[str, ...]:
        """The directories in which the user's modules were compiled, those of the program first."""
        paths = [path for _, path in self._description.modules if not _is_library_module(path)]
        return tuple(dict.fromkeys(directory for path in paths for directory in self._symbols.compiled_in(path)))

    # ---- data ----

    def object(self, identity: int, op: Op, position: int = 0) -> ObjectName:
        """The name of an object, seen as the operation's first, second, ... object."""
        place = same_place(identity)
        if place not in self._objects:
            self._objects[place] = self._name(identity, _noun(op, position))
        return self._objects[place]

    def _name(self, identity: int, noun: str) -> ObjectName:
        if noun in _SINGLE:
            return ObjectName(noun)
        if identity >> 60 in _CLASSES:
            return ObjectName(_CLASSES[identity >> 60])
        if (called := self._description.names.get(identity)) is not None:
            return ObjectName(self._unique(printable(called)))
        _, site = self._description.objects.get(identity, (0, 0))
        place = identity >> 58 & 3
        if place == _STATIC:
            variable = self.static_variable(identity)
            if variable is not None:
                return ObjectName(self._unique(printable(variable)))
            return self._nameless(identity, noun)
        origin = ""
        if (given := self._reached.get(identity)) is not None:
            origin = self._allocation(identity, site, exactly=False) if given.by_type and place == _HEAP else ""
            return ObjectName(self._unique(printable(given.name)), origin, is_told=True)
        if place == _HEAP:
            origin = self._allocation(identity, site)
        elif place == _STACK:
            owner = self._description.owners.get(identity)
            origin = "a local variable" if owner is None else f"a local variable of T{owner}"
        return self._nameless(identity, noun, origin)

    def _nameless(self, identity: int, noun: str, origin: str = "") -> ObjectName:
        """What no variable leads to: by the functions of a library that use it, or by a number."""
        family = printable(family_of(self._used.get(identity, ()), self._symbols, _owner))
        if not family:
            return ObjectName(self._numbered(noun), origin)
        count = self._numbers[f"{noun} {family}"] = self._numbers.get(f"{noun} {family}", 0) + 1
        # The number comes first: a narrow column cuts the end of a name.
        return ObjectName(f"{noun}#{count} of {family}" if count > 1 else f"{noun} of {family}", origin, is_told=True)

    def static_variable(self, identity: int) -> str | None:
        """The variable an object lies in, if it is a static one and the program has symbols."""
        if identity >> 58 & 3 != _STATIC:
            return None
        address, _ = self._description.objects.get(identity, (0, 0))
        return self._symbols.variable(address or self._static_address(identity))

    def _static_address(self, identity: int) -> int:
        modules, number = self._description.modules, identity >> 32 & 0x3FFFFFF
        return modules[number][0] + (identity & 0xFFFFFFFF) if number < len(modules) else 0

    def _allocation(self, identity: int, site: int, exactly: bool = True) -> str:
        mine = [frame for frame in self._symbols.frames(site) if not is_library(frame)] if site else []
        where = f"allocated at {_site(mine[0])}" if mine else "on the heap"  # the library's operator new says nothing
        offset = identity & 0xFFFFFFFF
        return f"{where}, at offset {offset}" if offset and exactly else where

    def _unique(self, name: str) -> str:
        """Two statics of one name in different files must not look like one object."""
        candidate, count = name, 1
        while candidate in self._taken:
            count += 1
            candidate = f"{name}#{count}"
        self._taken.add(candidate)
        return candidate

    def _numbered(self, noun: str) -> str:
        self._numbers[noun] = self._numbers.get(noun, 0) + 1
        return f"{noun}#{self._numbers[noun]}"


def _noun(op: Op, position: int) -> str:
    if op in (Op.COND_WAIT, Op.COND_WAKE) and position == 1:
        return "mutex"
    return _NOUNS.get(op.name.split("_")[0], "variable")


def is_library(frame: SourceFrame) -> bool:
    """Not the user's code: our runtime, the C and C++ libraries and what their headers put into the user's program."""
    if _is_library_module(frame.module):
        return True
    return bool(_LIBRARY_FILE.search(frame.file)) or frame.function.startswith(_LIBRARY_FUNCTIONS)


def _owner(frame: SourceFrame) -> FrameOwner:
    if _is_library_module(frame.module):
        return FrameOwner.SYSTEM
    if is_library(frame):
        return FrameOwner.STANDARD
    return FrameOwner.SOURCE if frame.line else FrameOwner.LIBRARY


def _is_ours(frame: SourceFrame) -> bool:
    """Of the tool itself, which stands between a program and the functions that it calls and that call it back (pthread_once)."""
    return os.path.basename(frame.module).startswith("libbpor")


def in_source(stack: Sequence[SourceSite]) -> SourceSite:
    """The innermost place of the program's that has a line: where it called a library without debug information, if it is in one."""
    if stack[0].line:
        return stack[0]
    at = next((site for site in stack if site.line and not _LIBRARY_FILE.search(site.file)), stack[0])
    return at if at is stack[0] else replace(at, inside=_without_offset(stack[0].function) or os.path.basename(stack[0].file))


def _without_offset(function: str) -> str:
    """`apr_queue_pop+0x1b` -> `apr_queue_pop`."""
    return function.rpartition("+0x")[0] or function


def _is_library_module(path: str) -> bool:
    name = os.path.basename(path)
    return not name or bool(_LIBRARY_MODULE.match(name) or INTERPRETER.match(name))


def _site(frame: SourceFrame) -> SourceSite:
    if not frame.line:
        return SourceSite(file=printable(frame.module), function=printable(f"{frame.function}+{frame.offset:#x}" if frame.function else ""))
    return SourceSite(printable(frame.file), frame.line, printable(frame.function), source_line(frame.file, frame.line))
