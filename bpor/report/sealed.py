"""--seal: which code is trusted to be atomic, by function, source file or object file, and whether a thread is still inside one call of it.

A thread is in trusted code while a frame of its stack is; the outermost such frame is the call that is atomic (see `_outermost`). Between
two calls of trusted code the thread leaves it, and may be preempted. Whether it left is not seen: two operations are of one call if its
callers are the same and no path through the code leads out of it and in again without another operation.
Invariant: where that is not certain (a loop inside a sealed function that is called in a loop) the thread counts as having
left, so no schedule is lost. A function that was inlined is not sealed: two of its calls in a row may be one piece of code.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from fnmatch import fnmatchcase

from bpor.model.operation import Operation
from bpor.model.trace import Description
from bpor.report.code_paths import Paths, function_at, require_objdump
from bpor.report.symbols import Symbols
from bpor.target.census import is_system

MOST_FRAMES = 64  # of a stack (csrc/protocol/protocol.h): a longer one is not known to its end


class SealedSites:
    """An answer to `options.sealed`, once the program runs."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        require_objdump()
        self._patterns = patterns
        self._describe: Callable[[], Description] | None = None
        self._symbols: Symbols | None = None
        self._known: dict[tuple[Operation, Operation], bool] = {}
        self._paths: dict[int, Paths | None] = {}
        self.names: dict[str, None] = {}  # what was sealed

    def attach(self, describe: Callable[[], Description]) -> None:
        self._describe, self._symbols = describe, None
        self._known.clear()
        self._paths.clear()

    def __call__(self, done: Operation, following: Operation) -> bool:
        key = (done, following)
        if key not in self._known:
            self._known[key] = self._stays(_calls(done), _calls(following))
        return self._known[key]

    def _stays(self, one: tuple[int, ...], two: tuple[int, ...]) -> bool:
        """From one operation to the next, by their return addresses, innermost first."""
        first, second = self._outermost(one), self._outermost(two)
        if first is None or second is None or one[first + 1 :] != two[second + 1 :] or self._place(one[first]) != self._place(two[second]):
            return False
        left = all(self._can_leave(address) for address in one[: first + 1])
        entered = all(self._can_enter(address) for address in two[: second + 1])
        return not (left and entered)

    def _outermost(self, stack: tuple[int, ...]) -> int | None:
        """A function is trusted with all that it calls; a file or a library for what it does itself, not for callbacks it makes, such
        as the tests that a test framework calls. The system's libraries call every thread."""
        found, itself = None, True
        for index, address in enumerate(stack):
            frame = self._table().frames(address)[-1]
            file, module = os.path.basename(frame.file), os.path.basename(frame.module)
            ours = not is_system(module)
            function = ours and self._names(frame.function)
            itself = itself and ours and (function or self._names(file) or self._names(module))
            found = index if function or itself else found
        return found

    def _names(self, name: str) -> bool:
        if name and any(fnmatchcase(name, pattern) for pattern in self._patterns):
            self.names[name] = None
            return True
        return False

    @property
    def idle(self) -> tuple[str, ...]:
        """Patterns of which nothing was ever on a stack."""
        return tuple(pattern for pattern in self._patterns if not any(fnmatchcase(name, pattern) for name in self.names))

    def _place(self, address: int) -> object:
        path, relative = self._table().relative(address)
        return path, function_at(path, relative - 1)

    def _can_leave(self, address: int) -> bool:
        paths = self._paths_at(address)
        return paths is None or paths.can_leave(self._table().relative(address)[1])

    def _can_enter(self, address: int) -> bool:
        paths = self._paths_at(address)
        return paths is None or paths.can_enter(self._table().relative(address)[1])

    def _paths_at(self, address: int) -> Paths | None:
        """None: its code is not known."""
        if address not in self._paths:
            path, relative = self._table().relative(address)
            limits = function_at(path, relative - 1)
            self._paths[address] = None if limits is None else Paths(path, limits)
        return self._paths[address]

    def _table(self) -> Symbols:
        if self._symbols is None:
            assert self._describe is not None
            self._symbols = Symbols(self._describe().modules)
        return self._symbols


def _calls(operation: Operation) -> tuple[int, ...]:
    """The stack from the call that the operation is; empty: it is not known to its end."""
    stack = operation.stack
    return stack[stack.index(operation.site) :] if operation.site in stack and len(stack) < MOST_FRAMES else ()
