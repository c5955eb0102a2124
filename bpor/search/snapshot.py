"""Snapshot: linked objects as data, and back. What a search is saved by whose state is a graph of objects, not a stack.

Every object is written down once, in a list, and referred to by its place there: shared objects stay shared, cycles do no harm, and a chain
of any length needs no recursion. What speaks of cells is saved as a footprint, and speaks of the new history's cells afterwards.
Invariant: only the classes named beforehand are made again, and none of their code runs, whatever a damaged snapshot says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from bpor.errors import Diverged
from bpor.model.executor import Executor
from bpor.model.operation import ObjectAccess, Operation
from bpor.model.plan import Plan
from bpor.model.step import Step
from bpor.protocol.ops import Op
from bpor.search.engine.cells import Cells, Touches
from bpor.search.engine.watch import Watch

_PLAIN = frozenset({type(None), bool, int, float, str})
_MADE_WHOLE: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "frozenset": frozenset,
    "ObjectAccess": ObjectAccess._make,
    "Step": Step._make,
}  # of members that are whole
_FILLED: dict[str, type] = {"list": list, "dict": dict, "set": set}  # once everything is there
_KINDS = {kind.number: kind for kind in Op}


class Snapshot:
    """Of objects of these classes; all have slots."""

    def __init__(self, classes: Iterable[type], cells: Cells) -> None:
        self._classes = {each.__name__: each for each in (*classes, Operation)}
        self._cells = cells

    # ---- to data ----

    def pack(self, root: Any) -> list[Any]:
        places: dict[int, int] = {}
        objects: list[Any] = []  # kept until the end: an object that is gone may leave its id to another

        def refer(value: Any) -> Any:
            if type(value) in _PLAIN:
                return value
            place = places.setdefault(id(value), len(objects))
            if place == len(objects):
                objects.append(value)
            return [place]

        refer(root)
        return [self._record(value, refer) for value in objects]  # which grow meanwhile

    def _record(self, value: Any, refer: Callable[[Any], Any]) -> list[Any]:
        name = type(value).__name__
        if name == "dict":
            return [name, *(refer(each) for item in value.items() for each in item)]
        if name in _MADE_WHOLE or name in _FILLED:
            return [name, *map(refer, value)]
        if isinstance(value, Op):
            return ["Op", value.number]
        if isinstance(value, Touches):
            return ["Touches", refer(value.watch.footprint())]
        if isinstance(value, Watch):
            return ["Watch", refer(value.footprint()), value.usable]
        if name not in self._classes:
            raise TypeError(f"{value!r} cannot be saved")
        return [name, *(refer(getattr(value, field)) for field in _fields(self._classes[name]))]

    # ---- and back ----

    def unpack(self, records: Sequence[Sequence[Any]]) -> Any:
        """Raises ValueError, TypeError, KeyError or IndexError if it is damaged."""
        made: list[Any] = [self._shell(name) for name, *_ in records]

        def resolve(value: Any) -> Any:
            if not isinstance(value, list):
                return value
            if made[value[0]] is None:
                name, *members = records[value[0]]
                made[value[0]] = self._whole(name, [resolve(each) for each in members])
            return made[value[0]]

        try:
            for place, (name, *members) in enumerate(records):
                if name in _FILLED or name in self._classes:
                    _fill(made[place], [resolve(each) for each in members])
            return resolve([0])
        except RecursionError:
            raise ValueError("a tuple that holds itself") from None

    def _shell(self, name: str) -> Any:
        if name in _FILLED:
            return _FILLED[name]()
        kind = self._classes.get(name)
        return None if kind is None else object.__new__(kind)

    def _whole(self, name: str, members: list[Any]) -> Any:
        if name == "Op":
            return _KINDS[members[0]]
        if name == "Touches":
            return self._cells.resolve(members[0])
        if name == "Watch":
            return Watch(dict(self._cells.resolve(members[0]).pairs), closed=members[1])
        return _MADE_WHOLE[name](members)


def _fields(kind: type) -> Sequence[str]:
    fields: Sequence[str] = kind.__slots__  # type: ignore[attr-defined]
    return fields


def _fill(shell: Any, values: list[Any]) -> None:
    if isinstance(shell, list):
        shell += values
    elif isinstance(shell, set):
        shell.update(values)
    elif isinstance(shell, dict):
        shell.update(zip(values[::2], values[1::2], strict=True))
    else:
        for field, value in zip(_fields(type(shell)), values, strict=True):
            object.__setattr__(shell, field, value)


def go_again(executor: Executor, schedule: Sequence[int], steps: Sequence[Step]) -> None:
    """Raises Diverged if the program no longer makes these steps."""
    trace = executor.run(Plan(prefix=tuple(schedule), max_steps=max(len(schedule), 1), stop_after_prefix=True))
    told = [(step.operation.kind, step.footprint) for step in trace.steps]
    if told != [(step.operation.kind, step.footprint) for step in steps]:
        raise Diverged(len(trace.steps), "the execution that was saved", "another one", "the program or its input has changed")
