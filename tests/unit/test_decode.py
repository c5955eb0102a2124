"""Events become steps: what is equal is decoded once, what comes apart is put together."""

from __future__ import annotations

from bpor.model.operation import ObjectAccess
from bpor.protocol import wire
from bpor.protocol.ops import Op
from bpor.target.decode import Decoder, Vocabulary

LOCK = 1 << 60
NOBODY = wire.NO_THREAD


def event(
    kind: str, thread: int, op: Op = Op.MUTEX_LOCK, accesses: tuple[ObjectAccess, ...] = (), mask: int = 0, hash: int = 0, value: int = 7
) -> bytes:
    flat = [word for access in accesses for word in (access.object, access.size, access.write)]
    flat += [0] * (9 - len(flat))
    return wire.EVENT.pack(
        wire.constant(f"BPOR_EVENT_{kind}"), op.number, 0, len(accesses), thread, NOBODY, 0x400, value, mask, *flat, hash
    )


def decoded(events: list[bytes], vocabulary: Vocabulary | None = None) -> Decoder:
    decoder = Decoder(vocabulary or Vocabulary())
    for piece in events:
        decoder.feed(piece)
    decoder.finish(False)
    return decoder


def test_equal_events_of_two_executions_are_decoded_once_and_only_their_hashes_differ() -> None:
    vocabulary, touched = Vocabulary(), (ObjectAccess(LOCK, True),)
    steps = [
        decoded([event("PENDING", 1, accesses=touched) + event("STEP", 1, accesses=touched, mask=3, hash=hash)], vocabulary).steps[0]
        for hash in (11, 12)
    ]
    assert [step.hash for step in steps] == [11, 12]
    assert steps[0]._replace(hash=0) == steps[1]._replace(hash=0)
    assert steps[0].operation is steps[1].operation and steps[0].footprint is steps[1].footprint is steps[0].operation.footprint
    assert (steps[0].thread, steps[0].enabled, steps[0].value, steps[0].operation.kind) == (1, 3, 7, Op.MUTEX_LOCK)


def test_accesses_and_threads_that_do_not_fit_into_an_event_come_before_it_and_belong_to_nothing_else() -> None:
    first, last = (ObjectAccess(LOCK, True), ObjectAccess(LOCK + 1, False), ObjectAccess(LOCK + 2, True)), (ObjectAccess(LOCK + 3, True),)
    above = event("ENABLED", 0, accesses=(ObjectAccess(0b101, False),), value=1) + event(
        "ENABLED", 0, accesses=(ObjectAccess(1, False),), value=4
    )
    timed = event("TIMED", 0, mask=2)
    told = [event("ACCESSES", 1, accesses=first), event("PENDING", 1, accesses=last)]
    told += [timed, above, event("ACCESSES", 1, accesses=first), event("STEP", 1, accesses=last, mask=2)]
    told += [event("PENDING", 1, accesses=last), event("STEP", 1, accesses=last, mask=2), event("FINISHED", 1)]
    whole, plain = decoded(told).steps
    assert whole.footprint == whole.operation.footprint == first + last
    assert (whole.enabled, whole.timed) == (1 << 256 | 0b101 << 64 | 2, 2)
    assert [operation.footprint for _, operation in whole.announced] == [last]
    assert (plain.footprint, plain.enabled, plain.timed, plain.finished) == (last, 2, 0, (1,))
