"""What an old read must not contradict: a relation between the events of an execution that has no cycle.

C11: the axiom of seq_cst, psc (Lahav et al., "Repairing Sequential Consistency in C/C++11", PLDI 2017).

    scb = sb + sb;hb;sb + hb|loc + mo + rb
    psc = ([Esc] + [Fsc];hb?) ; scb ; ([Esc] + hb?;[Fsc])  +  [Fsc] ; (hb + hb;eco;hb) ; [Fsc]          eco = (rf + mo + rb)+

Two of its parts are those of C++20 and not of the paper: sb;hb;sb may stay at one location. A read-modify-write is one event.

TSO: the order in which memory sees them, ghb = ppo + rfe + mo + rb (Alglave, Maranget, Tautschnig, "Herding Cats", TOPLAS 2014), where ppo
is program order but from a store to a later load without a full fence between. Clocks of what a thread cannot pass are not enough: of two
threads each may read what is older than the other's fence, but not both.

The newest event has no edge to others, so reading the newest store contradicts nothing. Sets of events are masks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bpor.lazy_dataclass import dataclass, field
from bpor.simulate.weak.history import History, Who
from bpor.simulate.weak.order import Order
from bpor.simulate.weak.view import Clock


@dataclass(frozen=True, slots=True)
class Event:
    who: Who
    location: int | None  # None: a fence
    order: Order
    seen: Clock  # of C11's happens-before, this event included
    before: Clock  # what its thread had seen when it came to it, by operations that are no events too
    source: Who | None = None  # the store it read
    stores: bool = False
    full: bool = False  # TSO: a fence, a locked instruction, or an operation that has one inside
    causal: Clock = field(default_factory=dict)  # the search's order; asked only of operations that are no accesses

    @property
    def is_sc(self) -> bool:
        return self.order is Order.SEQ_CST

    @property
    def is_fence(self) -> bool:
        return self.location is None


Relation = list[int]  # for each event, the mask of those it is related to


def is_ordered_by_tso(events: Sequence[Event], histories: Mapping[int, History]) -> bool:
    """Is there an order in which memory saw all events that explains what was read?"""
    rf, mo, rb = _communication(events, histories)
    ghb = [mo[a] | rb[a] for a in range(len(events))]
    for a, early in enumerate(events):
        fenced = False
        for b in range(a + 1, len(events)):
            late = events[b]
            if late.who[0] == early.who[0]:
                passes = early.stores and not early.full and late.source is not None and not late.full and not fenced
                fenced = fenced or late.full
                ghb[a] |= (not passes) << b
            elif rf[a] >> b & 1 or (_is_operation(early) and _is_operation(late) and late.causal.get(early.who[0], 0) >= early.who[1]):
                ghb[a] |= 1 << b
    return _acyclic(ghb, (1 << len(events)) - 1)


def _is_operation(event: Event) -> bool:
    """One of locks and the like."""
    return event.location is None and not event.is_sc


def is_consistent(events: Sequence[Event], histories: Mapping[int, History]) -> bool:
    """Is there an order of all seq_cst events that explains what was read?"""
    sc = _mask(number for number, event in enumerate(events) if event.is_sc)
    if sc.bit_count() < 2:
        return True
    return _acyclic(_psc(events, histories, sc), sc)


def _psc(events: Sequence[Event], histories: Mapping[int, History], sc: int) -> Relation:
    hb, early = _ordered(events)
    rf, mo, rb = _communication(events, histories)
    same = _same_location(events)
    scb = [early[a] | hb[a] & same[a] | mo[a] | rb[a] for a in range(len(events))]
    eco = _closed([rf[a] | mo[a] | rb[a] for a in range(len(events))])
    fences = sc & _mask(number for number, event in enumerate(events) if event.is_fence)
    psc = [0] * len(events)
    for a in _members(sc):
        fence = fences >> a & 1
        middle = _image(1 << a | (hb[a] if fence else 0), scb)
        psc[a] = (middle | _image(middle, hb) & fences) & sc
        if fence:
            psc[a] |= (hb[a] | _image(_image(hb[a], eco), hb)) & fences
    return psc


def _ordered(events: Sequence[Event]) -> tuple[Relation, Relation]:
    """Happens-before, and sb + sb;hb;sb: a later step of its thread has been seen when the other's thread comes to the other. These steps
    need not be events: what orders them may be a lock, the creation of a thread or its end."""
    hb, early = [0] * len(events), [0] * len(events)
    for a, one in enumerate(events):
        thread, step = one.who
        for b, other in enumerate(events):
            hb[a] |= (a != b and other.seen.get(thread, 0) >= step) << b
            own = other.who[0] == thread
            early[a] |= (other.who[1] > step if own else other.before.get(thread, 0) > step) << b
    return hb, early


def _communication(events: Sequence[Event], histories: Mapping[int, History]) -> tuple[Relation, Relation, Relation]:
    """Reads-from, modification order, and reads-before: from a read to the stores after the one it read."""
    rf, mo, rb = ([0] * len(events) for _ in range(3))
    numbers = {event.who: number for number, event in enumerate(events)}
    later: dict[Who | None, int] = {}  # location by location: the stores after each
    for location, history in histories.items():
        after = 0
        for store in reversed(history):
            number = numbers.get(store.who)
            later[store.who if number is not None else (-1, location)] = after
            if number is not None:
                mo[number] = after
                after |= 1 << number
    for number, event in enumerate(events):
        if event.source is None:
            continue
        source = numbers.get(event.source)
        if source is not None:
            rf[source] |= 1 << number
        key = event.source if source is not None else (-1, event.location or 0)
        rb[number] = later[key] & ~(1 << number)
    return rf, mo, rb


def _same_location(events: Sequence[Event]) -> Relation:
    places: dict[int | None, int] = {}
    for number, event in enumerate(events):
        places[event.location] = places.get(event.location, 0) | 1 << number
    return [0 if event.is_fence else places[event.location] for event in events]


def _mask(members: Iterable[int]) -> int:
    return sum(1 << member for member in members)


def _members(mask: int) -> Iterable[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _image(mask: int, relation: Relation) -> int:
    image = 0
    for member in _members(mask):
        image |= relation[member]
    return image


def _closed(relation: Relation) -> Relation:
    closed = list(relation)
    for middle in range(len(closed)):
        for a in range(len(closed)):
            if closed[a] >> middle & 1:
                closed[a] |= closed[middle]
    return closed


def _acyclic(relation: Relation, among: int) -> bool:
    closed = _closed(relation)
    return not any(closed[a] >> a & 1 for a in _members(among))
