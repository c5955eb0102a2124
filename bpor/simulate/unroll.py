"""Thread code as a tree: a node is a thread that has observed certain values and will do `action` next.

A generator cannot be copied, but its code is a function of the values it was sent. So each body is unrolled once into a tree that all
executions share: a step is a dictionary look-up, a world can be copied, and a node *is* the history of values its thread observed.
Invariant: a body communicates through the actions it yields and through nothing else.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Generator, Hashable
from functools import cache
from types import CodeType
from typing import Any

from bpor.model.operation import Operation
from bpor.simulate.action import Action
from bpor.simulate.place import place_of

Body = Callable[[], Generator[Action, Any, None]]

_numbers = itertools.count()


@cache
def _code_number(code: CodeType) -> int:
    return zlib.crc32(f"{code.co_filename}:{code.co_qualname}:{code.co_firstlineno}".encode()) & 0x7FFFFFFF


def _site(generator: Generator[Action, Any, None]) -> int:
    """Where the innermost generator stands."""
    inner: Any = generator
    while getattr(inner, "gi_yieldfrom", None) is not None:
        inner = inner.gi_yieldfrom
    instruction: int = inner.gi_frame.f_lasti
    return _code_number(inner.gi_code) << 16 | instruction


class UnrolledNode:
    """`action` is None when the thread has ended; `failure` says why if its code failed."""

    __slots__ = (
        "action", "body", "children", "failure", "generator", "number", "operation", "operation_hash", "parent", "place_known", "sent",
    )  # fmt: skip

    def __init__(
        self, body: Body, parent: UnrolledNode | None, sent: Hashable, action: Action | None, failure: str = "", site: int = 0
    ) -> None:
        self.body = body
        self.parent = parent
        self.sent = sent  # what the parent's action made the thread observe
        self.action = action
        self.failure = failure
        self.number = next(_numbers)
        self.place_known: Hashable = None
        self.children: dict[Hashable, UnrolledNode] = {}
        self.generator: Generator[Action, Any, None] | None = None
        self.operation = (
            Operation(action.kind, action.footprint, None, action.site or site, action.order, action.timed) if action is not None else None
        )
        self.operation_hash = hash((action.kind.number, action.footprint)) if action is not None else 0

    @property
    def place(self) -> Hashable:
        """Where the code stands and what its variables hold; equal for nodes that do the same from here on."""
        if self.place_known is None:
            self.place_known = self._look()
        return self.place_known

    def _look(self) -> Hashable:
        if self.sent is _NOTHING and self.parent is not None and self.action is not None:
            return self.parent.place, self.action.key()
        if self.action is None:
            return "ended", self.failure
        generator = self.generator if self.generator is not None else self._replayed()
        self.generator = generator
        return place_of(generator)

    def observe(self, value: Hashable) -> UnrolledNode:
        """The thread after its action gave it `value`."""
        child = self.children.get(value)
        if child is None:
            child = self.children[value] = self._send(value)
        return child

    def follow(self, second: Action) -> UnrolledNode:
        """The thread between the two steps of one call (or between the return of main and the end of the process)."""
        key = (Action, second.key())
        child = self.children.get(key)
        if child is None:
            child = self.children[key] = UnrolledNode(self.body, self, _NOTHING, second, site=self.operation.site if self.operation else 0)
            child.generator, self.generator = self.generator, None
        return child

    def over(self) -> UnrolledNode:
        """The thread after its end, where that is a step."""
        child = self.children.get(_NOTHING)
        if child is None:
            child = self.children[_NOTHING] = UnrolledNode(self.body, self, _NOTHING, None)
        return child

    def _send(self, value: Hashable) -> UnrolledNode:
        generator = self.generator if self.generator is not None else self._replayed()
        self.generator = None
        child = _advanced(self.body, generator, self, value)
        return child

    def _replayed(self) -> Generator[Action, Any, None]:
        sent: list[Hashable] = []
        node: UnrolledNode = self
        while node.parent is not None:
            if node.sent is not _NOTHING:
                sent.append(node.sent)
            node = node.parent
        generator = self.body()
        next(generator)
        for value in reversed(sent):
            generator.send(value)
        return generator


_NOTHING = object()


def _advanced(body: Body, generator: Generator[Action, Any, None], parent: UnrolledNode | None, value: Hashable) -> UnrolledNode:
    try:
        action = generator.send(value) if parent is not None else next(generator)
    except StopIteration:
        return UnrolledNode(body, parent, value, None)
    except AssertionError as failure:
        return UnrolledNode(body, parent, value, None, str(failure) or "assertion failed")
    node = UnrolledNode(body, parent, value, action, site=_site(generator))
    node.generator = generator
    return node


class Unrolling:
    """The trees of one program's bodies."""

    def __init__(self) -> None:
        self.roots: dict[Body, UnrolledNode] = {}

    def root(self, body: Body) -> UnrolledNode:
        node = self.roots.get(body)
        if node is None and (first := getattr(body, "first_node", None)) is not None:
            node = self.roots[body] = first()  # an automaton, which has its nodes already
        elif node is None:
            node = self.roots[body] = _advanced(body, body(), None, None)
        return node
