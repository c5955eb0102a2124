"""One schedule under gdb: starts gdb and, whenever gdb asks, a new process of the program that waits to be attached to.

Invariant: every process started here is gone when `run_gdb` returns; the program runs on kernel threads, in the process gdb attaches to.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from bpor.errors import BporError, UsageError
from bpor.lazy_dataclass import replace
from bpor.model.plan import Plan
from bpor.target.channel import BATCH, Capture, TargetGone, TargetSilent
from bpor.target.launch import Target
from bpor.target.mode import Mode
from bpor.target.options import TargetOptions
from bpor.target.program import TargetProgram
from bpor.target.workspace import Workspace

COMMANDS = Path(__file__).with_name("gdb_commands.py")
_KERNEL_THREADS = Mode(fibers=False, rollback=False)
_FOR_EVER = 1e6  # seconds: somebody thinks at a prompt


def run_gdb(program: TargetProgram, argv: Sequence[str], options: TargetOptions, plan: Plan, steps: Sequence[str], batch: bool) -> str:
    """Returns what the program printed in its last execution. `steps`: what gdb calls each step."""
    gdb = shutil.which("gdb")
    if gdb is None:
        raise UsageError("gdb is not installed; --step and --print work without it")
    workspace = Workspace()
    try:
        with _Supply(program, argv, options, replace(plan, debugger=True), workspace) as supply:
            facts = workspace.root / "gdb.json"
            facts.write_text(json.dumps({"request": supply.request, "answer": supply.answer, "steps": list(steps), "batch": batch}))
            words = [gdb, "-nx", "-q", *(["-batch"] if batch else []), "-x", str(COMMANDS)]
            _run(words, {**os.environ, "BPOR_GDB": str(facts)}, (supply.request, supply.answer), batch)
            return supply.output()
    finally:
        workspace.close()


def _run(words: list[str], environment: dict[str, str], descriptors: tuple[int, int], batch: bool) -> None:
    """Ctrl-C is gdb's while it runs."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if threading.current_thread() is threading.main_thread() else None
    try:
        subprocess.run(words, env=environment, pass_fds=descriptors, check=False, stdin=subprocess.DEVNULL if batch else None)
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


class _Supply:
    """A thread that answers each line gdb writes with the process id of a new target."""

    def __init__(self, program: TargetProgram, argv: Sequence[str], options: TargetOptions, plan: Plan, workspace: Workspace) -> None:
        self._program, self._argv, self._options, self._plan, self._workspace = program, argv, options, plan, workspace
        self._out, self._err = Capture("stdout"), Capture("stderr")
        self._requests, self.request = os.pipe()
        self.answer, self._answers = os.pipe()
        self._target: Target | None = None
        self._drain: threading.Thread | None = None
        self._thread = threading.Thread(target=self._serve, name="targets for gdb", daemon=True)

    def output(self) -> str:
        return self._out.take(1 << 20).decode("utf-8", "replace") + self._err.take(1 << 20).decode("utf-8", "replace")

    def _serve(self) -> None:
        while os.read(self._requests, 1):
            try:
                self._drop()
                self._target = self._start()
                pid = int(self._target.channel.shared.claimed)  # behind a wrapper script not the process we started
            except BporError:
                pid = 0
            os.write(self._answers, f"{pid}\n".encode())

    def _start(self) -> Target:
        self._out.take(0), self._err.take(0)
        target = Target(self._program, self._argv, self._options, _KERNEL_THREADS, self._workspace, self._out, self._err)
        target.channel.send_plan(self._plan, describe=False)
        self._drain = threading.Thread(target=_read_events, args=(target,), daemon=True)
        self._drain.start()
        return target

    def _drop(self) -> None:
        """The process first: its end of the pipe closes, so the thread that reads it ends."""
        if self._target is not None:
            self._target.kill()
            if self._drain is not None:
                self._drain.join()
            self._target.close()
            self._target = None

    def __enter__(self) -> _Supply:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.request)
        self._thread.join()
        self._drop()
        for descriptor in (self._requests, self.answer, self._answers):
            os.close(descriptor)
        self._out.close()
        self._err.close()


def _read_events(target: Target) -> None:
    """A full half of the event buffer would stop the program: nobody wants the events, but somebody must take them."""
    while True:
        try:
            kind, number, _ = target.channel.receive(_FOR_EVER)
        except (TargetGone, TargetSilent):
            return
        if kind == BATCH:
            target.channel.full_half(number)
