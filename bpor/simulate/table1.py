"""Programs of the table in "Cartesian Partial-Order Reduction" (2007) whose text is not public. They are reconstructions: of shared_pointer
the outline is known from a test of another checker (Concuerror) that names the paper; of the array and the robots only the name is.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any

from bpor.simulate.action import Action
from bpor.simulate.memory import cas, read, write
from bpor.simulate.program import Program, program

Code = Generator[Action, Any, None]


def shared_pointer(rounds: int = 25) -> Program:
    """Each points p at a variable, adds the other one up many times in a counter of its own, then adds to whatever p points at by then."""

    def body(aim: str, other: str, counter: str, amount: int) -> Code:
        yield write("p", aim)
        for _ in range(rounds):
            total = yield read(counter)
            summand = yield read(other)
            yield write(counter, total + summand)
        target = yield read("p")
        value = yield read(target)
        yield write(target, value + amount)
        x = yield read("x")
        y = yield read("y")
        assert min(x, y) >= 3 and max(x, y) <= 9

    threads = (partial(body, "y", "x", "c1", 3), partial(body, "x", "y", "c2", 2))
    return Program("shared pointer", threads, variables={"x": 3, "y": 4})


def shared_array(threads: int = 3, cells: int = 12) -> Program:
    """Each changes the cells of an array that a table gives it, which nobody else has, then looks at the first one of its neighbour."""

    def body(number: int) -> Code:
        for entry in range(number, cells, threads):
            cell = yield read(f"i{entry}")
            value = yield read(f"a{cell}")
            yield write(f"a{cell}", value + 1)
        cell = yield read(f"i{(number + 1) % threads}")
        yield read(f"a{cell}")

    table = {f"i{entry}": (5 * entry + 1) % cells for entry in range(cells)}
    return Program("shared array", tuple(partial(body, number) for number in range(threads)), variables=table)


def robots(count: int, length: int = 5) -> Program:
    """Robots that walk up and down a lane each, for ever, on a board where lanes cross. Each takes the field before it, then leaves its own
    and turns round where a field is taken or the lane ends. Finitely many states, and executions without end."""
    lanes = [[f"f{x}1" for x in range(length)], [f"f1{y}" for y in range(length)], [f"f3{y}" for y in range(length)]]

    def body(lane: int) -> Code:
        place, ahead = 0, 1
        yield write(lanes[lane][0], lane + 1)
        while True:
            if 0 <= place + ahead < length and (yield cas(lanes[lane][place + ahead], 0, lane + 1)) == 0:
                yield write(lanes[lane][place], 0)
                place += ahead
            else:
                ahead = -ahead

    return program(f"robots {count}", [partial(body, lane) for lane in range(count)])
