"""What a test says: `bpor.threads(f, g)`, `bpor.linearizable(make, op1, op2)`, `bpor.check(fn)`; `bpor.choose(n)`, `bpor.assume(c)`.

Under control the threads stand at a gate before the explored region opens, so that only the calls themselves are explored. On real
threads a barrier takes the place of the gate, and everything happens once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar
from unittest import SkipTest

from bpor.extension.linearizable import CallHistory, Operation, Serial, attempt, judge, names_of, serial_histories
from bpor.extension.plain_threads import end_locals
from bpor.extension.template import Template

T = TypeVar("T")


class Region:
    """On real threads: once, as the operating system likes it."""

    def __repr__(self) -> str:
        return "bpor on real threads"

    def threads(self, *functions: Callable[[], Any]) -> tuple[Any, ...]:
        """Runs the functions at the same time; their results. The first exception, in the order of the functions, is raised here."""
        __tracebackhide__ = True
        if not functions or not all(map(callable, functions)):
            raise TypeError("bpor.threads() takes functions without arguments, one for each thread")
        crew = [_RegionWorker(function) for function in functions]
        self._run(crew)
        for worker in crew:
            if worker.error is not None:
                raise worker.error
        return tuple(worker.result for worker in crew)

    def linearizable(self, make: Callable[[], Any], *operations: Operation, observe: Operation | None = None) -> None:
        """Each operation gets what `make` returned, in a thread of its own. Fails if results, exceptions among them, and what `observe`
        returns afterwards are those of no serial order of the operations."""
        __tracebackhide__ = True
        serial = self._serial(make, operations, observe)
        subject = make()
        results = self.threads(*(partial(attempt, partial(operation, subject)) for operation in operations))
        observed = attempt(partial(observe, subject)) if observe is not None else None
        judge(CallHistory(results, observed), serial, names_of(operations), observe is not None)

    def check(self, function: Callable[[], T]) -> T:
        """Explores everything that the function does, the threads that it makes itself included."""
        __tracebackhide__ = True
        return function()

    def choose(self, count: int) -> int:
        """Any number below `count`: an input of the test, of which every value is explored. On real threads: 0."""
        if not isinstance(count, int) or count < 1:
            raise ValueError(f"bpor.choose({count!r}): there is nothing to choose from")
        return self._chosen(count)

    def assume(self, holds: object) -> None:
        """Goes on only if this holds. An execution in which it does not says nothing; on real threads the test is skipped."""
        if not holds:
            self._assumed_away()

    def _chosen(self, count: int) -> int:
        return 0

    def _assumed_away(self) -> None:
        raise SkipTest("an assumption of the test does not hold")

    def _serial(self, make: Callable[[], Any], operations: tuple[Operation, ...], observe: Operation | None) -> list[Serial]:
        return serial_histories(make, operations, observe)

    def _run(self, crew: list[_RegionWorker]) -> None:
        together = threading.Barrier(len(crew))
        for worker in crew:
            worker.start(together.wait, lambda: None)
        for worker in crew:
            worker.thread.join()


class ExploredRegion(Region):
    """In a template, and then in each execution."""

    def __repr__(self) -> str:
        return "bpor"

    def __init__(self, template: Template) -> None:
        self._template = template

    def check(self, function: Callable[[], T]) -> T:
        __tracebackhide__ = True
        self._template.fork_point()
        self._template.explore(True)
        result = function()
        self._template.explore(False)
        return result

    def _chosen(self, count: int) -> int:
        self._template.fork_point()
        return int(self._template.library.choose(count))

    def _assumed_away(self) -> None:
        self._template.fork_point()
        self._template.library.assume_away()

    def _serial(self, make: Callable[[], Any], operations: tuple[Operation, ...], observe: Operation | None) -> list[Serial]:
        if self._template.forked:
            raise RuntimeError("bpor.linearizable() comes first in a test: its serial orders run in copies of a process without threads")
        return super()._serial(partial(self._made_in_a_copy, make), operations, observe)

    def _made_in_a_copy(self, make: Callable[[], Any]) -> Any:
        """Threads that an operation makes are real there."""
        self._template.own_threads = True
        self._template.library.leave_alone()
        return make()

    def _run(self, crew: list[_RegionWorker]) -> None:
        template = self._template
        template.fork_point()
        template.own_threads = True
        for worker in crew:
            worker.start(template.library.enter, template.library.leave)
        template.own_threads = False
        template.region(len(crew))
        for worker in crew:
            worker.thread.join()


class _RegionWorker:
    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self.result: Any = None
        self.error: BaseException | None = None

    def start(self, enter: Callable[[], Any], leave: Callable[[], Any]) -> None:
        self.thread = threading.Thread(target=self._work, args=(enter, leave), daemon=True)
        self.thread.start()

    def _work(self, enter: Callable[[], Any], leave: Callable[[], Any]) -> None:
        __tracebackhide__ = True
        enter()
        try:
            self.result = self._function()
        except BaseException as error:
            self.error = error
        finally:
            end_locals()
            leave()
