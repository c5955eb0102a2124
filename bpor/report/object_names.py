"""Names of objects on stacks and on the heap, from the variables through which they were reached.

Invariant: two objects at different places never have one name. A variable's name is an object's only if every place that used the object
could have called it so: `from->lock` in one thread and `to->lock` in another is `account#1.lock`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from bpor.lazy_dataclass import replace
from bpor.model.operation import Operation
from bpor.model.trace import Description, NativeStack, Trace
from bpor.protocol.ops import Op
from bpor.report.reached import Way, handed_over, holders, ways
from bpor.report.symbols import Symbols

_MOST_USES = 8  # of one object that are looked at
_QUEUE, _PLACE = 2, (1 << 60) - 1  # the classes of objects that are memory, and where such an object lies (csrc/protocol/protocol.h)
_END = (-1, -1)  # the thread that ended the execution, where it did

Key = tuple[int, int]  # a thread and its n-th operation


class Given(NamedTuple):
    name: str
    by_type: bool


class ObjectUse(NamedTuple):
    operation: Key
    owner: Key | None  # of an object on a stack: what the thread was in whose stack it is


def name_objects(trace: Trace, description: Description, symbols: Symbols, is_mine: Callable[[int], bool]) -> dict[int, Given]:
    """By identity; those that nothing leads to are missing."""
    description = _with_freed(trace, description)
    found = {identity: _found(identity, uses, description, symbols, is_mine) for identity, uses in _uses(trace, description).items()}
    by_variable = _by_variable(found)
    places = {(name, same_place(identity)) for identity, name in by_variable.items()}
    clashes = {name for name, count in Counter(name for name, _ in places).items() if count > 1}
    result = {identity: Given(name, False) for identity, name in by_variable.items() if name not in clashes}
    instances: dict[str, dict[int, int]] = {}
    typed = {identity: whole for identity, lists in found.items() if identity not in result and (whole := _whole(lists)) is not None}
    typed.update((identity, whole) for identity, whole in _freed(trace, found, description).items() if identity not in result)
    for name, base, _ in typed.values():
        numbers = instances.setdefault(name, {})
        numbers.setdefault(base, len(numbers) + 1)
    for identity, (name, base, path) in typed.items():
        number = f"#{instances[name][base]}" if len(instances[name]) > 1 else ""
        result[identity] = Given(f"{name}{number}{path}", True)
    result.update((identity, Given(name, False)) for identity, name in by_variable.items() if identity not in result)
    return result


def _by_variable(found: Mapping[int, list[list[Way]]]) -> dict[int, str]:
    """Local variables of one name (in two tests of a program, say) are told apart by number, in the order of their first uses."""
    ways_there = {identity: way for identity, lists in found.items() if (way := _common(lists)) is not None}
    numbers: dict[str, dict[int, int]] = {}
    result = {}
    for identity, way in ways_there.items():
        bases = numbers.setdefault(way.variable, {})
        number = bases.setdefault(way.base, len(bases) + 1) if way.direct else 1
        result[identity] = f"{way.variable}#{number}{way.path}" if number > 1 else way.text
    return result


def _found(
    identity: int, uses: Iterable[ObjectUse], description: Description, symbols: Symbols, is_mine: Callable[[int], bool]
) -> list[list[Way]]:
    """For each use the ways to the object; a use without any tells nothing."""
    address, _ = description.objects[identity]
    block = _block(identity, description)
    result = []
    for use in uses:
        stack = _stack(use.operation, description)
        if use.owner is None:
            result.append(ways(symbols, is_mine, stack, address, block))
        else:
            held = holders(symbols, is_mine, _stack(use.owner, description), address)
            result.append(held or handed_over(symbols, is_mine, stack, address))
    return [one for one in result if one]


def _stack(key: Key, description: Description) -> NativeStack:
    stack = description.last if key == _END else description.frames.get(key)
    return stack if stack is not None else NativeStack((), ())


def _with_freed(trace: Trace, description: Description) -> Description:
    """Memory that is freed is an object of its own, without an address if nothing at its beginning was used: its region has one."""
    begins = {_region(identity): _block(identity, description) for identity in description.objects if identity >> 58 & 3 == 1}
    freed = _freed_objects(trace) - description.objects.keys()
    known = {identity: (begins[_region(identity)], 0) for identity in freed if _region(identity) in begins}
    return replace(description, objects={**description.objects, **known})


def _freed_objects(trace: Trace) -> set[int]:
    return {access.object for step in trace.steps if step.operation.kind is Op.FREE for access in step.operation.footprint}


def _freed(trace: Trace, found: Mapping[int, list[list[Way]]], description: Description) -> dict[int, tuple[str, int, str]]:
    """By the first of the records that uses found in its region."""
    first: dict[int, tuple[int, str]] = {}
    for identity, lists in found.items():
        begin, region = _block(identity, description), _region(identity)
        parts = [(part[1], part[0]) for one in lists for way in one if (part := way.by_type) is not None and part[1] >= begin > 0]
        if region in first:
            parts.append(first[region])
        if parts:
            first[region] = min(parts)
    unknown = [identity for identity in _freed_objects(trace) if not found.get(identity) and identity >> 58 & 3 == 1]
    return {identity: (kind, base, "") for identity in sorted(unknown) for base, kind in (first.get(_region(identity), (0, "")),) if kind}


def same_place(identity: int) -> int:
    """One number for an atomic variable, for a lock that lies there and for the queue of those who wait at it: a reader knows one thing."""
    return identity & _PLACE if identity >> 60 <= _QUEUE else identity


def _region(identity: int) -> int:
    return identity >> 32 & 0x3FFFFFF


def _block(identity: int, description: Description) -> int:
    """Where the heap memory begins in which an object lies; 0 if it lies elsewhere."""
    return description.objects[identity][0] - (identity & 0xFFFFFFFF) if identity >> 58 & 3 == 1 else 0


def _uses(trace: Trace, description: Description) -> dict[int, list[ObjectUse]]:
    """The first uses of each object that lies on a stack or on the heap."""
    found: dict[int, dict[ObjectUse, None]] = {}
    done: Counter[int] = Counter()

    def used(thread: int, operation: Operation) -> None:
        for access in operation.footprint:
            note(access.object, thread, (thread, done[thread]))

    def note(identity: int, thread: int, key: Key) -> None:
        if identity not in description.objects or identity >> 58 & 3 not in (1, 2):
            return
        owner = description.owners.get(identity)
        if owner is None and identity >> 58 & 3 == 2:
            return  # thread-local
        uses = found.setdefault(identity, {})
        if len(uses) < _MOST_USES:
            uses[ObjectUse(key, None if owner is None else (owner, done[owner]) if owner != thread else key)] = None

    for step in trace.steps:
        used(step.thread, step.operation)
        done[step.thread] += 1
    for thread, operation in trace.pending().items():
        used(thread, operation)
    if trace.end.object:
        note(trace.end.object, -1 if trace.end.thread is None else trace.end.thread, _END)
    return {identity: list(uses) for identity, uses in found.items()}


def _common(lists: list[list[Way]]) -> Way | None:
    """By whose name every use calls it; of several the one that begins with the largest whole, then the innermost."""
    if not lists:
        return None
    names = set.intersection(*({way.text for way in one if way.text} for one in lists))
    known = [way for way in lists[0] if way.text in names]
    return max(known, key=lambda way: (way.direct, len(way.path)), default=None)  # the first of equals


def _whole(lists: list[list[Way]]) -> tuple[str, int, str] | None:
    """The largest record of the program's that the object was known to be part of."""
    parts = [part for one in lists for way in one if (part := way.by_type) is not None]
    return max(parts, key=lambda part: len(part[2]), default=None)
