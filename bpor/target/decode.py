"""Events from the wire to steps. One Decoder per execution; fed in any number of pieces.

Executions of one program do the same few things again and again: `Vocabulary` remembers what the bytes of an event said, so that equal
events are decoded once. Only the hash of a step never repeats; it comes last and apart.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, NamedTuple

from bpor.model.operation import Footprint, ObjectAccess, Operation
from bpor.model.step import Step
from bpor.model.trace import Change
from bpor.protocol import wire
from bpor.protocol.ops import BY_NUMBER, Op

_CAS = Op.CAS.number
_STEP = wire.constant("BPOR_EVENT_STEP")
_PENDING = wire.constant("BPOR_EVENT_PENDING")
_FINISHED = wire.constant("BPOR_EVENT_FINISHED")
_ENABLED = wire.constant("BPOR_EVENT_ENABLED")
_TIMED = wire.constant("BPOR_EVENT_TIMED")
_ACCESSES = wire.constant("BPOR_EVENT_ACCESSES")
_STATE = wire.constant("BPOR_EVENT_STATE")
_OFFER = wire.constant("BPOR_EVENT_OFFER")
_CHANGED = wire.constant("BPOR_EVENT_CHANGED")
_YIELD = wire.constant("BPOR_FLAG_YIELD")
_CUT = wire.constant("BPOR_FLAG_CUT")
_FAILED = wire.constant("BPOR_FLAG_FAILED")
_TIMEOUT = wire.constant("BPOR_FLAG_TIMEOUT")
_INFERRED = wire.constant("BPOR_FLAG_INFERRED")
_CIRCLE = wire.constant("BPOR_FLAG_CIRCLE")
_ORDER = wire.constant("BPOR_FLAG_ORDER")

# Fields of an unpacked event, in the order of protocol.h. Accesses that do not count are zero.
_TYPE, _OP, FLAGS, _COUNT, WHO, TARGET, SITE, VALUE, MASK, FIRST_ACCESS = range(10)
_BYTES = wire.EVENT.size
_HASH_AT = _BYTES - 8
_FIELDS = Struct(wire.EVENT.format[:-1])  # all but the hash
_LARGEST = 1 << 16  # entries of a vocabulary; a program that does something new all the time forgets

Event = tuple[int, ...]
Announced = tuple[int, Operation]


class _Told(NamedTuple):
    """What the event of a step says, but for its hash."""

    thread: int
    footprint: Footprint
    enabled: int
    timed: int
    yields: bool
    cuts: bool
    failed: bool
    timed_out: bool
    inferred: bool
    value: int
    circles: bool
    alternatives: int = 1
    alternative: int = 0
    source: int | None = None


class Vocabulary:
    """Of one program: the events, operations and footprints that its executions consist of."""

    def __init__(self) -> None:
        self._steps: dict[bytes, _Told] = {}
        self._announced: dict[bytes, Announced] = {}
        self._footprints: dict[Event, Footprint] = {}
        self._operations: dict[tuple[int, int, int, int, int, Footprint], Operation] = {}

    def step(self, said: bytes) -> _Told:
        known = self._steps.get(said)
        if known is None:
            _forget_if_full(self._steps)
            event, flags = _event(said), said[FLAGS]
            known = self._steps[said] = _Told(
                event[WHO],
                self._footprint(event),
                event[MASK],
                0,
                bool(flags & _YIELD),
                bool(flags & _CUT),
                bool(flags & _FAILED),
                bool(flags & _TIMEOUT),
                bool(flags & _INFERRED),
                event[VALUE],
                bool(flags & _CIRCLE),
            )
        return known

    def announced(self, said: bytes) -> Announced:
        known = self._announced.get(said)
        if known is None:
            _forget_if_full(self._announced)
            event = _event(said)
            known = self._announced[said] = (event[WHO], self.operation(event, self._footprint(event)))
        return known

    def _footprint(self, event: Event) -> Footprint:
        accesses = event[FIRST_ACCESS:]
        known = self._footprints.get(accesses)
        if known is None:
            _forget_if_full(self._footprints)
            known = self._footprints[accesses] = tuple(_accesses(event))
        return known

    def operation(self, event: Event, footprint: Footprint) -> Operation:
        failure = event[VALUE] if event[_OP] == _CAS else 0
        said = (event[_OP], event[FLAGS], event[TARGET], event[SITE], failure, footprint)
        known = self._operations.get(said)
        if known is None:
            _forget_if_full(self._operations)
            joined = None if event[TARGET] == wire.NO_THREAD else event[TARGET]
            flags = event[FLAGS]
            known = Operation(BY_NUMBER[event[_OP]], footprint, joined, event[SITE], flags // _ORDER, bool(flags & _TIMEOUT), (), failure)
            self._operations[said] = known
        return known


class Decoder:
    """`steps` lacks the step in progress until the next one begins or `finish` is called."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self.initial: dict[int, Operation] = {}
        self.steps: list[Step] = []
        self.pending: dict[int, Operation] = {}
        self.states: list[int | None] = []  # identities
        self.changes: list[Change] = []
        self._step: _Told | None = None  # the step in progress
        self._hash = 0  # its
        self._operation: Operation | None = None  # what it was when it was pending
        self._announced: list[Announced] = []
        self._finished: list[int] = []
        self._detailed = False  # there is something in the next four
        self._more: list[ObjectAccess] = []
        self._timed = 0
        self._enabled_above = 0
        self._offer: tuple[int, int, int | None] | None = None

    def feed(self, events: bytes) -> None:
        hashes = memoryview(events).cast("Q")[_HASH_AT // 8 :: _BYTES // 8].tolist()
        at = 0
        for kind, hash in zip(events[::_BYTES], hashes, strict=True):
            said = events[at : at + _HASH_AT]
            at += _BYTES
            if kind == _STEP:
                self._begin(said, hash)
            elif kind == _PENDING:
                self.announce(said)
            else:
                self.take_other(kind, _event(said))

    def take_other(self, kind: int, event: Event) -> None:
        if kind == _FINISHED:
            self._finished.append(event[WHO])
            self.pending.pop(event[WHO], None)
        elif kind == _ACCESSES:
            self._more.extend(_accesses(event))
            self._detailed = True
        elif kind == _TIMED:
            self._timed |= event[MASK] | _words_above(event)
            self._detailed = True
        elif kind == _ENABLED:
            self._enabled_above |= _words_above(event)
            self._detailed = True
        elif kind == _OFFER:
            self._offer = (event[VALUE], event[TARGET], event[SITE] - 1 if event[SITE] else None)
            self._detailed = True
        elif kind == _STATE:
            self.states.append((event[SITE] << 64 | event[VALUE]) or None)
        elif kind == _CHANGED:
            thread = None if event[WHO] == wire.NO_THREAD else event[WHO]
            self.changes.append(Change(event[FIRST_ACCESS + 1], event[SITE], event[MASK], event[VALUE], thread, event[FIRST_ACCESS]))

    def _begin(self, said: bytes, hash: int) -> None:
        if self._step is not None:
            self._complete()
        told = self._vocabulary.step(said)
        if self._detailed:
            told = told._replace(footprint=self._whole(told.footprint), enabled=told.enabled | self._enabled_above, timed=self._timed)
            if self._offer is not None:
                told = told._replace(alternatives=self._offer[0], alternative=self._offer[1], source=self._offer[2])
            self._detailed = False
            self._timed = self._enabled_above = 0
            self._offer = None
        self._step, self._hash = told, hash
        self._operation = self.pending.pop(told.thread)

    def announce(self, said: bytes) -> int:
        """A thread will do an operation next. Answers which thread."""
        announced = self._vocabulary.announced(said)
        if self._more:
            footprint = self._whole(announced[1].footprint)
            announced = (announced[0], self._vocabulary.operation(_event(said), footprint))
        thread, operation = announced
        self.pending[thread] = operation
        if self._step is None:
            self.initial[thread] = operation
        else:
            self._announced.append(announced)
        return thread

    def replace_announced(self, thread: int, operation: Operation) -> None:
        """What was announced last, told better."""
        self.pending[thread] = operation
        if self._step is None:
            self.initial[thread] = operation
        else:
            self._announced[-1] = (thread, operation)

    def _whole(self, footprint: Footprint) -> Footprint:
        """With the accesses that came before it."""
        if self._more:
            footprint = (*self._more, *footprint)
            self._more.clear()
        return footprint

    def _complete(self, ends_process: bool = False) -> None:
        assert self._step is not None and self._operation is not None
        operation = self._operation
        thread, footprint, enabled, timed, yields, cuts, failed, timed_out, inferred, value, circles, *offer = self._step
        self.steps.append(
            tuple.__new__(  # what Step(...) does, at half the price
                Step,
                (
                    thread,
                    operation,
                    footprint,
                    enabled,
                    tuple(self._announced),
                    tuple(self._finished),
                    timed,
                    yields,
                    cuts,
                    failed,
                    timed_out,
                    inferred,
                    ends_process or operation.kind.ends,
                    value,
                    circles,
                    self._hash,
                    *offer,
                ),
            )
        )
        self._step = None
        self._announced.clear()
        self._finished.clear()

    def settle(self) -> Step | None:
        """Everything the last step led to has come; that step, None before the first."""
        if self._step is not None:
            self._complete()
        return self.steps[-1] if self.steps else None

    def finish(self, ends_process: bool) -> None:
        """The execution is over; `ends_process`: inside the segment of its last step (erratum E21)."""
        if self._step is not None:
            self._complete(ends_process)


def _event(said: bytes) -> Event:
    return _FIELDS.unpack(said)


def _forget_if_full(known: dict[Any, Any]) -> None:
    if len(known) >= _LARGEST:
        known.clear()


def _accesses(event: Event) -> list[ObjectAccess]:
    end = FIRST_ACCESS + 3 * event[_COUNT]
    return [ObjectAccess(event[i], bool(event[i + 2]), event[i + 1]) for i in range(FIRST_ACCESS, end, 3)]


def _words_above(event: Event) -> int:
    """Threads 64 and up of a set event: it says which word the first access holds."""
    mask = 0
    for word in range(event[_COUNT]):
        mask |= event[FIRST_ACCESS + 3 * word] << (64 * (event[VALUE] + word))
    return mask
