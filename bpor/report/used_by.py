"""Names of objects that no variable leads to, from the functions that use them: `mutex of apr_queue_*`.

The inside of a library without debug information has no other name, and a programmer who calls the library knows its functions.
Invariant: a function is told only if it was on the stack of a step that used the object.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from enum import Enum
from itertools import takewhile

from bpor.model.operation import Operation
from bpor.model.trace import Description, Trace
from bpor.report.symbols import SourceFrame, Symbols

_MOST_USES = 12  # of one object that are looked at
# Functions that do to an object what its step says anyway: `g_mutex_lock` is no name for a mutex.
_WRAPPER = re.compile(r"mutex|(^|_|::)r?w?(lock|unlock|cond|sem|once|futex|atomic|spin|barrier)(_|::|<|$)|thread_create")
_WORDS = re.compile(r"::|_+|[^_:]+")
_FEWEST_WORDS, _FEWEST_LETTERS = 2, 4  # that functions of one family share: `apr_` is a whole library, `basin_` is not


class FrameOwner(Enum):
    """Whose code a frame is."""

    SYSTEM = 1  # the tool itself, the C library: below everything
    STANDARD = 2  # code of the standard library of C++ or Rust in the program
    LIBRARY = 3  # without debug information
    SOURCE = 4  # a line of the program


def stacks_by_object(trace: Trace, description: Description) -> dict[int, list[tuple[int, ...]]]:
    """The stacks of the first steps that used each object."""
    found: dict[int, dict[tuple[int, ...], None]] = {}
    done: dict[int, int] = {}

    def used(thread: int, operation: Operation) -> None:
        stack = description.stacks.get((thread, done.get(thread, 0)), ())
        for access in operation.footprint:
            stacks = found.setdefault(access.object, {})
            if stack and len(stacks) < _MOST_USES:
                stacks[stack] = None

    for step in trace.steps:
        used(step.thread, step.operation)
        done[step.thread] = done.get(step.thread, 0) + 1
    for thread, operation in trace.pending().items():
        used(thread, operation)
    return {identity: list(stacks) for identity, stacks in found.items()}


def family_of(stacks: Iterable[tuple[int, ...]], symbols: Symbols, owner: Callable[[SourceFrame], FrameOwner]) -> str:
    """`apr_queue_*`, `g_thread_new`, or `libuv` where its functions have no names; empty if only the program's own source uses it."""
    names: list[str] = []
    modules: list[str] = []
    for stack in stacks:
        library, standard = _inside(stack, symbols, owner)
        modules += [frame.module for frame in library[:1]]
        # Of a library, the function in which it happened; of the standard library, whose inside is many small functions, the one called.
        known = [frame.function for frame in library or reversed(standard) if frame.function]
        names += [name for name in known if not _WRAPPER.search(name)][:1]
    return _shared(names) if names else _library(modules)


def _inside(
    stack: tuple[int, ...], symbols: Symbols, owner: Callable[[SourceFrame], FrameOwner]
) -> tuple[list[SourceFrame], list[SourceFrame]]:
    """The innermost frames, up to the first one of the program's own source: of other libraries, of the standard library."""
    library: list[SourceFrame] = []
    standard: list[SourceFrame] = []
    for address in filter(None, stack):
        for frame in symbols.frames(address):
            match owner(frame):
                case FrameOwner.SOURCE:
                    return library, standard
                case FrameOwner.LIBRARY:
                    library.append(frame)
                case FrameOwner.STANDARD:
                    standard.append(frame)
    return library, []  # the standard library's own threads, and what runs before main, are nothing that the program calls


def _shared(names: list[str]) -> str:
    """The first name, cut to what it shares with the others; one that shares too little belongs to another part of the library."""
    words = _WORDS.findall(names[0])
    for name in names[1:]:
        common = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(words, _WORDS.findall(name), strict=False))]
        shared = [word for word in common if word[0] not in "_:"]
        if len(shared) >= _FEWEST_WORDS or len("".join(shared)) >= _FEWEST_LETTERS:
            words = common
    text = "".join(words)
    return text if text == names[0] else f"{text.rstrip('_:')}{'::' if '::' in text else '_'}*"


def _library(modules: list[str]) -> str:
    return os.path.basename(modules[0]).partition(".so")[0] if modules else ""
