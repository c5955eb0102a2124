"""Launch: starts a target through bpor-launch and waits until it stands at its fork point.

Invariant: a target that cannot start, dies before the handshake or never answers is explained in one line; nothing hangs and
nothing is left.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from typing import Protocol

from bpor.errors import InternalError, OutOfTime, TooSlow, Uncontrolled, UsageError
from bpor.knobs.values import MEMORY_ORDERS, process_states
from bpor.model.orders import OrderAt
from bpor.model.trust import TrustedCode
from bpor.native_parts import NATIVE
from bpor.protocol import wire
from bpor.target.channel import END, FAILED, HELLO, Capture, Channel, TargetGone, TargetSilent
from bpor.target.company import Company, let_go
from bpor.target.environment import controlled_environment
from bpor.target.memory import Memory
from bpor.target.mode import Mode
from bpor.target.options import TargetOptions
from bpor.target.program import TargetProgram
from bpor.target.python import is_free_threaded, is_python, python_arguments, python_environment
from bpor.target.sanitizers import asan_preload
from bpor.target.segments import remove_segments
from bpor.target.watch import TargetWatch, at_work, is_over, parent_of
from bpor.target.workspace import Workspace, users_preload

_LOADING = 5.0  # seconds that a program has at least until its fork point: a busy machine loads slowly, an interpreter looks for garbage
_COURTESY = 1.0  # seconds to start a program when time is over
_NAP = 0.005  # seconds
_ENDING = 5.0  # seconds for the processes of a target to be gone
_MODULE_BYTES = 111  # of a module's name (csrc/protocol/protocol.h)
_LINKER_GAVE_UP = 127  # the dynamic linker's exit status
_SIGNAL = {"any": "BPOR_SIGNAL_ANY", "fifo": "BPOR_SIGNAL_FIFO"}
_TIMEOUTS = {"idle": "BPOR_TIMEOUTS_IDLE", "explore": "BPOR_TIMEOUTS_EXPLORE"}
_RACES = {"report": "BPOR_RACES_REPORT", "strict": "BPOR_RACES_REPORT", "off": "BPOR_RACES_OFF", "explore": "BPOR_RACES_EXPLORE"}
_GIL = {"none": "BPOR_GIL_NONE", "real": "BPOR_GIL_REAL", "off": "BPOR_GIL_OFF"}
_FORK_AT = {"main": "BPOR_FORK_AT_MAIN", "first-thread": "BPOR_FORK_AT_FIRST_THREAD", "ready": "BPOR_FORK_AT_READY"}


class NeedsLazyBinding(Exception):
    """The program names functions that do not exist and that it may never call: it cannot start with LD_BIND_NOW, so not with rollback."""


class Process(Protocol):
    """What of subprocess.Popen a target needs."""

    pid: int

    def wait(self) -> int: ...
    def kill(self) -> None: ...


class Target:
    """One target process, waiting at its fork point."""

    def __init__(
        self,
        program: TargetProgram,
        argv: Sequence[str],
        options: TargetOptions,
        mode: Mode,
        workspace: Workspace,
        out: Capture,
        err: Capture,
        memory: Memory | None = None,
        worker: int = 0,
    ) -> None:
        self.channel = Channel(memory)
        self._stdin = options.stdin
        self._fill_config(program, options, mode, workspace)
        self.channel.shared.config.worker = worker
        let_go()  # the target is told how many processors there are
        self._began = time.time()
        try:
            self.process: Process = self._start(program, argv, workspace, out, err)
        except BaseException:
            self.channel.close()
            raise
        try:
            self.channel.started()
            self._shake_hands(program, options, err)
        except BaseException:
            self.close()
            raise
        self.company = Company(self.controlled)

    def _fill_config(self, program: TargetProgram, options: TargetOptions, mode: Mode, workspace: Workspace) -> None:
        config = self.channel.shared.config
        anybody = program.is_script or (mode.follows and not program.behind)
        config.signal_choice = wire.constant(_SIGNAL[options.signal])
        config.timeouts = wire.constant(_TIMEOUTS[options.timeouts])
        config.spurious = options.spurious
        config.stacks = options.stacks
        config.races = wire.constant(_RACES[options.races])
        self.weaken(options.memory)
        self.reorder(program, options.orders)
        self.trust(options.trusted)
        config.asks = options.asks
        config.processors = options.processors
        config.faults = options.faults
        config.quarantine = options.quarantine
        config.symmetry = wire.constant(f"BPOR_SYMMETRY_{options.symmetry.upper()}")
        config.retries = wire.constant(f"BPOR_RETRIES_{options.retries.upper()}")
        config.checkpoints = wire.constant(f"BPOR_CHECKPOINTS_{options.checkpoints.upper()}")
        self.show(options.visible, options.process_state)
        self.infer(options.polling)
        config.fork_at = wire.constant(_FORK_AT["first-thread" if anybody else options.fork_at])
        config.carrier = wire.constant("BPOR_CARRIER_FIBERS" if mode.fibers else "BPOR_CARRIER_THREADS")
        config.reset = wire.constant(f"BPOR_RESET_{mode.reset.upper()}")
        config.pool = mode.pool
        config.gil = wire.constant(_GIL[options.gil])
        config.unexplored = options.unexplored
        config.watchdog_ms = max(1, int(options.watchdog * 1000))
        config.output_limit_kib = options.output_limit // 1024
        config.any_program = anybody
        config.family = mode.family
        config.process = options.process
        config.controller = os.getpid()
        config.controller_shared, config.controller_plan, config.controller_events = self.channel.own_descriptors
        config.machine = os.fsencode(options.machine)
        config.library = os.fsencode(workspace.preload())
        config.program_device, config.program_inode = program.device, program.inode
        config.seed = options.seed
        config.temporary = os.fsencode(workspace.temporary)
        config.preload = os.fsencode(users_preload(os.environ.get("LD_PRELOAD", "")))

    def show(self, visible: tuple[tuple[int, int], ...], process_state: str) -> None:
        """Plain accesses of these places, and uses of this state, are operations, from the next execution on."""
        config = self.channel.shared.config
        config.process_state = _state_bits(process_state)
        config.visible_count = len(visible)
        names_first = sorted(visible, key=lambda place: place[1] > 0)
        for place, (identity, size) in zip(config.visible, names_first, strict=False):
            place.object, place.size = identity, size

    def weaken(self, memory: str) -> None:
        """Atomic accesses may take what this model allows, from the next execution on."""
        shared = self.channel.shared
        shared.config.memory = wire.constant(f"BPOR_MEMORY_{memory.upper()}")
        shared.weak_offered = shared.weak_dropped = 0

    def reorder(self, program: TargetProgram, orders: tuple[OrderAt, ...]) -> None:
        """At these call sites the program's memory orders are others, from the next execution on."""
        config = self.channel.shared.config
        main = os.path.basename(program.path)
        config.order_count = len(orders)
        for place, at in zip(config.order, orders, strict=False):
            place.module = b"" if at.module == main else os.fsencode(at.module)[:_MODULE_BYTES]
            place.offset = at.offset
            place.order, place.failure = _order_number(at.order), _order_number(at.failure)

    def trust(self, trusted: tuple[TrustedCode, ...]) -> None:
        """What this code does inside is not explored."""
        config = self.channel.shared.config
        config.trusted_count = len(trusted)
        for place, code in zip(config.trusted, trusted, strict=False):
            place.module = os.fsencode(code.module)
            place.start, place.end, place.independent = code.start, code.end, code.independent

    def infer(self, polling: tuple[int, ...]) -> None:
        """At these call sites being there again is a yield, from the next execution on."""
        config = self.channel.shared.config
        config.polling_count = min(len(polling), len(config.polling))
        for number, site in enumerate(polling[: len(config.polling)]):
            config.polling[number] = site

    def _start(self, program: TargetProgram, argv: Sequence[str], workspace: Workspace, out: Capture, err: Capture) -> Process:
        shared, plan, events = self.channel.descriptors
        preload = ":".join(filter(None, (asan_preload(program.elf), workspace.preload())))
        command = [str(NATIVE / "bpor-launch"), str(os.getpid()), str(shared), str(plan), str(events), preload]
        out.renew()
        err.renew()
        try:
            with open(self._stdin or os.devnull, "rb") as stdin:
                return subprocess.Popen(
                    [*command, program.path, *(python_arguments(argv[1:]) if is_python(program) else argv[1:])],
                    stdin=stdin,
                    stdout=out.fd,
                    stderr=err.fd,
                    pass_fds=self.channel.descriptors,
                    env=_environment(program),
                )
        except OSError as error:
            raise InternalError(f"cannot start bpor-launch: {error}") from None

    def _shake_hands(self, program: TargetProgram, options: TargetOptions, err: Capture) -> None:
        name = os.path.basename(program.path)
        limit = max(options.watchdog, _LOADING)
        try:
            kind, a, b = self._first_message(options, limit)
        except TargetGone:
            self.how_it_ended()
            if self.channel.shared.config.bound_now and self.process.wait() == _LINKER_GAVE_UP:
                raise NeedsLazyBinding from None
            raise Uncontrolled(self._why_it_died(name, err)) from None
        except TargetSilent:
            raise TooSlow(
                f"{name} did not reach its fork point ({options.fork_at}) within {limit:g} s;"
                " raise --watchdog, or choose an earlier point with --fork-at"
            ) from None
        if kind == END:
            raise Uncontrolled(self._why_none(name, options.process))
        if (kind == FAILED and b != wire.VERSION) or kind not in (FAILED, HELLO):
            raise InternalError("the preload library and the controller are of different versions; reinstall bpor-native")
        if kind == FAILED and a == 0:
            raise InternalError("the preload library and the controller disagree about the protocol; reinstall bpor-native")
        if kind == FAILED:
            raise UsageError(f"cannot run {program.path}: {os.strerror(a)}")
        if program.elf is not None and program.elf.has_stub and not self.attached and not self.other_than(program):
            raise InternalError(f"{name} was built by `bpor-native cc`, but its callbacks did not find the preload library")
        if self.channel.shared.needs == wire.constant("BPOR_NEED_CHANGE"):
            raise Uncontrolled(f"{name}: {self.why_not_faster}")
        if b > 1:
            raise Uncontrolled(f"{b - 1} threads already ran in {name} at its fork point; use --fork-at main or start them in main")

    def _first_message(self, options: TargetOptions, limit: float) -> tuple[int, int, int]:
        watch = TargetWatch(limit, lambda: 0, lambda: at_work(self.process.pid))
        until = time.monotonic() + options.deadline.allows(_COURTESY)
        while True:
            try:
                return self.channel.receive(min(watch.tick, max(until - time.monotonic(), 0.0)))
            except TargetSilent:
                if watch.overdue():
                    raise
                if time.monotonic() >= until:
                    raise OutOfTime("the program did not reach its fork point in time") from None

    def _why_it_died(self, name: str, err: Capture) -> str:
        how = self.how_it_ended()
        if self.channel.shared.end.outcome == wire.constant("BPOR_OUTCOME_REFUSED"):
            return wire.text_of(self.channel.shared.end.message)
        if self.channel.shared.stranger.state:
            stranger = self.channel.shared.stranger
            return f"{wire.text_of(stranger.name)} {wire.text_of(stranger.deed)}, which cannot be controlled; use pthread_create"
        words = err.take(4096).decode("utf-8", "replace").strip().splitlines()
        said = f"; it said: {words[-1]}" if words else ""
        if not self.channel.shared.claimed:
            return f"{name} {how} before the preload library took control (is it static, or does a wrapper hide it?){said}"
        return f"{name} {how} before it reached its fork point{said}"

    def _why_none(self, name: str, process: int) -> str:
        """All processes have ended, or one of them was stopped, before there was anything to control."""
        shared = self.channel.shared
        if shared.end.outcome == wire.constant("BPOR_OUTCOME_REFUSED"):
            return wire.text_of(shared.end.message)
        if process:
            return f"{name}: there is no process {process}; {int(shared.turns.taken)} make threads one after the other"
        return f"{name}: a process of it made a thread before, and this time none did: it does not repeat itself"

    @property
    def controlled(self) -> int:
        """The process that has the threads."""
        return int(self.channel.shared.claimed) or self.process.pid

    def other_than(self, program: TargetProgram) -> str:
        """The path of the controlled program if it is not the one that was given; else empty."""
        path = wire.path_of(self.channel.shared.claimed_path)
        with contextlib.suppress(OSError):
            status = os.stat(path)
            return path if (status.st_dev, status.st_ino) != (program.device, program.inode) else ""
        return path if path != program.path else ""

    @property
    def why_family(self) -> str:
        """Why an execution must be all processes of the program; empty: it need not."""
        shared = self.channel.shared
        if self.controlled != (int(shared.first) or self.process.pid):
            return f"{wire.text_of(shared.claimed_name)}, which makes the threads, is not the process that was started"
        return "another process, which every execution needs, ran before the first thread" if shared.has_children else ""

    @property
    def rolls_back(self) -> bool:
        return bool(self.channel.shared.rolls_back)

    @property
    def needs_exec(self) -> bool:
        """Something is shared by all children of this process, and cannot be put back."""
        return bool(self.channel.shared.needs == wire.constant("BPOR_NEED_EXEC"))

    @property
    def has_fibers(self) -> bool:
        return bool(self.channel.shared.config.carrier == wire.constant("BPOR_CARRIER_FIBERS"))

    @property
    def why_not_faster(self) -> str:
        return wire.text_of(self.channel.shared.end.message)

    @property
    def attached(self) -> tuple[str, ...]:
        """Instrumented modules that handed over their callbacks before the fork point, by path."""
        return tuple(wire.text_of(self.channel.shared.attached).splitlines())

    @property
    def aslr_off(self) -> bool:
        return bool(self.channel.shared.config.aslr_off)

    def how_it_ended(self) -> str:
        """Of one that closed its end of the pipes, which is mostly because it is over."""
        until = time.monotonic() + _COURTESY
        while not is_over(self.process.pid) and time.monotonic() < until:
            time.sleep(_NAP)
        self.process.kill()
        return _ended(self.process.wait())

    def kill(self) -> None:
        """Nothing of the target survives: its whole process group goes, that of its execution, and of a family every process."""
        if self.channel.shared.first:
            self._end_family()
        child = int(self.channel.shared.child)
        for group in (*([child] if parent_of(child) == self.process.pid else []), self.process.pid):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        remove_segments(self.process.pid, self._began)

    def _end_family(self) -> None:
        """The launcher ends them all, wherever they are, and itself last."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGTERM)
        with contextlib.suppress(TargetGone, TargetSilent, InternalError):
            while True:
                self.channel.receive(_ENDING)

    def close(self) -> None:
        let_go()
        self.kill()
        self.channel.close()


def _ended(status: int) -> str:
    return f"was killed by {signal.Signals(-status).name}" if status < 0 else f"exited with status {status}"


def _environment(program: TargetProgram) -> dict[str, str]:
    environment = controlled_environment(program.elf, os.environ)
    return python_environment(environment, is_free_threaded(program)) if is_python(program) else environment


def _order_number(name: str) -> int:
    if name in MEMORY_ORDERS:
        return MEMORY_ORDERS.index(name)
    return int(wire.constant("BPOR_ORDER_NONE" if name else "BPOR_ORDER_KEPT"))


def _state_bits(process_state: str) -> int:
    if process_state == "off":
        return 0
    explored = (wire.constant(f"BPOR_STATE_{name.upper()}") for name in process_states(process_state))
    return wire.constant("BPOR_STATE_WATCH") | sum(explored)
