"""What makes one open choice better than another: GAMBIT's priorities, and the text form of their combinations.

A priority gives a number, the smallest is taken first; `method:push,pb,random` compares by the first, then the second, ... What is still
equal is taken newest first, which is depth-first search. Priorities order the exploration and decide nothing else.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bpor.errors import UsageError
from bpor.model.operation import Operation
from bpor.search.naming import Naming

GRAMMAR = "pb, dpor, sleep, random, method:NAME, var:NAME, separated by commas"


@dataclass(frozen=True, slots=True)
class Choice:
    """A thread that could be run at a state of the tree, and did not run there yet."""

    price: int  # what the bound will have counted: preemptions, unless the bound counts something else
    raced: bool  # a race asks for this thread here
    sleeping: bool  # by plain sleep sets it would only repeat what was begun elsewhere
    operation: Operation | None  # what the thread would do
    left: Operation | None  # what the thread that ran last was about to do instead


Priority = Callable[[Choice], float]


def fewest_preemptions(choice: Choice) -> float:
    return choice.price


def races_first(choice: Choice) -> float:
    return not choice.raced


def sleepers_last(choice: Choice) -> float:
    return choice.sleeping


def in_method(name: str, naming: Naming) -> Priority:
    """First the switches into or out of a function: either thread stands at a call made from there."""

    def priority(choice: Choice) -> float:
        sites = (operation.site for operation in (choice.operation, choice.left) if operation is not None)
        return not any(is_called(naming.function(site), name) for site in sites)

    return priority


def at_variable(name: str, naming: Naming) -> Priority:
    """First the switches around accesses of a variable (or mutex, ...), by the thread that is chosen or by the one that is left."""

    def priority(choice: Choice) -> float:
        operations = (operation for operation in (choice.operation, choice.left) if operation is not None)
        objects = {access.object for operation in operations for access in operation.footprint}
        return not any(is_part_of(naming.variable(identity), name) for identity in objects)

    return priority


class AtRandom:
    def __init__(self, seed: int) -> None:
        self.generator = random.Random(seed)

    def __call__(self, choice: Choice) -> float:
        return self.generator.random()


def save_priority(priority: Priority) -> Any:
    """What it goes on with in a later process."""
    return priority.generator.getstate() if isinstance(priority, AtRandom) else None


def load_priority(priority: Priority, saved: Any) -> None:
    if isinstance(priority, AtRandom):
        priority.generator.setstate(saved)


def parse_priorities(text: str, naming: Naming | None, seed: int) -> tuple[Priority, ...]:
    """The priorities of `method:push,pb,random`, the first counts most. Raises UsageError with the grammar."""
    return tuple(_parse(word, naming, seed) for word in text.split(","))


def _parse(word: str, naming: Naming | None, seed: int) -> Priority:
    kind, _, name = word.strip().partition(":")
    if kind in _PLAIN and not name:
        return _PLAIN[kind]
    if kind == "random" and not name:
        return AtRandom(seed)
    if kind in _NAMED and name:
        if naming is None:
            raise UsageError(f"best-first: {word} needs a program whose functions and variables have names")
        return _NAMED[kind](name, naming)
    raise UsageError(f"best-first: {word!r} is no priority; there are {GRAMMAR}")


_PLAIN: dict[str, Priority] = {"pb": fewest_preemptions, "dpor": races_first, "sleep": sleepers_last}
_NAMED: dict[str, Callable[[str, Naming], Priority]] = {"method": in_method, "var": at_variable}


def is_called(function: str, name: str) -> bool:
    """`push` is `push`, `Stack::push` and `Stack<int>::push(int)`."""
    plain = function.partition("(")[0]
    return bool(plain) and (plain == name or plain.endswith("::" + name) or function == name)


def is_part_of(variable: str, name: str) -> bool:
    """`queue` is `queue`, `queue.head`, `queue[3]` and `queue+8`; `queue.head` is itself."""
    rest = variable.removeprefix(name)
    return bool(variable) and (variable == name or (rest != variable and rest[0] in ".[+#"))
