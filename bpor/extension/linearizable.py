"""The oracle of linearizable(): what every serial order of some operations gives, each order in a process of its own.

A fresh process for each, so that what an extension sets up at its first use is set up in each of them. Results cross as pickles; an
exception is a result: its type and its text.
"""

from __future__ import annotations

import contextlib
import itertools
import pickle
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from bpor.extension.copies import answer_of, answer_unless_it_waits
from bpor.lazy_dataclass import dataclass

MOST_OPERATIONS = 6  # 720 orders

_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")  # of an object, in a text: not the same in another process

Operation = Callable[[Any], Any]


class NotLinearizable(AssertionError):
    """The results are those of no serial order."""


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception as a result."""

    kind: str
    text: str

    def __repr__(self) -> str:
        return f"raises {self.kind}({self.text!r})" if self.text else f"raises {self.kind}"


@dataclass(frozen=True, slots=True)
class CallHistory:
    """What came of the operations, in the order in which they were given, and what an observer saw afterwards."""

    results: tuple[Any, ...]
    observed: Any = None

    def parts(self) -> tuple[Any, ...]:
        return *self.results, self.observed

    def like(self, other: CallHistory) -> int:
        return sum(_same(mine, theirs) for mine, theirs in zip(self.parts(), other.parts(), strict=True))


@dataclass(frozen=True, slots=True)
class Serial:
    order: tuple[int, ...]
    history: CallHistory


def attempt(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except Exception as error:
        return Raised(type(error).__name__, _ADDRESS.sub("0x…", str(error)))


def serial_histories(make: Callable[[], Any], operations: Sequence[Operation], observe: Operation | None) -> list[Serial]:
    """An order that waits for another operation never ends, and is no order. Raises RuntimeError if none ends, or one cannot tell its
    results."""
    if not 2 <= len(operations) <= MOST_OPERATIONS:
        raise ValueError(f"linearizable() takes 2 to {MOST_OPERATIONS} operations, not {len(operations)}")
    found = answer_of(partial(_every_order, make, operations, observe))
    if not found:
        raise RuntimeError("no serial order of the operations came to an end: each waits for something")
    return found


def _every_order(make: Callable[[], Any], operations: Sequence[Operation], observe: Operation | None) -> list[Serial]:
    orders = list(itertools.permutations(range(len(operations))))
    histories = [answer_unless_it_waits(partial(_run, make, operations, observe, order)) for order in orders]
    return [Serial(order, history) for order, history in zip(orders, histories, strict=True) if history is not None]


def _run(make: Callable[[], Any], operations: Sequence[Operation], observe: Operation | None, order: Sequence[int]) -> CallHistory:
    subject = make()
    results: list[Any] = [None] * len(operations)
    for number in order:
        results[number] = attempt(partial(operations[number], subject))
    return CallHistory(tuple(results), attempt(partial(observe, subject)) if observe is not None else None)


def judge(history: CallHistory, serial: Sequence[Serial], names: Sequence[str], observes: bool) -> None:
    """Raises NotLinearizable."""
    __tracebackhide__ = True
    best = max(serial, key=lambda one: one.history.like(history))
    if best.history.like(history) == len(history.parts()):
        return
    order = ", ".join(names[number] for number in best.order)
    raise NotLinearizable(
        f"{_told(history, names, observes)}; no serial order of {len(serial)} gives that\n"
        f"nearest serial order: {order}, which gives {_told(best.history, names, observes)}"
    )


def names_of(operations: Sequence[Operation]) -> tuple[str, ...]:
    """By what they are called; those without a name of their own, or with the same, by their number."""
    plain = [getattr(operation, "__name__", "<lambda>") for operation in operations]
    return tuple(
        f"operation {number}" if name == "<lambda>" else name if plain.count(name) == 1 else f"{name} {number}"
        for number, name in enumerate(plain, 1)
    )


def _told(history: CallHistory, names: Sequence[str], observes: bool) -> str:
    parts = [f"{name} {_result(result)}" for name, result in zip(names, history.results, strict=True)]
    return ", ".join([*parts, *([f"observed {history.observed!r}"] if observes else [])])


def _result(result: Any) -> str:
    return repr(result) if isinstance(result, Raised) else f"returns {result!r}"


def _same(one: Any, other: Any) -> bool:
    """Equal, or of the same content: NaN, and objects that compare by identity, are equal to no copy of theirs; arrays compare element by
    element. Texts come first: they can be had of a list that an extension has left with nothing in it, and pickles cannot."""
    with contextlib.suppress(Exception):
        if bool(one == other):
            return True
    with contextlib.suppress(Exception):
        return _text(one) == _text(other) and pickle.dumps(one) == pickle.dumps(other)
    return False


def _text(value: object) -> str:
    return _ADDRESS.sub("0x…", repr(value))
