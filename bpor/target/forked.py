"""A template that this very process forks: a test runner with its fixtures set up, instead of a program started afresh.

Invariant: everything else is as with a program that was launched: the same conversation, the same plans, the same ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Sequence

from bpor.errors import EngineUnfit, Uncontrolled
from bpor.lazy_dataclass import dataclass
from bpor.model.plan import Plan
from bpor.model.trace import Description, Trace
from bpor.target.channel import Capture
from bpor.target.executor import NativeExecutor
from bpor.target.exploring import ExploringExecutor
from bpor.target.kept_directory import KeptDirectory
from bpor.target.launch import Process, Target
from bpor.target.memory import Memory
from bpor.target.mode import Mode
from bpor.target.options import TargetOptions
from bpor.target.program import TargetProgram
from bpor.target.workspace import Workspace

_NOTE_BYTES = 1 << 20


class EndedEarly(Exception):
    """The template came to its end before it was one: nothing was there to explore. Carries what it noted."""

    def __init__(self, note: bytes) -> None:
        self.note = note


@dataclass(frozen=True, slots=True)
class Inherited:
    """The descriptors that a forked template finds: the controller's channel, and files for what it says."""

    shared: int
    plan: int
    events: int
    out: int
    err: int
    note: int


Start = Callable[[Inherited], int]  # forks: the child's number here, and there it never returns


class ForkedProcess:
    """As much of subprocess.Popen as a child that we forked ourselves needs."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status: int | None = None

    def wait(self) -> int:
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status

    def kill(self) -> None:
        if self._status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


class ForkedTarget(Target):
    def __init__(
        self,
        start: Start,
        note: Capture,
        program: TargetProgram,
        argv: Sequence[str],
        options: TargetOptions,
        mode: Mode,
        workspace: Workspace,
        out: Capture,
        err: Capture,
        memory: Memory,
    ) -> None:
        self._fork, self._note = start, note
        super().__init__(program, argv, options, mode, workspace, out, err, memory)

    def _start(self, program: TargetProgram, argv: Sequence[str], workspace: Workspace, out: Capture, err: Capture) -> Process:
        config = self.channel.shared.config
        config.processors = len(os.sched_getaffinity(0))
        shared, plan, events = self.channel.descriptors
        return ForkedProcess(self._fork(Inherited(shared, plan, events, out.fd, err.fd, self._note.fd)))

    def _why_it_died(self, name: str, err: Capture) -> str:
        if note := self._note.take(_NOTE_BYTES).removeprefix(b"?"):
            raise EndedEarly(note)
        return super()._why_it_died(name, err)


class ForkedExecutor(NativeExecutor):
    """`notes` is what executions wrote down besides how they ended, the last one last."""

    def __init__(
        self,
        name: str,
        start: Start,
        ended: Callable[[], None],
        options: TargetOptions,
        program: TargetProgram,
        directories: Sequence[str] = (),
    ) -> None:
        """`ended` is called when a process that `start` forked is gone."""
        super().__init__((name,), options, program)
        self._ended = ended
        self.notes: list[bytes] = []
        self._fork = start
        self._note = Capture("note")
        self._directories = [KeptDirectory(path, self._workspace.root / f"kept-{n}") for n, path in enumerate(directories)]

    def _launch(self) -> Target:
        for directory in self._directories:
            directory.remember_first()
        self._ask_for_note()
        target = ForkedTarget(
            self._fork,
            self._note,
            self.program,
            self.argv,
            self.options,
            self.mode,
            self._workspace,
            self._out,
            self._err,
            self._memory,
        )
        self._take_note()
        for directory in self._directories:
            directory.remember()
        return target

    def _drop_target(self) -> None:
        if self._target is not None:
            super()._drop_target()
            self._ended()

    def _change_mode(self, mode: Mode, reason: str) -> None:
        if mode.exec:
            raise Uncontrolled(f"{reason}; make it in the test itself, after its first thread")
        super()._change_mode(mode, reason)

    def _run_once(self, plan: Plan, describe: bool) -> Trace:
        self._target or self._start()
        if describe:
            self._ask_for_note()
        return super()._run_once(plan, describe)

    def _run(self, plan: Plan, describe: bool) -> Trace:
        trace = super()._run(plan, describe)
        if not self.mode.rollback:  # with it nothing can have been written
            for directory in self._directories:
                directory.restore()
        if note := self._take_note():
            self.notes.append(note)
        return trace

    def _take_note(self) -> bytes:
        return self._note.take(_NOTE_BYTES).removeprefix(b"?")

    def describe(self, plan: Plan) -> tuple[Trace, Description]:
        trace, description = super().describe(plan)
        if self.notes:
            description.account = self.notes[-1].decode("utf-8", "replace")
        return trace, description

    def _ask_for_note(self) -> None:
        """To word a failure takes longer than an execution: whoever finds the file empty leaves the words out."""
        os.write(self._note.fd, b"?")

    def close(self) -> None:
        for directory in self._directories:
            directory.restore_first()
        super().close()
        self._note.close()


class ForkedExploringExecutor(ForkedExecutor, ExploringExecutor):
    def _start(self) -> Target:
        target = super()._start()  # which may find out that nothing can be rolled back here
        if self._directories and not self.mode.rollback:
            raise EngineUnfit("the files of a test are put back after each execution")
        return target

    def _carry_out(self) -> None:
        super()._carry_out()
        if note := self._take_note():
            self.notes.append(note)
