"""Can a thread leave a function, or come to a call in it, without a scheduling point on the way? Read off the function's instructions.

Invariant: a path is denied only where no sequence of its instructions is one; what cannot be read (an indirect jump, a part of the function
that lies elsewhere, no objdump) may go anywhere.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache

from bpor.errors import UsageError
from bpor.lazy_dataclass import dataclass
from bpor.report.symbols import load

_LINE = re.compile(r"\s*([0-9a-f]+):\t(?:notrack |bnd )*(\S+)\s*(.*)")
_TARGET = re.compile(r"([0-9a-f]+)\b")
# Calls that are a scheduling point whatever happens in them.
_OPERATIONS = re.compile(
    r"<(?:pthread_(?:mutex_(?:lock|unlock|trylock|timedlock)|cond_(?:wait|timedwait|signal|broadcast)|rwlock_(?:rdlock|wrlock|unlock)"
    r"|spin_(?:lock|unlock)|barrier_wait|create|join)|sem_(?:wait|post|trywait))(?:@|>)"
)
_ENDS = ("ret", "hlt", "ud2")


@dataclass(frozen=True, slots=True)
class Instruction:
    following: tuple[int, ...]  # addresses it may go on at
    leaves: bool = False  # the function, when it is through
    operation: bool = False  # a call that is a scheduling point: no path goes through it
    calls: int | None = None  # the function of the same file that it calls


class Paths:
    """Of one function."""

    def __init__(self, path: str, limits: tuple[int, int]) -> None:
        self._path, self._entry = path, limits[0]
        self._code = instructions(path, *limits)
        self._addresses = sorted(self._code)

    def _goes_on(self, instruction: Instruction) -> tuple[int, ...]:
        """Without a scheduling point."""
        stops = instruction.operation or (instruction.calls is not None and always_operates(self._path, instruction.calls))
        return () if stops else instruction.following

    def can_leave(self, at: int) -> bool:
        """From a return address."""
        seen, waiting = {at}, [at]
        while waiting:
            address = waiting.pop()
            instruction = self._code.get(address)
            if instruction is None or instruction.leaves:
                return True
            waiting += [next for next in self._goes_on(instruction) if next not in seen]
            seen.update(waiting)
        return False

    def can_enter(self, at: int) -> bool:
        """From its begin to the call that returns to this address."""
        call = max((address for address in self._addresses if address < at), default=None)
        if call is None or at not in {*self._addresses, self._end(call)}:
            return True
        seen, waiting = {self._entry}, [self._entry]
        while waiting:
            address = waiting.pop()
            if address == call:
                return True
            instruction = self._code.get(address)
            if instruction is not None:
                waiting += [next for next in self._goes_on(instruction) if next not in seen]
                seen.update(waiting)
        return False

    def _end(self, call: int) -> int | None:
        """The address behind the last instruction is no instruction of the function."""
        return next(iter(self._code[call].following), None)


def require_objdump() -> None:
    if shutil.which("objdump") is None:
        raise UsageError("--seal needs objdump (binutils), to tell one call of a sealed function from the next")


_looking: set[tuple[str, int]] = set()


@cache
def always_operates(path: str, address: int) -> bool:
    """Does every way through the function at an address pass a scheduling point? One that calls itself: it may not."""
    limits = function_at(path, address)
    if limits is None or limits[0] != address or (path, address) in _looking:
        return False
    _looking.add((path, address))
    try:
        return not Paths(path, limits).can_leave(address)
    finally:
        _looking.discard((path, address))


@cache
def function_at(path: str, address: int) -> tuple[int, int] | None:
    """Where the function around an address begins and ends; None: nobody knows."""
    module = load(path)
    symbol = module.image.symbol_at(address) if module is not None else None
    if symbol is None or not symbol.is_function or symbol.size == 0:
        return None
    return symbol.address, symbol.address + symbol.size


@cache
def instructions(path: str, begin: int, end: int) -> dict[int, Instruction]:
    command = ["objdump", "-d", "--no-show-raw-insn", f"--start-address={begin:#x}", f"--stop-address={end:#x}", path]
    run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    found = [match for line in run.stdout.splitlines() if (match := _LINE.fullmatch(line))]
    rows = [(int(match[1], 16), match[2], match[3]) for match in found]
    every = tuple(address for address, _, _ in rows)
    behind = [*every[1:], end]
    return {address: _instruction(word, rest, next, every) for (address, word, rest), next in zip(rows, behind, strict=True)}


def _instruction(word: str, rest: str, following: int, every: Iterable[int]) -> Instruction:
    if word.startswith(_ENDS):
        return Instruction((), leaves=True)
    if not word.startswith(("j", "loop", "xbegin")):
        called = _TARGET.match(rest) if word.startswith("call") else None
        operates = word.startswith("call") and _OPERATIONS.search(rest) is not None
        return Instruction((following,), operation=operates, calls=int(called[1], 16) if called is not None else None)
    onward = () if word.startswith("jmp") else (following,)
    target = _TARGET.match(rest)
    if target is None:  # indirect
        return Instruction((*every, *onward), leaves=True)
    place = int(target[1], 16)
    return Instruction((place, *onward)) if place in set(every) else Instruction(onward, leaves=True)
