"""Members: the crew of a search whose processes are on the workers of a cluster. SIGUSR1 tells how far each is."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from bpor.checking import why_in_python
from bpor.cluster.address import Address, parse_address
from bpor.cluster.asked import Comparing
from bpor.cluster.connection import Connection
from bpor.cluster.fitness import fitness_here
from bpor.cluster.jury import Jury
from bpor.cluster.lending import Lent
from bpor.cluster.member import Opening
from bpor.cluster.parcel import pack
from bpor.cluster.recovering import Recovering
from bpor.cluster.remote import RemoteMember
from bpor.errors import UsageError
from bpor.lazy_dataclass import replace
from bpor.model.deadline import Deadline
from bpor.search.explorer import Checkpoints
from bpor.search.options import AUTO, OFF
from bpor.search.registry import IN_PARTS
from bpor.settings import Settings
from bpor.target.crew import Crew
from bpor.target.exploring import ExploringExecutor
from bpor.target.program import TargetProgram, inspect_program
from bpor.target.python import is_python


class Members:
    """Context manager: connected while it is open."""

    def __init__(self, argv: Sequence[str], settings: Settings, lent: Lent | None = None) -> None:
        """`lent`: of a suite's cluster, for this test. Raises UsageError."""
        assert settings.cluster is not None
        program = inspect_program(argv[0])
        _refuse(program, settings)
        address = parse_address(settings.cluster, settings.insecure_cluster) if lent is None else Address(lent.url)
        send = [*filter(None, (settings.send_files or "").split(",")), *filter(None, (settings.stdin,))]
        self._packed = pack(program, argv, send, dict(os.environ))
        self._comparing = Comparing(self._packed.parcel, program.elf)
        self._fitness = fitness_here(program)
        self._name = os.path.basename(program.path)
        self._connection = Connection(address, lent)
        self._places: dict[int, str] = {}
        self._members: list[RemoteMember] = []
        self._begun = time.monotonic()
        self._before: Any = None  # what SIGUSR1 did before
        own = not address.url or (lent is not None and lent.certificates is not None)
        self._jury = None if own else self._summon()  # workers of our own are believed
        self.losses: list[str] = []  # workers that were lost, in words
        self.size = len(self._connection.places())
        numbers = range(1, self.size + 1) if lent is None or self.size > len(lent.numbers) else lent.numbers[: self.size]
        self._numbers = tuple(numbers)
        if not self.size:
            self._connection.close()
            raise UsageError(f"--cluster {settings.cluster}: it has no workers")

    def crew(self, first: ExploringExecutor, settings: Settings, deadline: Deadline) -> Crew:
        there = replace(settings, workers=1, cluster=None, send_files=None, insecure_cluster=False, state="none", resume=False)
        if settings.stdin is not None:
            there = replace(there, stdin=os.path.relpath(settings.stdin))
        arguments = self._packed.parcel.arguments
        openings = [Opening(arguments, there, None, number, self._fitness, processors_here()) for number in self._numbers]
        shared = self._name, self._places, self.losses, self._jury, self._comparing
        self._members = [RemoteMember(self._connection, self._packed, opening, deadline, *shared) for opening in openings]
        self._begun = time.monotonic()
        return Crew(self._members, first)

    def lines(self) -> list[str]:
        """How far each worker is, and all together."""
        executions, seconds = sum(member.executions for member in self._members), time.monotonic() - self._begun
        total = f"{len(self._members)} workers: {executions:,} executions, {executions / max(seconds, 0.001):,.0f}/s"
        return [*map(str, self._members), total]

    def recovering(self, checkpoints: Checkpoints | None) -> Checkpoints:
        return Recovering(checkpoints, self._jury, turns=self.size > 1)

    @property
    def remarks(self) -> list[str]:
        """For the verdict: workers that lied, or were not checked, and files that nobody compared."""
        lies = self._jury.lies if self._jury is not None else []
        if self._jury is not None and self._jury.passed_over:
            lies = [*lies, "its workers were believed, because threads share files"]
        return [*lies, *([] if self._comparing.all else ["not all files that it asks for were compared with those of the workers"])]

    def _summon(self) -> Jury:
        there = self._connection
        return Jury(lambda place: there.host_beside(self._packed, self._name, place), lambda: there.host_here(self._packed), there.exclude)

    def __enter__(self) -> Members:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGUSR1, lambda *_: print(*self.lines(), sep="\n", file=sys.stderr, flush=True))
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        if self._before is not None:
            signal.signal(signal.SIGUSR1, self._before)
        self._connection.close()


def processors_here() -> int:
    return len(os.sched_getaffinity(0))


def _refuse(program: TargetProgram, settings: Settings) -> None:
    wrong = {
        "a script": program.is_script,
        "a Python interpreter": is_python(program),
        "--control": settings.control is not None,
        "-j": settings.workers > 1,
        "--engine=python": settings.engine == "python",
        "--reset=exec": settings.reset == "exec",
        f"--search {settings.search}": settings.search is not None and settings.search.partition(":")[0] not in IN_PARTS,
        f"--match={settings.match}": settings.match not in (AUTO, OFF),
    }
    if what := next((what for what, holds in wrong.items() if holds), None):
        raise UsageError(f"--cluster does not go with {what}: its workers search beside the program, each in one process")
    if reason := why_in_python(settings):
        raise UsageError(f"--cluster: its workers search beside the program, and {reason}")
