"""A compact notation: `parse("Wx; lock; unlock; Rx | Wx; lock")` is a program of two threads.

Threads are separated by |, operations by ; and words by blanks, commas or parentheses. `last` is the value the thread observed last.
    R x   W x   W x 0   RMW x   CAS x          memory (a plain W and CAS write a value of their own, never 0; RMW adds 1)
    SWAP x   SWAP x 0   CAS x 0 2              likewise (CAS expects 0 unless it is told what, and writes what it is told then)
    R x.acq   W x.rel 1   CAS x.ar.rlx         with a memory order: rlx acq rel ar sc (default); of a CAS that fails, after a second dot
    fence   fence.rel                          of that order
    lock  unlock  trylock  timedlock           [mutex, default m]
    rdlock wrlock tryrdlock trywrlock timedrdlock timedwrlock rdunlock wrunlock      [rwlock, default l]
    wait  timedwait                            [condition, default c] [mutex, default m]
    signal  broadcast                          [condition]
    sem_wait  sem_timedwait  sem_trywait  post [semaphore, default s]
    barrier                                    [name, default b] [parties, default 2]
    yield  sleep  pause                        (pause: a yield in straight-line code, which the fair bound counts and lets pass)
    choose n                                   any number below n
    assume                                     goes on only if last is true or nonzero; else the execution says nothing
    fault [kind, default malloc]               a call that may fail: 1 if it does, as often as Semantics.faults says
    exit [code]  spawn n  join n               (threads count from 0; one that is spawned is not there at the start,
                                               and only its creator may join it)
    if OP      OP if last is true or nonzero   unless OP   OP if it is not
    while OP   OP again as long as last is so  until OP    OP, with a yield after each, until last is true
    assert     fails if last is true or nonzero    refute   fails if it is not
    leave      at the end of thread 0: it is the main thread and leaves by pthread_exit, the last thread to end ends the process
    3*OP       OP three times
Each operation has its own call site; the repetitions of `while` and `until` share one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from typing import Any

from bpor.lazy_dataclass import dataclass, field
from bpor.simulate import barrier, condition, memory, mutex, rwlock, semaphore, thread
from bpor.simulate.action import Action
from bpor.simulate.condition import Woken
from bpor.simulate.program import Program
from bpor.simulate.unroll import Body
from bpor.simulate.weak.order import Order

_ATTACHED = re.compile(r"(RMW|CAS|SWAP|R|W)([a-z]\w*)")  # Wx is W x
_LEAVES = re.compile(r"(^|;)\s*leave\s*$")
_REPEATED = re.compile(r"(\d+)\s*[*]\s*(.+)")

_MAKERS: dict[str, Callable[..., Action]] = {
    "lock": mutex.lock,
    "unlock": mutex.unlock,
    "trylock": mutex.trylock,
    "timedlock": mutex.timedlock,
    "rdlock": rwlock.rdlock,
    "wrlock": rwlock.wrlock,
    "tryrdlock": rwlock.tryrdlock,
    "trywrlock": rwlock.trywrlock,
    "timedrdlock": rwlock.timedrdlock,
    "timedwrlock": rwlock.timedwrlock,
    "rdunlock": rwlock.rdunlock,
    "wrunlock": rwlock.wrunlock,
    "wait": condition.wait,
    "timedwait": condition.timedwait,
    "signal": condition.signal,
    "broadcast": condition.broadcast,
    "sem_wait": semaphore.sem_wait,
    "sem_timedwait": semaphore.sem_timedwait,
    "sem_trywait": semaphore.sem_trywait,
    "post": semaphore.post,
    "yield": thread.yield_,
    "sleep": thread.sleep,
    "pause": thread.pause,
}
_CONTROL = {"if", "unless", "while", "until"}
_MEMORY = ("R", "W", "RMW", "SWAP", "CAS")
_OTHERS = ("fence", "choose", "assume", "fault")


def _true(last: Any) -> bool:
    return last is Woken.SIGNALLED if isinstance(last, Woken) else bool(last)


def make_action(verb: str, arguments: Sequence[str], site: int) -> Action:
    """What a word of the notation asks for; `site` is also the value that a plain W or CAS writes."""
    if verb in _MEMORY:
        return _access(verb, arguments, site)
    if verb.partition(".")[0] == "fence":
        return memory.fence(*map(Order.named, verb.split(".")[1:]))
    if verb == "choose":
        return thread.choose(int(arguments[0]))
    if verb == "fault":
        return thread.fault(arguments[0] if arguments else "malloc")
    if verb == "exit":
        return thread.exit_process(int(arguments[0]) if arguments else 0)
    if verb == "barrier":
        return barrier.barrier_wait(arguments[0] if arguments else "b", int(arguments[1]) if len(arguments) > 1 else 2)
    return _MAKERS[verb](*arguments)


def _access(verb: str, arguments: Sequence[str], site: int) -> Action:
    variable, *names = arguments[0].split(".")
    orders, values = tuple(map(Order.named, names)), tuple(map(int, arguments[1:]))
    if verb == "R":
        return memory.read(variable, *orders)
    if verb == "RMW":
        return memory.rmw(variable, memory.increased, *orders)
    if verb == "CAS":
        expected, desired = values if values else (0, site)
        return memory.cas(variable, expected, desired, *orders)
    value = values[0] if values else site
    return memory.write(variable, value, *orders) if verb == "W" else memory.rmw(variable, lambda old: value, *orders)


@dataclass(slots=True)
class _Registers:
    """What a running thread remembers."""

    last: Any = 0
    spawned: dict[int, tuple[int, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class _Threads:
    """The program's threads by their number in the text."""

    bodies: list[Body] = field(default_factory=list)
    live: dict[int, tuple[int, ...]] = field(default_factory=dict)  # paths of those that are there at the start


Code = Generator[Action, Any, None]


@dataclass(frozen=True, slots=True)
class NotedOperation:
    """One operation of the notation. `site` also makes the values it writes its own."""

    words: tuple[str, ...]
    site: int
    threads: _Threads

    def run(self, registers: _Registers) -> Code:
        verb, *arguments = self.words
        if verb in _CONTROL:
            yield from self._control(verb, registers)
        elif verb == "assert":
            assert not _true(registers.last), f"last is {registers.last}"
        elif verb == "refute":
            assert _true(registers.last), f"last is {registers.last}"
        elif verb == "assume":
            if not _true(registers.last):
                yield thread.assume_false().at(self.site)
        elif verb == "spawn":
            registers.spawned[int(arguments[0])] = yield thread.spawn(self.threads.bodies[int(arguments[0])]).at(self.site)
        elif verb == "join":
            number = int(arguments[0])
            yield thread.join(registers.spawned.get(number) or self.threads.live[number]).at(self.site)
        else:
            observed = yield make_action(verb, arguments, self.site).at(self.site)
            if observed is not None:
                registers.last = observed

    def _control(self, verb: str, registers: _Registers) -> Code:
        inner = NotedOperation(self.words[1:], self.site, self.threads)
        if verb in ("if", "unless"):
            if _true(registers.last) == (verb == "if"):
                yield from inner.run(registers)
        elif verb == "while":
            while _true(registers.last):
                yield from inner.run(registers)
        else:
            while True:
                yield from inner.run(registers)
                if _true(registers.last):
                    break
                yield thread.yield_().at(self.site)


def _words(text: str) -> tuple[str, ...]:
    """Raises ValueError if the operation is not one of the notation."""
    words = tuple(_ATTACHED.sub(r"\1 \2", text).replace("(", " ").replace(")", " ").replace(",", " ").split())
    verb = next((word for word in words if word not in _CONTROL), "")
    if verb not in _MAKERS and verb.partition(".")[0] not in (*_MEMORY, *_OTHERS, "exit", "barrier", "spawn", "join", "assert", "refute"):
        raise ValueError(f"{text!r}: {verb!r} is no operation")
    return words


def _operations(text: str) -> list[tuple[str, ...]]:
    operations: list[tuple[str, ...]] = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        repeated = _REPEATED.fullmatch(part)
        operations += [_words(repeated[2])] * int(repeated[1]) if repeated else [_words(part)]
    return operations


def _body(operations: list[NotedOperation]) -> Body:
    def body() -> Code:
        registers = _Registers()
        for operation in operations:
            yield from operation.run(registers)

    return body


def parse(text: str, **semaphores: int) -> Program:
    """The program that the text describes; keyword arguments are initial counts of semaphores."""
    threads = _Threads()
    spawned: set[int] = set()
    first, bar, rest = text.partition("|")
    leaves = _LEAVES.search(first) is not None
    for number, part in enumerate((_LEAVES.sub("", first) + bar + rest).split("|")):
        operations = [NotedOperation(words, 1 + 64 * number + index, threads) for index, words in enumerate(_operations(part))]
        threads.bodies.append(_body(operations))
        spawned |= {int(operation.words[1]) for operation in operations if operation.words[0] == "spawn"}
    live = [number for number in range(len(threads.bodies)) if number not in spawned]
    threads.live.update({number: (position,) for position, number in enumerate(live)})
    return Program(text, tuple(threads.bodies[number] for number in live), semaphores=semaphores, leaves=leaves)
