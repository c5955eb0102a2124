"""The programs whose numbers of traces and runs are known: from the papers and from other checkers. Everything starts at 0."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any

from bpor.simulate.action import Action
from bpor.simulate.memory import cas, read, rmw, write
from bpor.simulate.mutex import lock, unlock
from bpor.simulate.notation import parse
from bpor.simulate.program import Program, program
from bpor.simulate.thread import yield_

Code = Generator[Action, Any, None]


def figure_1() -> Program:
    """BPOR 2013, Figure 1."""
    return parse("Wa; Wx | Wx")


def readers_and_writer(readers: int) -> Program:
    return parse(" | ".join(["Wx"] + ["Rx"] * readers))


def lost_update(threads: int) -> Program:
    def body() -> Code:
        for _ in range(2):
            value = yield read("x")
            yield write("x", value + 1)

    return program(f"lost update {threads}", [partial(body) for _ in range(threads)])


def mutex_counter(threads: int) -> Program:
    def body() -> Code:
        for _ in range(2):
            yield lock()
            value = yield read("x")
            yield write("x", value + 1)
            yield unlock()

    return program(f"mutex counter {threads}", [partial(body) for _ in range(threads)])


def locked_increments(threads: int) -> Program:
    return parse(" | ".join(["lock; RMWx; unlock"] * threads))


def philosophers(count: int, ordered: bool = False) -> Program:
    """Each takes the left fork, then the right one; `ordered`: the lower number first, which cannot deadlock."""

    def body(left: int) -> Code:
        right = (left + 1) % count
        first, second = (min(left, right), max(left, right)) if ordered else (left, right)
        yield lock(f"f{first}")
        yield lock(f"f{second}")
        yield unlock(f"f{second}")
        yield unlock(f"f{first}")

    return program(f"philosophers {count}{' ordered' if ordered else ''}", [partial(body, each) for each in range(count)])


def last_zero(writers: int) -> Program:
    def reader() -> Code:
        for index in range(writers, 0, -1):
            if (yield read(f"a{index}")) == 0:
                return
        yield read("a0")

    def writer(index: int) -> Code:
        value = yield read(f"a{index - 1}")
        yield write(f"a{index}", value + 1)

    return program(f"lastzero {writers}", [reader, *(partial(writer, index) for index in range(1, writers + 1))])


def work_stealing_queue(puts: int, takes: int, steals: int) -> Program:
    def owner() -> Code:
        for index in range(puts):
            yield write(f"q{index}", index + 1)
            yield write("T", index + 1)
        for index in range(takes):
            yield write("T", puts - index - 1)
            if (yield read("H")) != 0:
                yield lock()
                yield read("H")
                yield write("T", puts - index)
                yield unlock()
            yield read(f"q{index}")

    def thief() -> Code:
        for index in range(steals):
            yield lock()
            yield rmw("H")
            if (yield read("T")) == 0:
                yield write("H", 0)
            else:
                yield read(f"q{index}")
            yield unlock()

    return program(f"WSQ({puts},{takes},{steals})", [owner, thief])


def indexer(threads: int, messages: int = 4, table: int = 128) -> Program:
    """Each thread puts its messages into a hash table; up to 11 threads never collide. (Flanagan and Godefroid 2005.)"""

    def body(number: int) -> Code:
        for message in range(1, messages + 1):
            word = 11 * message + number
            slot = 7 * word % table
            for attempt in range(4):
                # Each attempt looks at another slot: it polls nothing, so each has its own call site.
                if (yield cas(f"t{slot}", 0, word).at(1 + 4 * message + attempt)) == 0:
                    break
                slot = (slot + 1) % table

    return program(f"indexer {threads}", [partial(body, number) for number in range(threads)])


def file_system(threads: int) -> Program:
    """Inodes that are given disk blocks; up to 13 threads touch different ones. (Flanagan and Godefroid 2005.)"""

    def body(number: int) -> Code:
        inode = number % 32
        yield lock(f"I{inode}")
        if (yield read(f"i{inode}")) == 0:
            block = inode * 2 % 26
            for _ in range(3):
                yield lock(f"B{block}")
                if (yield read(f"b{block}")) == 0:
                    yield write(f"b{block}", 1)
                    yield write(f"i{inode}", block + 1)
                    yield unlock(f"B{block}")
                    break
                yield unlock(f"B{block}")
                block = (block + 1) % 26
        yield unlock(f"I{inode}")

    return program(f"file system {threads}", [partial(body, number) for number in range(threads)])


def spinners(threads: int = 3) -> Program:
    """Each sets its flag and waits for its neighbour's, yielding. Endless without a fair bound."""

    def body(number: int) -> Code:
        yield write(f"v{number}", 1)
        while (yield read(f"v{(number + 1) % threads}")) == 0:
            yield yield_()

    return program(f"{threads} spinners", [partial(body, number) for number in range(threads)])
