"""Channel: the shared mapping and the two pipes to one target process. Knows the protocol, nothing of plans' meaning."""

from __future__ import annotations

import array
import fcntl
import os
import select
from types import TracebackType
from typing import Any

from bpor.errors import Uncontrolled
from bpor.model.exploration import Sample
from bpor.model.mixing import seed_of
from bpor.model.plan import Plan
from bpor.protocol import wire
from bpor.target.memory import Memory

PLAN = wire.constant("BPOR_MESSAGE_PLAN")
PICK = wire.constant("BPOR_MESSAGE_PICK")
EXPLORE = wire.constant("BPOR_MESSAGE_EXPLORE")
SAVE = wire.constant("BPOR_MESSAGE_SAVE")
HELLO = wire.constant("BPOR_MESSAGE_HELLO")
BATCH = wire.constant("BPOR_MESSAGE_BATCH")
ASK = wire.constant("BPOR_MESSAGE_ASK")
END = wire.constant("BPOR_MESSAGE_END")
FAILED = wire.constant("BPOR_MESSAGE_FAILED")
_WAKE_NEXT = wire.constant("BPOR_PLAN_WAKE_NEXT")
_ASK = wire.constant("BPOR_PLAN_ASK")
_DESCRIBE = wire.constant("BPOR_PLAN_DESCRIBE")
_STOP = wire.constant("BPOR_PLAN_STOP")
_CHECK_HASH = wire.constant("BPOR_PLAN_CHECK_HASH")
_DEBUGGER = wire.constant("BPOR_PLAN_DEBUGGER")
_IDENTIFY = wire.constant("BPOR_PLAN_IDENTIFY")
_LASSO = wire.constant("BPOR_PLAN_LASSO")
_NAMES = wire.constant("BPOR_PLAN_NAMES")
_MATCH = wire.constant("BPOR_PLAN_MATCH")


class TargetGone(Exception):
    """The other end of the pipe is closed: the template died."""


class TargetSilent(Exception):
    """No message in time."""


class Channel:
    """Our ends: `shared`, `plan_write`, `event_read`. The target's: `descriptors`, closed here once it has started."""

    def __init__(self, given: Memory | None = None) -> None:
        memory = given or Memory()
        memory.renew()
        self._own = None if given else memory
        self._memory_fd, self._memory = memory.fd, memory.bytes
        self.shared: Any = memory.shared
        self.plan_read, self.plan_write = os.pipe2(os.O_CLOEXEC)
        self.event_read, self.event_write = os.pipe2(os.O_CLOEXEC)
        self._poll = select.poll()
        self._poll.register(self.event_read, select.POLLIN)
        self._consumed = 0  # events of the current half that were handed out already

    @property
    def descriptors(self) -> tuple[int, int, int]:
        return self._memory_fd, self.plan_read, self.event_write

    @property
    def own_descriptors(self) -> tuple[int, int, int]:
        """The other ends, which stay open here: a process of the target that has lost its own opens them through /proc."""
        return self._memory_fd, self.plan_write, self.event_read

    def started(self) -> None:
        """The target has its own copies: a closed pipe now means that it is gone."""
        os.close(self.plan_read)
        os.close(self.event_write)
        self.plan_read = self.event_write = -1

    def receive(self, timeout: float) -> tuple[int, int, int]:
        """The next message: (type, a, b)."""
        if not self._poll.poll(timeout * 1000):
            raise TargetSilent
        data = os.read(self.event_read, wire.MESSAGE.size)
        if not data:
            raise TargetGone
        magic, kind, a, b = wire.MESSAGE.unpack(data) if len(data) == wire.MESSAGE.size else (0, 0, 0, 0)
        if magic != wire.MAGIC:
            raise Uncontrolled("the program writes to descriptors that it did not open, and one of them is ours; let it leave them alone")
        return kind, a, b

    def send(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self.plan_write, view) :]
        except BrokenPipeError:
            raise TargetGone from None

    def send_plan(self, plan: Plan, describe: bool) -> None:
        self._consumed = 0
        self.send(wire.MESSAGE.pack(wire.MAGIC, PLAN, 0, 0) + pack_plan(plan, describe))

    def ask_to_save(self, tree: int) -> None:
        self.send(wire.MESSAGE.pack(wire.MAGIC, SAVE, tree, 0))

    def send_order(self) -> None:
        """The order itself lies in the mapping."""
        self.send(wire.MESSAGE.pack(wire.MAGIC, EXPLORE, 0, 0))

    def pick(self, thread: int | None) -> None:
        self.send(wire.MESSAGE.pack(wire.MAGIC, PICK, wire.NO_THREAD if thread is None else thread, 0))

    def new_events(self) -> bytes:
        """What the half being filled holds and was not handed out yet."""
        start, self._consumed = self._consumed, int(self.shared.events)
        return self._half(int(self.shared.batches), start, self._consumed)

    def full_half(self, number: int) -> bytes:
        """Half `number` is full; the target may write into it again once this returns."""
        start, self._consumed = self._consumed, 0
        events = self._half(number, start, wire.HALF_EVENTS)
        self.shared.batches_read = number + 1
        return events

    def _half(self, number: int, start: int, end: int) -> bytes:
        base = wire.EVENTS_OFFSET + number % 2 * wire.HALF_EVENTS * wire.EVENT.size
        return self._memory[base + start * wire.EVENT.size : base + end * wire.EVENT.size]

    def close(self) -> None:
        for fd in (self.plan_read, self.event_write, self.plan_write, self.event_read):
            if fd >= 0:
                os.close(fd)
        self.shared = None
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


class Capture:
    """stdout or stderr of the executions: a file in memory, because a pipe would block at 64 KiB."""

    def __init__(self, name: str) -> None:
        self.fd = os.memfd_create(f"bpor-{name}", os.MFD_CLOEXEC)
        self.renew()

    def renew(self) -> None:
        """The flags as a new process finds them: an earlier one may have changed them."""
        fcntl.fcntl(self.fd, fcntl.F_SETFL, os.O_APPEND)

    def size(self) -> int:
        return os.fstat(self.fd).st_size

    def take(self, limit: int) -> bytes:
        """What was written since the last time, at most `limit` bytes of it."""
        size = os.lseek(self.fd, 0, os.SEEK_END)
        if size == 0:
            return b""
        data = os.pread(self.fd, min(size, limit), 0)
        os.ftruncate(self.fd, 0)
        os.lseek(self.fd, 0, os.SEEK_SET)  # where the next execution stands in its output
        return data

    def close(self) -> None:
        os.close(self.fd)


def pack_plan(plan: Plan, describe: bool) -> bytes:
    prefix = array.array("H", plan.prefix).tobytes()
    payload = [prefix, b"\0" * (-len(prefix) % 8)]
    for thread, watch in plan.sleep:
        payload.append(wire.SLEEPER.pack(thread, len(watch)))
        payload += [wire.ACCESS.pack(access.object, access.size, access.write) for access in watch]
    flags = (
        _WAKE_NEXT * plan.wake_next
        | _ASK * (plan.chooser is not None)
        | _DESCRIBE * describe
        | _STOP * plan.stop_after_prefix
        | _CHECK_HASH * (plan.prefix_hash is not None)
        | _DEBUGGER * plan.debugger
        | _IDENTIFY * plan.identify
        | _MATCH * plan.match
        | _LASSO * plan.lasso
        | _NAMES * plan.match
    )
    limits = plan.limits
    body = b"".join(payload)
    return (
        wire.PLAN.pack(
            flags,
            len(plan.prefix),
            len(plan.sleep),
            *(wire.UNBOUNDED if limit is None else limit for limit in (limits.preemption, limits.fair, limits.context, limits.delta)),
            plan.max_steps,
            plan.report_from,
            len(body),
            plan.quantum,
            *(plan.compare or (0, 0)),
            plan.gather,
            0,
            max(len(plan.prefix) - 1, 0),
            *_drawn(plan.sample),
            plan.prefix_hash or 0,
        )
        + body
    )


def _drawn(sample: Sample | None) -> tuple[int, int, int, int, int]:
    if sample is None:
        return 0, 0, 0, 0, 0
    return sample.kind, sample.depth, sample.longest, 0, seed_of(sample.seed, sample.number)
