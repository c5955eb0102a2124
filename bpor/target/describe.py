"""DescribingDecoder: also takes what the events of a described execution say beyond its steps, for a report."""

from __future__ import annotations

from bpor.lazy_dataclass import replace
from bpor.model.trace import Description, NativeFrame, NativeStack, ScriptFrame
from bpor.protocol import wire
from bpor.target.decode import FIRST_ACCESS, FLAGS, MASK, SITE, TARGET, VALUE, WHO, Decoder, Event, Vocabulary

_HELD = wire.constant("BPOR_EVENT_HELD")
_OBJECT = wire.constant("BPOR_EVENT_OBJECT")
_THREAD = wire.constant("BPOR_EVENT_THREAD")
_FRAME = wire.constant("BPOR_EVENT_FRAME")
_SCRIPT = wire.constant("BPOR_EVENT_SCRIPT")
_ACCESS = 3  # fields of an access in an event


class DescribingDecoder(Decoder):
    def __init__(self, vocabulary: Vocabulary, with_stacks: bool = False) -> None:
        super().__init__(vocabulary)
        self._with_stacks = with_stacks  # also in the operations themselves
        self._description = Description()
        self._script_places: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}  # (thread, its n-th operation) -> (text, line)
        self._name_places: dict[int, int] = {}  # object -> where its name begins
        self._stack: list[NativeFrame] = []
        self._words: list[tuple[int, int]] = []
        self._script: list[tuple[int, int]] = []
        self._count: dict[int, int] = {}

    def description(self, texts: str) -> Description:
        """Once the execution is over; `texts`: the lines that Python frames and names refer to."""
        data = texts.encode()
        self._description.names = {named: _name_at(data, place) for named, place in self._name_places.items()}
        self._description.scripts = _scripts_of(self._script_places, texts)
        self._description.last = NativeStack(tuple(self._stack), tuple(self._words)) if self._stack else None
        return self._description

    def take_other(self, kind: int, event: Event) -> None:
        description = self._description
        if kind == _FRAME and event[FLAGS]:
            self._words.append((event[SITE], event[VALUE]))
        elif kind == _FRAME:
            (rbp, r14), (r12, r15), (r13, _) = (_two_values(event, FIRST_ACCESS + number * _ACCESS) for number in range(3))
            self._stack.append(NativeFrame(event[SITE], event[VALUE], (event[MASK], rbp, r12, r13, r14, r15)))
        elif kind == _SCRIPT:
            self._script.append((event[SITE], event[VALUE]))
        elif kind == _HELD:
            description.held.append((event[WHO], event[FIRST_ACCESS]))
        elif kind == _OBJECT and event[FLAGS]:
            self._name_places[event[FIRST_ACCESS]] = event[SITE]
        elif kind == _OBJECT:
            description.objects[event[FIRST_ACCESS]] = (event[VALUE], event[SITE])
            if event[WHO] != wire.NO_THREAD:
                description.owners[event[FIRST_ACCESS]] = event[WHO]
        elif kind == _THREAD:
            description.threads[event[WHO]] = (event[TARGET], event[SITE])
        else:
            super().take_other(kind, event)

    def announce(self, said: bytes) -> int:
        """With the stacks that came before it."""
        thread = super().announce(said)
        number = self._count[thread] = self._count.get(thread, -1) + 1
        if self._stack:
            addresses = tuple(frame.address for frame in self._stack)
            self._description.stacks[thread, number] = addresses
            self._description.frames[thread, number] = NativeStack(tuple(self._stack), tuple(self._words))
            if self._with_stacks:
                self.replace_announced(thread, replace(self.pending[thread], stack=addresses))
            self._stack.clear()
            self._words.clear()
        if self._script:
            self._script_places[thread, number] = tuple(self._script)
            self._script.clear()
        return thread


def _two_values(event: Event, access: int) -> tuple[int, int]:
    """That an access has room for: in its object, and in its size and kind (csrc/runtime/events.c)."""
    return event[access], event[access + 1] | event[access + 2] << 32


def _scripts_of(places: dict[tuple[int, int], tuple[tuple[int, int], ...]], texts: str) -> dict[tuple[int, int], tuple[ScriptFrame, ...]]:
    """Python frames by (thread, its n-th operation); a place is where its line of `texts` begins, and a line number."""
    data = texts.encode()
    return {operation: tuple(_script_frame(data, begin, line) for begin, line in frames) for operation, frames in places.items()}


def _line_at(texts: bytes, begin: int) -> str:
    return texts[begin : texts.index(b"\n", begin)].decode("utf-8", "replace")


def _name_at(texts: bytes, begin: int) -> str:
    """`/queue`, of a named semaphore; `name /queue`, of the name itself."""
    kind, _, name = _line_at(texts, begin).partition(" ")
    return f"{kind} /{name}".strip()


def _script_frame(texts: bytes, begin: int, line: int) -> ScriptFrame:
    function, _, file = _line_at(texts, begin).partition(" ")
    return ScriptFrame(file, line, function)
