"""What makes one open choice better than another: GAMBIT's priorities, and the text form of their combinations.

A priority gives a number, the smallest is taken first; `method:push,pb,random` compares by the first, then the second, ... What is still
equal is taken newest first, which is depth-first search. Priorities order the exploration and decide nothing else. Invariant: the same
choice has the same numbers in both engines (csrc/engine/open/rank.c).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bpor.errors import UsageError
from bpor.lazy_dataclass import dataclass
from bpor.model.mixing import MASK, scattered
from bpor.model.operation import Operation
from bpor.protocol import wire
from bpor.search.naming import Naming

GRAMMAR = "pb, dpor, sleep, random, method:NAME, var:NAME, separated by commas"
_PREEMPTIONS, _RACES, _SLEEP, _RANDOM, METHOD, VARIABLE = (
    wire.constant(f"BPOR_PRIORITY_{name}") for name in ("PREEMPTIONS", "RACES", "SLEEP", "RANDOM", "METHOD", "VARIABLE")
)
_MOST = 16  # priorities
_DEAREST = (1 << 16) - 1


@dataclass(frozen=True, slots=True)
class Choice:
    """A thread that could be run at a state of the tree, and did not run there yet."""

    price: int  # what the bound will have counted: preemptions, unless the bound counts something else
    raced: bool  # a race asks for this thread here
    sleeping: bool  # by plain sleep sets it would only repeat what was begun elsewhere
    operation: Operation | None  # what the thread would do
    left: Operation | None  # what the thread that ran last was about to do instead
    schedule: int = 0  # hash of the threads up to it


@dataclass(frozen=True, slots=True)
class Priority:
    number: int  # bpor_priority
    rank: Callable[[Choice], int]
    name: str = ""  # of a method or a variable


def fewest_preemptions(choice: Choice) -> int:
    return min(choice.price, _DEAREST)


def races_first(choice: Choice) -> int:
    return not choice.raced


def sleepers_last(choice: Choice) -> int:
    return choice.sleeping


def in_method(name: str, naming: Naming) -> Priority:
    """First the switches into or out of a function: either thread stands at a call made from there, or from what that called."""

    def rank(choice: Choice) -> int:
        operations = (operation for operation in (choice.operation, choice.left) if operation is not None)
        return not any(is_inside(stack_of(operation), name, naming) for operation in operations)

    return Priority(METHOD, rank, name)


def at_variable(name: str, naming: Naming) -> Priority:
    """First the switches around accesses of a variable (or mutex, ...), by the thread that is chosen or by the one that is left."""

    def rank(choice: Choice) -> int:
        operations = (operation for operation in (choice.operation, choice.left) if operation is not None)
        objects = {access.object for operation in operations for access in operation.footprint}
        return not any(is_part_of(naming.variable(identity), name) for identity in objects)

    return Priority(VARIABLE, rank, name)


def at_random(seed: int) -> Priority:
    """A function of the choice: it is the same in every run with this seed."""
    scattered_seed = scattered(seed & MASK)
    return Priority(_RANDOM, lambda choice: scattered(scattered_seed ^ choice.schedule) >> 32)


def parse_priorities(text: str, naming: Naming | None, seed: int) -> tuple[Priority, ...]:
    """The priorities of `method:push,pb,random`, the first counts most. Raises UsageError with the grammar."""
    priorities = tuple(_parse(word, naming, seed) for word in text.split(","))
    if len({(one.number, one.name) for one in priorities}) < len(priorities):
        raise UsageError(f"best-first: {text} has a priority twice, which changes nothing")
    if len(priorities) > _MOST:
        raise UsageError(f"best-first: at most {_MOST} priorities")
    return priorities


def _parse(word: str, naming: Naming | None, seed: int) -> Priority:
    kind, _, name = word.strip().partition(":")
    if kind in _PLAIN and not name:
        return _PLAIN[kind]
    if kind == "random" and not name:
        return at_random(seed)
    if kind in _NAMED and name:
        if naming is None:
            raise UsageError(f"best-first: {word} needs a program whose functions and variables have names")
        return _NAMED[kind](name, naming)
    raise UsageError(f"best-first: {word!r} is no priority; there are {GRAMMAR}")


_PLAIN: dict[str, Priority] = {
    "pb": Priority(_PREEMPTIONS, fewest_preemptions),
    "dpor": Priority(_RACES, races_first),
    "sleep": Priority(_SLEEP, sleepers_last),
}
_NAMED: dict[str, Callable[[str, Naming], Priority]] = {"method": in_method, "var": at_variable}


def marks_of_object(priorities: Sequence[Priority], identity: int, naming: Naming | None) -> int:
    """Which priorities look for an object: bit k for the k-th."""
    name = naming.variable(identity) if naming is not None else ""
    return sum(is_part_of(name, each.name) << index for index, each in enumerate(priorities) if each.number == VARIABLE)


def marks_of_stack(priorities: Sequence[Priority], stack: Sequence[int], naming: Naming | None) -> int:
    """Which priorities look for a stack of calls."""
    if naming is None:
        return 0
    return sum(is_inside(stack, each.name, naming) << index for index, each in enumerate(priorities) if each.number == METHOD)


def is_inside(stack: Sequence[int], name: str, naming: Naming) -> bool:
    """Is it called from a function of this name, at whatever distance?"""
    return any(is_called(function, name) for address in stack for function in naming.functions(address))


def stack_of(operation: Operation) -> tuple[int, ...]:
    return operation.stack or (operation.site,)


def is_called(function: str, name: str) -> bool:
    """`push` is `push`, `Stack::push` and `Stack<int>::push(int)`."""
    plain = function.partition("(")[0]
    return bool(plain) and (plain == name or plain.endswith("::" + name) or function == name)


def is_part_of(variable: str, name: str) -> bool:
    """`queue` is `queue`, `queue.head`, `queue[3]` and `queue+8`; `queue.head` is itself."""
    rest = variable.removeprefix(name)
    return bool(variable) and (variable == name or (rest != variable and rest[0] in ".[+#"))
