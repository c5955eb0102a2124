"""Why nobody can go on: what each blocked thread waits for, the cycle if there is one, and the signal that came too early."""

from __future__ import annotations

from collections.abc import Sequence

from bpor.lazy_dataclass import replace
from bpor.protocol.ops import Op
from bpor.report.finding import Held, ObjectName, SourceStep, ThreadAtEnd

_WAKERS = {
    Op.COND_WAKE: (Op.COND_SIGNAL, Op.COND_BROADCAST),
    Op.SEM_WAIT: (Op.SEM_POST,),
    Op.SEM_TIMEDWAIT: (Op.SEM_POST,),
}


def find_cycle(threads: Sequence[ThreadAtEnd]) -> tuple[int, ...]:
    """Blocked threads that wait for each other in a ring, smallest number first; empty if there is none. The shortest is the
    easiest to understand: another ring does not help the program."""
    waits = {t.number: t.waits_for for t in threads if t.blocked}
    best: tuple[int, ...] = ()
    for start in waits:
        ring = _ring_from(start, waits)
        if ring and (not best or len(ring) < len(best)):
            best = ring
    smallest = best.index(min(best)) if best else 0
    return best[smallest:] + best[:smallest]


def _ring_from(start: int, waits: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    """Breadth first, so the first way back to the start is a shortest one."""
    paths: list[tuple[int, ...]] = [(start,)]
    seen = {start}
    while paths:
        path = paths.pop(0)
        for following in waits.get(path[-1], ()):
            if following == start:
                return path
            if following in waits and following not in seen:
                seen.add(following)
                paths.append((*path, following))
    return ()


def with_remarks(threads: Sequence[ThreadAtEnd], steps: Sequence[SourceStep]) -> tuple[ThreadAtEnd, ...]:
    return tuple(replace(thread, remark=_remark(thread, threads, steps)) if thread.blocked else thread for thread in threads)


def _remark(thread: ThreadAtEnd, threads: Sequence[ThreadAtEnd], steps: Sequence[SourceStep]) -> str:
    """What the list of locks does not say; goes on after "waits for `m`," if somebody holds what is waited for."""
    if thread.number in thread.waits_for and thread.pending is not Op.JOIN:
        return "which it holds itself" + _before_it(thread, threads)
    ended = [t for t in threads if t.number in thread.waits_for and t.pending is None]
    if ended and thread.pending is not Op.JOIN:
        return f"which {ended[0].label} still held when it ended"
    if thread.pending in _WAKERS and thread.objects and not thread.waits_for:
        return _early_waker(thread, steps, thread.objects[0], _WAKERS[thread.pending])
    return ""


def _before_it(thread: ThreadAtEnd, threads: Sequence[ThreadAtEnd]) -> str:
    """Whoever reads a lock has to wait for it only behind a writer, which the lock prefers."""
    reads = thread.pending in (Op.RWLOCK_RDLOCK, Op.RWLOCK_TIMEDRDLOCK)
    writers = (t for t in threads if t.blocked and t.pending in (Op.RWLOCK_WRLOCK, Op.RWLOCK_TIMEDWRLOCK) and t.objects == thread.objects)
    writer = next(writers, None) if reads else None
    return f" for reading, behind {writer.label}, which waits to write" if writer is not None else ""


def _early_waker(thread: ThreadAtEnd, steps: Sequence[SourceStep], awaited: ObjectName, wakers: tuple[Op, ...]) -> str:
    """What became of the last signal or post: it came before the wait began (the classic lost wake-up), or another thread got it."""
    on_it = [step for step in steps if step.objects[:1] == (awaited,)]
    woken = next((step for step in reversed(on_it) if step.op in wakers), None)
    if woken is None:
        return f"there was no {wakers[0].text} on it at all"
    last = f"the last {woken.op.text} was step {woken.index} by T{woken.thread}{_at(woken)}"
    waited = next((step for step in reversed(steps) if step.thread == thread.number), None)
    if thread.pending is Op.COND_WAKE and waited is not None and woken.index < waited.index:
        return f"{last}, before this wait began at step {waited.index}"
    taker = next((s for s in on_it if s.index > woken.index and s.op is thread.pending and not s.failed), None)
    return f"{last}, and T{taker.thread} got it at step {taker.index}" if taker is not None else last


def _at(step: SourceStep) -> str:
    return f" ({step.site})" if step.site is not None else ""


def wait_text(thread: ThreadAtEnd, *, brief: bool = False) -> str:
    """`waits for `b``, as a sentence goes on after the thread's name. `brief`: without where an unnamed object comes from."""
    remark = f", {thread.remark}" if thread.waits_for and thread.remark else ""
    names = [f"`{name.name}`" if brief else str(name) for name in thread.objects] or ["something"]
    return _wait(thread, names[0], names[-1]) + remark


def _wait(thread: ThreadAtEnd, name: str, mutex: str) -> str:
    match thread.pending:
        case None:
            return "has ended"
        case Op.JOIN:
            return f"waits to join T{thread.waits_for[0]}" if thread.waits_for else "waits to join a thread"
        case Op.COND_WAKE if thread.waits_for:
            return f"was signalled on {name} and waits for {mutex} again"
        case Op.COND_WAKE:
            return f"waits for a signal on {name} that nobody will send"
        case Op.SEM_WAIT | Op.SEM_TIMEDWAIT:
            return f"waits for a post of {name} that nobody will do"
        case Op.SIGNAL_WAIT:
            return "waits for a signal that nobody will send"
        case Op.REGION_END:
            return "waits for all threads to be done"
        case Op.BARRIER_LEAVE:
            return f"waits at barrier {name} for threads that will not come"
        case Op.RWLOCK_RDLOCK | Op.RWLOCK_WRLOCK if thread.blocked:
            return f"waits to {thread.pending.text} {name}"
        case _ if thread.blocked:
            return f"waits for {name}"
    return f"could go on with {thread.pending.text}"


def held_text(held: Sequence[Held]) -> str:
    return " and ".join(str(lock.object) for lock in held)
