"""An oracle for x86-TSO of its own: FIFO store buffers (Owens, Sarkar, Sewell, "A Better x86 Memory Model: x86-TSO", TPHOLs 2009).

It shares nothing with bpor.simulate.weak but the programs: threads of atomic accesses and fences.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from bpor.simulate.memory import Fence, _AtomicAction
from bpor.simulate.program import Program
from bpor.simulate.unroll import UnrolledNode, Unrolling
from bpor.simulate.weak.order import Order
from tests.property.weak_trial import observed

Buffer = tuple[tuple[int, Hashable], ...]
State = tuple[tuple[UnrolledNode, ...], tuple[Buffer, ...], frozenset[tuple[int, Hashable]]]
Final = tuple[tuple[int, ...], frozenset[tuple[int, Hashable]]]


def finals(program: Program, most: int = 50_000) -> set[Final] | None:
    """What each thread has observed (its node) and what memory holds at the end; None: more than `most` states."""
    unrolling = Unrolling()
    start: State = (tuple(unrolling.root(body) for body in program.threads), ((),) * len(program.threads), frozenset())
    found: set[Final] = set()
    known, left = {_key(start)}, [start]
    while left:
        state = left.pop()
        following = list(_steps(state))
        if not following:
            found.add((tuple(observed(node) for node in state[0]), state[2]))
        for after in following:
            if _key(after) not in known:
                known.add(_key(after))
                left.append(after)
        if len(known) > most:
            return None
    return found


def _key(state: State) -> Hashable:
    return tuple(node.number for node in state[0]), state[1], state[2]


def _steps(state: State) -> Iterator[State]:
    nodes, buffers, memory = state
    for thread, (node, buffer) in enumerate(zip(nodes, buffers, strict=True)):
        if buffer:
            yield nodes, _with(buffers, thread, buffer[1:]), _stored(memory, *buffer[0])
        if node.action is not None:
            yield from _step(state, thread, node, buffer)


def _step(state: State, thread: int, node: UnrolledNode, buffer: Buffer) -> Iterator[State]:
    nodes, buffers, memory = state
    action = node.action
    if isinstance(action, Fence):
        if not buffer or action.fence is not Order.SEQ_CST:
            yield _with(nodes, thread, node.observe(None)), buffers, memory
        return
    assert isinstance(action, _AtomicAction)
    atomic = action.atomic
    if atomic.stores is None:
        yield _with(nodes, thread, node.observe(_load(atomic.location, buffer, memory))), buffers, memory
    elif not atomic.loads and atomic.order is not Order.SEQ_CST:
        written = atomic.stores(None)
        assert written is not None
        yield _with(nodes, thread, node.observe(None)), _with(buffers, thread, (*buffer, (atomic.location, written[0]))), memory
    elif not buffer:  # a locked instruction, or a store followed by a fence
        old = dict(memory).get(atomic.location, 0)
        new = atomic.stores(old)
        after = memory if new is None else _stored(memory, atomic.location, new[0])
        yield _with(nodes, thread, node.observe(old if atomic.loads else None)), buffers, after


def _load(location: int, buffer: Buffer, memory: frozenset[tuple[int, Hashable]]) -> Hashable:
    own = [value for stored, value in buffer if stored == location]
    return own[-1] if own else dict(memory).get(location, 0)


def _stored(memory: frozenset[tuple[int, Hashable]], location: int, value: Hashable) -> frozenset[tuple[int, Hashable]]:
    return frozenset((dict(memory) | {location: value}).items())


def _with(values: tuple[object, ...], position: int, value: object) -> tuple:  # type: ignore[type-arg]
    return (*values[:position], value, *values[position + 1 :])
