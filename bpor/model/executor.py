"""Executor: whoever can run a plan. The search knows programs only through this."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from bpor.model.plan import Plan
from bpor.model.trace import Description, Trace


class Executor(Protocol):
    def run(self, plan: Plan) -> Trace:
        """One execution. Raises bpor.errors.Diverged if the prefix cannot be followed."""
        ...


@runtime_checkable
class Describing(Executor, Protocol):
    """One that also tells what a report needs: the modules, the threads and the objects of the program."""

    def describe(self, plan: Plan) -> tuple[Trace, Description]: ...


class Identifying(Executor, Protocol):
    """One that knows which state an execution is in."""

    @property
    def identifies(self) -> bool:
        """As far as is known yet: some can say only when they have tried."""
        ...

    def infer(self, polling: tuple[int, ...]) -> None:
        """From the next execution on, coming back to these call sites is a yield."""
        ...
