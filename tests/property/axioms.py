"""The axioms of RC11 (Lahav et al., PLDI 2017, with C++20's release sequences and sb;hb;sb) as a judge of their own.

An execution is a graph: what each access read, and the order of the stores of each variable. Graphs grow by one event at a time, in every
order in which a read follows the store it reads (there is no load buffering), and are kept while the axioms hold. Nothing here is shared
with bpor.simulate.weak, which keeps clocks and a history: neither clocks nor times are known here. A lock is a read-modify-write that finds
0, an unlock a release store, of a variable that no program can name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

Outcome = tuple[tuple[tuple[int, ...], ...], frozenset[tuple[str, int]]]
Name = tuple[int, int]  # thread and number; (-1, n): the initial value of a variable
_ATTACHED = re.compile(r"^(RMW|CAS|SWAP|R|W)([a-z])(?=[. ]|$)")
_ACQUIRE, _RELEASE = ("acq", "ar", "sc"), ("rel", "ar", "sc")
_MUTEX = "m"
MOST_GRAPHS = 4_000


class TooMany(Exception):
    """Graphs."""


@dataclass(frozen=True, slots=True)
class _Operation:
    kind: str
    variable: str
    orders: tuple[str, ...]
    values: tuple[int, ...]
    conditional: bool


@dataclass(frozen=True, slots=True)
class _Event:
    name: Name
    variable: str  # empty: a fence
    order: str
    source: Name | None = None  # what it read
    value: int | None = None  # what it stored


@dataclass(frozen=True, slots=True)
class _Graph:
    threads: tuple[tuple[_Event, ...], ...]
    places: tuple[int, ...]  # how far each thread is
    last: tuple[int, ...]  # what each observed last
    reads: tuple[tuple[int, ...], ...]
    stores: tuple[tuple[str, tuple[_Event, ...]], ...]  # of each variable, in modification order


def outcomes(text: str) -> set[Outcome]:
    """What each thread reads, and what is not 0 at the end. Raises TooMany."""
    program = tuple(tuple(map(_parsed, body.split(";"))) for body in text.split("|"))
    variables = sorted({operation.variable for body in program for operation in body} - {""})
    initial = tuple((variable, (_Event((-1, number), variable, "rlx", value=0),)) for number, variable in enumerate(variables))
    none = tuple(() for _ in program)
    begin = _Graph(none, tuple(0 for _ in program), tuple(0 for _ in program), none, initial)
    seen, open_graphs, found = {begin}, [begin], set()
    while open_graphs:
        graph = open_graphs.pop()
        for larger in _grown(graph, program):
            if larger not in seen and _is_consistent(larger):
                seen.add(larger)
                open_graphs.append(larger)
        if len(seen) > MOST_GRAPHS:
            raise TooMany
        if all(place == len(body) for place, body in zip(graph.places, program, strict=True)):
            finals = ((variable, stores[-1].value or 0) for variable, stores in graph.stores if variable != _MUTEX)
            found.add((graph.reads, frozenset(final for final in finals if final[1])))
    return found


def _parsed(text: str) -> _Operation:
    words = text.split()
    conditional = words[0] == "if"
    words = _ATTACHED.sub(r"\1 \2", " ".join(words[conditional:])).split()
    if words[0] in ("lock", "unlock"):
        return _Operation(words[0], _MUTEX, ("acq" if words[0] == "lock" else "rel",), (), conditional)
    if words[0].startswith("fence"):
        return _Operation("fence", "", (*words[0].split(".")[1:], "sc"), (), conditional)
    variable, *orders = words[1].split(".")
    return _Operation(words[0], variable, (*orders, "sc", "sc")[:2], tuple(map(int, words[2:])), conditional)


def _grown(graph: _Graph, program: tuple[tuple[_Operation, ...], ...]) -> Iterator[_Graph]:
    for thread, body in enumerate(program):
        place = graph.places[thread]
        if place == len(body):
            continue
        moved = replace(graph, places=_with(graph.places, thread, place + 1))
        operation = body[place]
        if operation.conditional and not graph.last[thread]:
            yield moved
        else:
            yield from _performed(moved, thread, (thread, place), operation)


def _performed(graph: _Graph, thread: int, name: Name, operation: _Operation) -> Iterator[_Graph]:
    order = operation.orders[0]
    if operation.kind == "fence":
        yield _added(graph, thread, _Event(name, "", order))
        return
    number = [variable for variable, _ in graph.stores].index(operation.variable)
    stores = graph.stores[number][1]
    for position, store in enumerate(stores):
        if operation.kind in ("W", "unlock"):
            event = _Event(name, operation.variable, order, value=operation.values[0] if operation.values else 0)
            yield from _stored(_added(graph, thread, event), number, position, event)
            continue
        assert store.value is not None
        written, failed = _written(operation, store.value)
        if failed and operation.kind == "lock":
            continue
        event = _Event(name, operation.variable, operation.orders[1] if failed else order, store.name, written)
        read = _added(graph, thread, event)
        observed = 1 if operation.kind == "lock" else store.value
        read = replace(read, last=_with(graph.last, thread, observed))
        if operation.kind != "lock":
            read = replace(read, reads=_with(graph.reads, thread, (*graph.reads[thread], store.value)))
        if written is None:
            yield read
        else:
            yield from _stored(read, number, position, event)


def _written(operation: _Operation, old: int) -> tuple[int | None, bool]:
    """What it stores, if it finds that; and whether it is a compare-exchange that fails."""
    if operation.kind == "R":
        return None, False
    if operation.kind == "RMW":
        return old + 1, False
    if operation.kind == "SWAP":
        return operation.values[0], False
    expected, new = (0, 1) if operation.kind == "lock" else operation.values
    return (new, False) if old == expected else (None, True)


def _added(graph: _Graph, thread: int, event: _Event) -> _Graph:
    return replace(graph, threads=_with(graph.threads, thread, (*graph.threads[thread], event)))


def _stored(graph: _Graph, number: int, position: int, event: _Event) -> Iterator[_Graph]:
    """Right after the store at that position, unless that parts a read-modify-write from what it read."""
    variable, stores = graph.stores[number]
    if position + 1 == len(stores) or stores[position + 1].source is None:
        placed = (*stores[: position + 1], event, *stores[position + 1 :])
        yield replace(graph, stores=_with(graph.stores, number, (variable, placed)))


def _with(items: tuple, index: int, item: object) -> tuple:  # type: ignore[type-arg]
    return (*items[:index], item, *items[index + 1 :])


# ---- the axioms; a relation has for each event the mask of those it is related to ----

Relation = list[int]


def _is_consistent(graph: _Graph) -> bool:
    events = [store for _, stores in graph.stores for store in stores[:1]] + [event for body in graph.threads for event in body]
    numbers = {event.name: number for number, event in enumerate(events)}
    sb, rf, mo, rb = _base(graph, events, numbers)
    hb = _closed(_union(sb, _synchronises(events, numbers, sb)))
    eco = _closed(_union(rf, mo, rb))
    if _reflexive(hb) or _reflexive(eco) or _reflexive(_composed(hb, eco)):
        return False
    return not _reflexive(_closed(_psc(events, sb, hb, mo, rb, eco)))


def _base(graph: _Graph, events: list[_Event], numbers: dict[Name, int]) -> tuple[Relation, Relation, Relation, Relation]:
    sb, rf, mo, rb = ([0] * len(events) for _ in range(4))
    own = sum(1 << number for number, event in enumerate(events) if event.name[0] >= 0)
    for number, event in enumerate(events):
        thread, place = event.name
        later = (numbers[other.name] for other in graph.threads[thread] if other.name[1] > place) if thread >= 0 else ()
        sb[number] = own if thread < 0 else _mask(later)
        if event.source is not None:
            rf[numbers[event.source]] |= 1 << number
    for _, stores in graph.stores:
        for position, store in enumerate(stores):
            mo[numbers[store.name]] = _mask(numbers[other.name] for other in stores[position + 1 :])
    for number, event in enumerate(events):
        if event.source is not None:
            rb[number] = mo[numbers[event.source]] & ~(1 << number)
    return sb, rf, mo, rb


def _synchronises(events: list[_Event], numbers: dict[Name, int], sb: Relation) -> Relation:
    sw = [0] * len(events)
    for number, reader in enumerate(events):
        if reader.source is None:
            continue
        tails = 1 << number if reader.order in _ACQUIRE else 0
        tails |= _mask(after for after in _members(sb[number]) if not events[after].variable and events[after].order in _ACQUIRE)
        head: Name | None = reader.source
        while head is not None:  # the release sequence: read-modify-writes and what they read from
            store = events[numbers[head]]
            if store.order in _RELEASE:
                sw[numbers[head]] |= tails
            for before, event in enumerate(events):
                if not event.variable and event.order in _RELEASE and sb[before] >> numbers[head] & 1:
                    sw[before] |= tails
            head = store.source
    return sw


def _psc(events: list[_Event], sb: Relation, hb: Relation, mo: Relation, rb: Relation, eco: Relation) -> Relation:
    same = [_mask(b for b, other in enumerate(events) if one.variable and one.variable == other.variable) for one in events]
    at_one = [mask & same[number] for number, mask in enumerate(hb)]
    scb = _union(sb, _composed(_composed(sb, hb), sb), at_one, mo, rb)
    sc = _mask(number for number, event in enumerate(events) if event.order == "sc")
    fences = _mask(number for number in _members(sc) if not events[number].variable)
    left = [(1 << number if sc >> number & 1 else 0) | (hb[number] if fences >> number & 1 else 0) for number in range(len(events))]
    right = [(1 << number & sc) | (hb[number] & fences) for number in range(len(events))]
    before = [hb[number] if fences >> number & 1 else 0 for number in range(len(events))]
    after = [mask & fences for mask in hb]
    direct = [hb[number] & fences if fences >> number & 1 else 0 for number in range(len(events))]
    return _union(_composed(_composed(left, scb), right), direct, _composed(_composed(before, eco), after))


def _union(*relations: Relation) -> Relation:
    return [_or(masks) for masks in zip(*relations, strict=True)]


def _or(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


def _mask(members: Iterable[int]) -> int:
    return _or(1 << member for member in members)


@cache
def _members(mask: int) -> tuple[int, ...]:
    return tuple(number for number in range(mask.bit_length()) if mask >> number & 1)


def _composed(one: Relation, other: Relation) -> Relation:
    return [_or(other[middle] for middle in _members(mask)) for mask in one]


def _closed(relation: Relation) -> Relation:
    closed = list(relation)
    for middle in range(len(closed)):
        for number in range(len(closed)):
            if closed[number] >> middle & 1:
                closed[number] |= closed[middle]
    return closed


def _reflexive(relation: Relation) -> bool:
    return any(mask >> number & 1 for number, mask in enumerate(relation))
