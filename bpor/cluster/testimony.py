"""Testimony: what a member of the search was asked, and what it said, so that another one can be asked the same.

A member is a function of its orders: which executions it runs follows from them, and only when a batch ends depends on the clock. So a
batch is repeated by its number of executions, by the runs behind the last of them that needed none (csrc/beside/search.c stops after an
execution is chosen, or after a fixed number of such runs), and by whether it came to know that a tree is finished.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable
from typing import Any, Protocol

from bpor.cluster.member import Answer, Opening
from bpor.errors import BporError
from bpor.lazy_dataclass import dataclass, replace
from bpor.model.exploration import Batch, Exploration, TreeTold
from bpor.model.plan import Plan
from bpor.model.trace import Outcome, Trace

_LONG = 3600.0  # seconds of a batch whose end is given by executions


class Future(Protocol):
    def result(self, timeout: float | None = None) -> Any: ...


class AnyHost(Protocol):
    """A Host, here or on a worker."""

    def open(self, opening: Opening) -> Future: ...

    def ask(self, request: bytes) -> Future: ...

    def end(self) -> Future: ...


@dataclass(frozen=True, slots=True)
class Said:
    name: str  # of the request
    arguments: tuple[Any, ...]
    facts: str  # of the answer: a hash
    executions: int = 0  # in the batch
    walked: int = 0  # runs so far that needed no execution
    finished: int = 0  # trees of which it is known that nothing is left


def said(name: str, arguments: tuple[Any, ...], value: Any) -> Said:
    if isinstance(value, Trace) and value.batch is not None:
        asked, batch = arguments[0].exploration.trees, value.batch
        return Said(name, arguments, facts_of(value, asked), batch.executions, batch.total.walked, _finished(batch, asked))
    return Said(name, arguments, facts_of(value))


def facts_of(value: Any, asked: tuple[bool, bool] = (True, True)) -> str:
    """Of a trace that was worth a look only how it ended and its schedule: the client runs it itself. What it says of all executions of its
    process (weak, offered, inferred, orders), and of a tree that it was not asked for, goes back to before the session."""
    if isinstance(value, Trace):
        value = value.end.outcome, value.end.shared_state, [step.choice for step in value.steps], _facts_of_batch(value.batch, asked)
    return hashlib.sha256(repr(value).encode()).hexdigest()


def _facts_of_batch(batch: Batch | None, asked: tuple[bool, bool]) -> object:
    if batch is None:
        return None
    return replace(batch, trees=(TreeTold(), TreeTold()), inferred=(), orders=frozenset()), _asked_for(batch, asked)


def _asked_for(batch: Batch, asked: tuple[bool, bool]) -> list[TreeTold]:
    return [tree for tree, is_asked in zip(batch.trees, asked, strict=True) if is_asked]


def _finished(batch: Batch, asked: tuple[bool, bool]) -> int:
    return sum(tree.finished for tree in _asked_for(batch, asked))


def is_sure(value: Any) -> bool:
    """Is an answer a matter of the program alone? Not if its machine was too slow for it, or ended it."""
    if not isinstance(value, Trace) or value.batch is None:
        return True
    return value.end.outcome is not Outcome.WATCHDOG and not value.batch.total.ended.keys() & {Outcome.WATCHDOG, Outcome.KILLED}


class Unsure(Exception):
    """Whoever repeats it cannot tell."""


class Repeating:
    """A member that is asked what another one was asked."""

    def __init__(self, host: AnyHost, opening: Opening, changes: Iterable[tuple[str, tuple[Any, ...]]], patience: float) -> None:
        """`changes`: what it has to hear first. Raises whatever a worker that is gone, or cannot run the program, makes of it."""
        self._host, self._patience = host, patience
        self._answer(host.open(opening))
        for name, arguments in changes:
            self._ask(name, arguments)

    def facts(self, one: Said) -> str:
        """What it says to the same. Raises Unsure."""
        exploration = one.arguments[0].exploration if one.name == "run" else None
        try:
            value = self._ask(one.name, one.arguments) if exploration is None else self._run(one, one.arguments[0], exploration)
        except BporError as error:
            return type(error).__name__
        if not is_sure(value):
            raise Unsure
        return facts_of(value) if exploration is None else facts_of(value, exploration.trees)

    def _run(self, one: Said, plan: Plan, exploration: Exploration) -> Trace:
        exploration = replace(exploration, executions=one.executions, seconds=_LONG)
        first = trace = self._explore(plan, exploration)
        while first.batch is not None and trace.batch is not None and not _is_enough(trace.batch, exploration.trees, one):
            before = _reached(trace.batch, exploration.trees)
            further = replace(exploration, begin=(None, None), begin_total=False, executions=0, lead=trace.batch.lead)
            trace = self._explore(plan, further)
            if trace.batch is None or _reached(trace.batch, exploration.trees) == before:
                break  # it does not come to where the other one says it came
            trace = replace(trace, batch=replace(trace.batch, executions=first.batch.executions, ended=first.batch.ended))
        return trace

    def _explore(self, plan: Plan, exploration: Exploration) -> Trace:
        trace: Trace = self._ask("run", (replace(plan, exploration=exploration),))
        return trace

    def _ask(self, name: str, arguments: tuple[Any, ...]) -> Any:
        return self._answer(self._host.ask(pickle.dumps((name, arguments), protocol=5)))

    def _answer(self, future: Future) -> Any:
        answer: Answer = pickle.loads(future.result(timeout=self._patience))
        if answer.error is not None:
            raise answer.error
        return answer.value


def _reached(batch: Batch, asked: tuple[bool, bool]) -> tuple[int, int]:
    return batch.total.walked, _finished(batch, asked)


def _is_enough(batch: Batch, asked: tuple[bool, bool], one: Said) -> bool:
    walked, finished = _reached(batch, asked)
    return walked >= one.walked and finished >= one.finished
