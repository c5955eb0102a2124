"""WeakMemory: which stores an atomic access may read or where its own may be placed, and what taking one of them does.

Alternative 0 of an access is the newest store; what is older is offered only if the model allows it and, unless everything is asked for,
only if the access is *truly weak*: some newer store comes before its thread's last step, or before the store to be read, in the order of
the search. Otherwise the access could as well have run earlier and read the newest, and the search tries that anyhow. A step that reads an
old store touches nothing: it commutes with everything.

C11 (RC11 without load buffering): per location a modification order; a thread reads nothing older than its floor, the latest store of the
location that it has seen or that was read before by what it has seen. Stores and read-modify-writes may be placed before newer stores.
TSO: a load may read what is older than stores that have not reached its thread (`flushed`). Both forbid more, what their axioms say:
axiom.py.
Every operation that is not an atomic access acquires and releases what it touches, and is a full fence under TSO.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from bpor.lazy_dataclass import dataclass, field, replace
from bpor.model.operation import Footprint, ObjectAccess
from bpor.simulate.weak.axiom import Event, is_consistent, is_ordered_by_tso
from bpor.simulate.weak.history import NOBODY, History, WeakStore, Who, first, inserted, place_after
from bpor.simulate.weak.order import Atomic, Order
from bpor.simulate.weak.view import NO_CLOCK, NOTHING, Clock, View, latest


@dataclass(frozen=True, slots=True)
class _Thread:
    steps: int = 0
    seen: View = NOTHING  # C11's happens-before
    before: Clock = field(default_factory=dict)  # the same when it came to its last step
    acquirable: View = NOTHING  # what a fence would acquire
    fenced: View = NOTHING  # at its last release fence
    flushed: Clock = field(default_factory=dict)  # TSO: the stores that its loads cannot pass
    causal: Clock = field(default_factory=dict)  # the search's happens-before
    old: frozenset[tuple[int, Who]] = frozenset()  # (call site, store) read since it changed anything: not offered again


@dataclass(frozen=True, slots=True)
class _Object:
    """What orders steps that touch it."""

    written: Clock = field(default_factory=dict)
    read: Clock = field(default_factory=dict)
    released: View = NOTHING


@dataclass(frozen=True, slots=True)
class Taken:
    """What an access did."""

    old: Hashable  # the value it read
    footprint: Footprint
    stored: bool
    source: Who | None = None  # the store that an old read saw; None: the newest, or the initial one


class WeakMemory:
    __slots__ = ("all", "events", "histories", "model", "objects", "placing", "rf", "threads")

    def __init__(self, model: str, placing: bool = True, all: bool = False) -> None:
        assert model in ("tso", "c11")
        self.model = model
        self.placing = placing and model == "c11"
        self.all = all  # also what is not truly weak
        self.threads: dict[int, _Thread] = {}
        self.objects: dict[int, _Object] = {}
        self.histories: dict[int, History] = {}
        self.events: tuple[Event, ...] = ()
        self.rf: tuple[tuple[Who, Who], ...] = ()

    def copy(self) -> WeakMemory:
        twin = WeakMemory.__new__(WeakMemory)
        twin.model, twin.placing, twin.all = self.model, self.placing, self.all
        twin.threads, twin.objects, twin.histories = self.threads.copy(), self.objects.copy(), self.histories.copy()
        twin.events, twin.rf = self.events, self.rf
        return twin

    # ---- what is offered ----

    def offers(self, thread: int, atomic: Atomic, value: Hashable) -> list[int]:
        """Positions in the history of the location, the newest first; `value` is what memory holds."""
        history = self._history(atomic.location, value)
        newest = len(history) - 1
        older = [position for position in range(newest - 1, -1, -1) if self._allows(thread, atomic, history, position)]
        return [newest, *older]

    def _history(self, location: int, value: Hashable) -> History:
        return self.histories.get(location) or self.histories.setdefault(location, first(value))

    def _allows(self, thread: int, atomic: Atomic, history: History, position: int) -> bool:
        store, state = history[position], self._thread(thread)
        reads_only = atomic.loads and atomic.reads_only(store.value)
        if self.model == "tso":
            allowed = atomic.stores is None and not any(_reached(state, thread, newer) for newer in history[position + 1 :])
        elif store.place < state.seen.floors.get(atomic.location, 0):
            allowed = False
        elif reads_only:
            allowed = (atomic.site, store.who) not in state.old
        else:
            allowed = self.placing and not history[position + 1].attached
        if not allowed or not (self.all or self._truly_weak(state, atomic, history, position)):
            return False
        return self._contradicts_nothing(thread, atomic, position)

    def _truly_weak(self, state: _Thread, atomic: Atomic, history: History, position: int) -> bool:
        read = history[position].causal if atomic.loads else NO_CLOCK
        return any(_covers(state.causal, newer.who) or _covers(read, newer.who) for newer in history[position + 1 :])

    def _contradicts_nothing(self, thread: int, atomic: Atomic, position: int) -> bool:
        tried = self.copy()
        tried._perform(thread, atomic, position)
        holds = is_ordered_by_tso if self.model == "tso" else is_consistent
        return holds(tried.events, tried.histories)

    # ---- what is done ----

    def take(self, thread: int, atomic: Atomic, value: Hashable, alternative: int) -> Taken:
        self._history(atomic.location, value)
        return self._perform(thread, atomic, self.offers(thread, atomic, value)[alternative] if alternative else None)

    def newest(self, location: int) -> Hashable:
        return self.histories[location][-1].value

    def _perform(self, thread: int, atomic: Atomic, position: int | None) -> Taken:
        history = self.histories[atomic.location]
        newest = len(history) - 1
        position = newest if position is None else position
        store = history[position]
        reads_only = atomic.loads and atomic.reads_only(store.value)
        is_old = reads_only and position < newest
        footprint = () if is_old else (ObjectAccess(atomic.location, not reads_only),)
        source = store.who if is_old and store.who[0] >= 0 else None
        self._order(thread, footprint, store.causal if is_old else NO_CLOCK)
        order = atomic.order_with(store.value) if atomic.loads else atomic.order
        if atomic.loads:
            self._read(thread, atomic, store, order)
        if reads_only:
            self._note_read(thread, atomic, store, order, is_old)
        else:
            self._store(thread, atomic, history, position, order)
        return Taken(store.value, footprint, not reads_only, source)

    def _order(self, thread: int, footprint: Footprint, after: Clock) -> None:
        """A step begins: the search's happens-before."""
        state = self._thread(thread)
        steps = state.steps + 1
        causal = latest(state.causal, after)
        for access in footprint:
            touched = self.objects.get(access.object, _Object())
            causal = latest(causal, touched.written)
            if access.write:
                causal = latest(causal, touched.read)
        causal = {**causal, thread: steps}
        for access in footprint:
            touched = self.objects.get(access.object, _Object())
            written = latest(touched.written, causal) if access.write else touched.written
            read = touched.read if access.write else latest(touched.read, causal)
            self.objects[access.object] = replace(touched, written=written, read=read)
        seen = state.seen.after_step(thread, steps)
        self.threads[thread] = replace(state, steps=steps, causal=causal, seen=seen, before=seen.steps)

    def _read(self, thread: int, atomic: Atomic, store: WeakStore, order: Order) -> None:
        state = self._thread(thread)
        self.rf = (*self.rf, ((thread, state.steps), store.who if store.who != NOBODY else (-1, atomic.location)))
        seen = state.seen.at_least(atomic.location, store.place)
        if order.acquires:
            seen = seen.joined(store.released)
        flushed = state.flushed
        if atomic.stores is not None:
            flushed = state.causal
        elif store.who[0] != thread:
            flushed = latest(flushed, store.causal)
        acquirable = state.acquirable.joined(store.released)
        self.threads[thread] = replace(state, seen=seen, acquirable=acquirable, flushed=flushed)

    def _note_read(self, thread: int, atomic: Atomic, store: WeakStore, order: Order, is_old: bool) -> None:
        state = self._thread(thread)
        self._event(thread, atomic.location, order, store.who, full=atomic.stores is not None)
        if is_old:
            self.threads[thread] = replace(state, old=state.old | {(atomic.site, store.who)})

    def _store(self, thread: int, atomic: Atomic, history: History, position: int, order: Order) -> None:
        below, state = history[position], self._thread(thread)
        assert atomic.stores is not None
        written = atomic.stores(below.value)
        assert written is not None
        place = place_after(history, position)
        seen = state.seen.at_least(atomic.location, place)
        released = seen if order.releases else state.fenced
        if atomic.loads:
            released = released.joined(below.released)
        released = released.at_least(atomic.location, place)
        store = WeakStore(written[0], (thread, state.steps), place, released, state.causal, attached=atomic.loads)
        self.histories[atomic.location] = inserted(history, position, store)
        full = atomic.loads or order is Order.SEQ_CST
        self.threads[thread] = replace(state, seen=seen, flushed=state.causal if full else state.flushed, old=frozenset())
        self._event(thread, atomic.location, order, below.who if atomic.loads else None, stores=True, full=full)

    def fence(self, thread: int, order: Order) -> None:
        self._order(thread, (), NO_CLOCK)
        state = self._thread(thread)
        seen = state.seen.joined(state.acquirable) if order.acquires else state.seen
        fenced = seen if order.releases else state.fenced
        flushed = state.causal if order is Order.SEQ_CST else state.flushed
        self.threads[thread] = replace(state, seen=seen, fenced=fenced, flushed=flushed)
        if order is Order.SEQ_CST:
            self._event(thread, None, order, None, full=True)

    def other(self, thread: int, footprint: Footprint, created: Iterable[int], joined: int | None) -> None:
        """A step that is no atomic access."""
        follows = self._thread(joined) if joined is not None else _Thread()
        self._order(thread, footprint, follows.causal)
        state = self._thread(thread)
        seen = state.seen.joined(follows.seen)
        for access in footprint:
            seen = seen.joined(self.objects[access.object].released)
        for access in footprint:
            touched = self.objects[access.object]
            self.objects[access.object] = replace(touched, released=touched.released.joined(seen))
        self.threads[thread] = replace(state, seen=seen, flushed=state.causal, old=frozenset())
        if self.model == "tso":
            self._event(thread, None, Order.RELAXED, None, full=True)
        for child in created:
            self.threads[child] = _Thread(0, seen, flushed=state.causal, causal=state.causal)

    def _thread(self, thread: int) -> _Thread:
        return self.threads.get(thread) or self.threads.setdefault(thread, _Thread())

    def _event(self, thread: int, location: int | None, order: Order, source: Who | None, stores: bool = False, full: bool = False) -> None:
        state = self._thread(thread)
        event = Event((thread, state.steps), location, order, state.seen.steps, state.before, source, stores, full, state.causal)
        self.events = (*self.events, event)

    # ---- what came of it ----

    def graph(self) -> Hashable:
        """Who read from whom, and the modification orders."""
        orders = sorted((location, tuple(store.who for store in history)) for location, history in self.histories.items())
        return frozenset(self.rf), tuple(order for order in orders if len(order[1]) > 1)

    def key(self) -> Hashable:
        """Two memories with equal keys go on alike, if their threads do."""
        places = {location: [store.place for store in history] for location, history in self.histories.items()}

        def named(view: View) -> Hashable:
            floors = ((location, places[location].index(place)) for location, place in view.floors.items())
            return tuple(sorted(view.steps.items())), tuple(sorted(floor for floor in floors if floor[1]))

        def clock(steps: Clock) -> Hashable:
            return tuple(sorted(steps.items())) if self.model == "tso" or not self.all else ()

        threads = tuple(
            (number, named(state.seen), named(state.acquirable), named(state.fenced), clock(state.flushed), clock(state.causal), state.old)
            for number, state in sorted(self.threads.items())
        )
        stores = tuple(
            (location, tuple((store.who, named(store.released), clock(store.causal)) for store in history))
            for location, history in sorted(self.histories.items())
        )
        objects = tuple(
            (number, named(touched.released), clock(touched.written), clock(touched.read))
            for number, touched in sorted(self.objects.items())
        )
        return threads, stores, objects, frozenset(self.rf)


def _covers(clock: Clock, who: Who) -> bool:
    return who[0] < 0 or clock.get(who[0], 0) >= who[1]


def _reached(state: _Thread, thread: int, store: WeakStore) -> bool:
    """TSO: can the thread's loads not pass it?"""
    return store.who[0] == thread or _covers(state.flushed, store.who)
