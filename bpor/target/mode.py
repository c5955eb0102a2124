"""Mode: how executions are reset and threads carried. Changes how fast an answer comes, never the answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bpor.errors import UsageError
from bpor.target.options import TargetOptions

_FIRST_POOL = 16  # fibers made ready; more threads than that start the target again with a larger pool
_LARGEST_POOL = 255


@dataclass(frozen=True, slots=True)
class Mode:
    fibers: bool
    rollback: bool  # needs fibers: kernel threads cannot be put back
    pool: int = _FIRST_POOL

    def with_fork(self) -> Mode:
        return replace(self, rollback=False)

    def with_threads(self) -> Mode:
        return replace(self, fibers=False, rollback=False)

    def with_larger_pool(self) -> Mode:
        """The runtime itself refuses more threads than the largest pool serves."""
        return replace(self, pool=min(self.pool * 4, _LARGEST_POOL))

    def __str__(self) -> str:
        return f"{'rollback' if self.rollback else 'fork'}, {'fibers' if self.fibers else 'kernel threads'}"


def first_mode(options: TargetOptions) -> Mode:
    """What to try first."""
    if options.reset == "rollback" and options.carrier == "threads":
        raise UsageError("--reset rollback needs fibers: kernel threads cannot be put back; leave out --carrier threads")
    fibers = options.carrier != "threads"
    return Mode(fibers=fibers, rollback=fibers and options.reset in ("auto", "rollback"))
