"""Events from the wire to steps. One Decoder per execution; fed in any number of pieces.

Executions of one program do the same few things again and again: `Vocabulary` remembers what was decoded before, so that equal footprints
and operations are made once.
"""

from __future__ import annotations

from bpor.model.operation import Access, Footprint, Operation
from bpor.model.step import Step
from bpor.model.trace import Description, ScriptFrame
from bpor.protocol import wire
from bpor.protocol.ops import BY_NUMBER

_STEP = wire.constant("BPOR_EVENT_STEP")
_PENDING = wire.constant("BPOR_EVENT_PENDING")
_FINISHED = wire.constant("BPOR_EVENT_FINISHED")
_ENABLED = wire.constant("BPOR_EVENT_ENABLED")
_TIMED = wire.constant("BPOR_EVENT_TIMED")
_ACCESSES = wire.constant("BPOR_EVENT_ACCESSES")
_HELD = wire.constant("BPOR_EVENT_HELD")
_OBJECT = wire.constant("BPOR_EVENT_OBJECT")
_THREAD = wire.constant("BPOR_EVENT_THREAD")
_FRAME = wire.constant("BPOR_EVENT_FRAME")
_SCRIPT = wire.constant("BPOR_EVENT_SCRIPT")
_YIELD = wire.constant("BPOR_FLAG_YIELD")
_CUT = wire.constant("BPOR_FLAG_CUT")
_FAILED = wire.constant("BPOR_FLAG_FAILED")
_TIMEOUT = wire.constant("BPOR_FLAG_TIMEOUT")
_INFERRED = wire.constant("BPOR_FLAG_INFERRED")
_ORDER = wire.constant("BPOR_FLAG_ORDER")

# Fields of an unpacked event, in the order of protocol.h. Accesses that do not count are zero.
_TYPE, _OP, _FLAGS, _COUNT, _WHO, _TARGET, _SITE, _VALUE, _MASK, _HASH, _FIRST_ACCESS = range(11)
# What the flags of a step say: yields, cuts, failed, timed_out, inferred.
_SAID = [
    (bool(flags & _YIELD), bool(flags & _CUT), bool(flags & _FAILED), bool(flags & _TIMEOUT), bool(flags & _INFERRED))
    for flags in range(_ORDER)
]
_LARGEST = 1 << 16  # entries of a vocabulary; a program that does something new all the time forgets

Event = tuple[int, ...]


class Vocabulary:
    """Of one program: the footprints and operations that its executions consist of."""

    def __init__(self) -> None:
        self._footprints: dict[Event, Footprint] = {}
        self._operations: dict[tuple[int, int, int, int, Footprint], Operation] = {}

    def footprint(self, event: Event) -> Footprint:
        accesses = event[_FIRST_ACCESS:]
        known = self._footprints.get(accesses)
        if known is None:
            if len(self._footprints) >= _LARGEST:
                self._footprints.clear()
            known = self._footprints[accesses] = tuple(_accesses(event))
        return known

    def operation(self, event: Event, footprint: Footprint) -> Operation:
        said = (event[_OP], event[_FLAGS], event[_TARGET], event[_SITE], footprint)
        known = self._operations.get(said)
        if known is None:
            if len(self._operations) >= _LARGEST:
                self._operations.clear()
            joined = None if event[_TARGET] == wire.NO_THREAD else event[_TARGET]
            known = Operation(BY_NUMBER[event[_OP]], footprint, joined, event[_SITE], event[_FLAGS] // _ORDER)
            self._operations[said] = known
        return known


class Decoder:
    """`steps` lacks the step in progress until the next one begins or `finish` is called."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self.initial: dict[int, Operation] = {}
        self.steps: list[Step] = []
        self.pending: dict[int, Operation] = {}
        self.description = Description()
        self.script_places: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}  # (thread, its n-th operation) -> (text, line)
        self._step: tuple[Event, Footprint, int, int] | None = None  # the step in progress: event, footprint, enabled, timed
        self._operation: Operation | None = None  # what it was when it was pending
        self._announced: list[tuple[int, Operation]] = []
        self._finished: list[int] = []
        self._more: list[Access] = []
        self._timed = 0
        self._enabled_above = 0
        self._stack: list[int] = []
        self._script: list[tuple[int, int]] = []
        self._count: dict[int, int] = {}

    def feed(self, events: bytes | memoryview) -> None:
        for event in wire.EVENT.iter_unpack(events):
            kind = event[_TYPE]
            if kind == _STEP:
                self._begin(event)
            elif kind == _PENDING:
                self._announce(event)
            elif kind == _FINISHED:
                self._finished.append(event[_WHO])
                self.pending.pop(event[_WHO], None)
            else:
                self._take_detail(kind, event)

    def _take_detail(self, kind: int, event: Event) -> None:
        if kind == _ACCESSES:
            self._more.extend(_accesses(event))
        elif kind == _TIMED:
            self._timed = event[_MASK] | _words_above(event)
        elif kind == _ENABLED:
            self._enabled_above = _words_above(event)
        elif kind == _FRAME:
            self._stack.append(event[_SITE])
        elif kind == _SCRIPT:
            self._script.append((event[_SITE], event[_VALUE]))
        else:
            self._describe(kind, event)

    def _describe(self, kind: int, event: Event) -> None:
        if kind == _HELD:
            self.description.held.append((event[_WHO], event[_FIRST_ACCESS]))
        elif kind == _OBJECT:
            self.description.objects[event[_FIRST_ACCESS]] = (event[_VALUE], event[_SITE])
            if event[_WHO] != wire.NO_THREAD:
                self.description.owners[event[_FIRST_ACCESS]] = event[_WHO]
        elif kind == _THREAD:
            self.description.threads[event[_WHO]] = (event[_TARGET], event[_SITE])

    def _footprint(self, event: Event) -> Footprint:
        footprint = self._vocabulary.footprint(event)
        if self._more:
            footprint = (*self._more, *footprint)
            self._more.clear()
        return footprint

    def _begin(self, event: Event) -> None:
        self._complete()
        self._step = (event, self._footprint(event), event[_MASK] | self._enabled_above, self._timed)
        self._operation = self.pending.pop(event[_WHO])
        self._timed = self._enabled_above = 0

    def _announce(self, event: Event) -> None:
        thread = event[_WHO]
        operation = self._vocabulary.operation(event, self._footprint(event))
        self.pending[thread] = operation
        number = self._count[thread] = self._count.get(thread, -1) + 1
        if self._stack:
            self.description.stacks[thread, number] = tuple(self._stack)
            self._stack.clear()
        if self._script:
            self.script_places[thread, number] = tuple(self._script)
            self._script.clear()
        if self._step is None:
            self.initial[thread] = operation
        else:
            self._announced.append((thread, operation))

    def _complete(self, ends_process: bool = False) -> None:
        if self._step is None:
            return
        event, footprint, enabled, timed = self._step
        operation = self._operation
        assert operation is not None
        self.steps.append(
            Step(
                event[_WHO],
                operation,
                footprint,
                enabled,
                tuple(self._announced),
                tuple(self._finished),
                timed,
                *_SAID[event[_FLAGS] % _ORDER],
                ends_process or operation.kind.ends,
                event[_VALUE],
                event[_HASH],
            )
        )
        self._step = None
        self._announced.clear()
        self._finished.clear()

    def settle(self) -> Step | None:
        """Everything the last step led to has come; that step, None before the first."""
        self._complete()
        return self.steps[-1] if self.steps else None

    def finish(self, ends_process: bool) -> None:
        """The execution is over; `ends_process`: inside the segment of its last step (erratum E21)."""
        self._complete(ends_process)


def _accesses(event: Event) -> list[Access]:
    end = _FIRST_ACCESS + 3 * event[_COUNT]
    return [Access(event[i], bool(event[i + 2]), event[i + 1]) for i in range(_FIRST_ACCESS, end, 3)]


def _words_above(event: Event) -> int:
    """Threads 64 and up of a set event: word i + 1 in access i."""
    mask = 0
    for word in range(event[_COUNT]):
        mask |= event[_FIRST_ACCESS + 3 * word] << (64 * (word + 1))
    return mask


def scripts_of(places: dict[tuple[int, int], tuple[tuple[int, int], ...]], texts: str) -> dict[tuple[int, int], tuple[ScriptFrame, ...]]:
    """Python frames by (thread, its n-th operation); a place is where its line of `texts` begins, and a line number."""
    data = texts.encode()
    return {operation: tuple(_script_frame(data, begin, line) for begin, line in frames) for operation, frames in places.items()}


def _script_frame(texts: bytes, begin: int, line: int) -> ScriptFrame:
    function, _, file = texts[begin : texts.index(b"\n", begin)].decode("utf-8", "replace").partition(" ")
    return ScriptFrame(file, line, function)
