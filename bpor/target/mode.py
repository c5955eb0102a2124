"""Mode: how executions are reset and threads carried. The mode changes the speed of a search, never its result."""

from __future__ import annotations

from bpor.errors import UsageError
from bpor.lazy_dataclass import dataclass, replace
from bpor.protocol import wire
from bpor.target.options import TargetOptions

_FIRST_POOL = 16  # fibers made ready; more threads than that start the target again with a larger pool
_LARGEST_POOL = wire.constant("BPOR_MAX_THREADS") - 1


@dataclass(frozen=True, slots=True)
class Mode:
    fibers: bool
    rollback: bool  # needs fibers: kernel threads cannot be put back
    pool: int = _FIRST_POOL
    exec: bool = False  # a process for every execution: right for whatever the kernel shares across a fork
    follows: bool = False  # the target is the first process that creates a thread, whoever started it
    family: bool = False  # an execution is all processes of the program, each time from the first to the last

    def with_fork(self) -> Mode:
        return replace(self, rollback=False)

    def with_exec(self) -> Mode:
        return replace(self, rollback=False, exec=True)

    def with_threads(self) -> Mode:
        return replace(self, fibers=False, rollback=False)

    def with_follow(self) -> Mode:
        return replace(self, follows=True)

    def with_family(self) -> Mode:
        """Only starting all of them again puts back what several processes have done to each other."""
        return replace(self, rollback=False, exec=True, follows=True, family=True)

    def with_larger_pool(self) -> Mode:
        """The runtime itself refuses more threads than the largest pool serves."""
        return replace(self, pool=min(self.pool * 4, _LARGEST_POOL))

    def __str__(self) -> str:
        return f"{self.reset}, {'fibers' if self.fibers else 'kernel threads'}"

    @property
    def identifies(self) -> bool:
        """May states be known by their memory?"""
        return self.fibers and not self.exec

    @property
    def reset(self) -> str:
        return "exec" if self.exec else "rollback" if self.rollback else "fork"


def first_mode(options: TargetOptions) -> Mode:
    """What to try first."""
    if options.reset == "rollback" and options.carrier == "threads":
        raise UsageError("--reset rollback needs fibers: kernel threads cannot be put back; leave out --carrier threads")
    fibers = options.carrier != "threads"
    mode = Mode(fibers=fibers, rollback=fibers and options.reset in ("auto", "rollback"), exec=options.reset == "exec")
    return mode.with_family() if options.process else mode
