"""A search as data, and back: what a killed run goes on from.

Invariant: what is saved is JSON but for tables of hashes, which are bytes; and a search that was loaded runs exactly what the one that
was saved had left, so that both together give the traces, counts and failures of one uninterrupted run.
"""

from __future__ import annotations

import json
from typing import Any, Protocol, runtime_checkable

from bpor.lazy_dataclass import asdict, replace
from bpor.model.executor import Executor
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.search.explorer import Explorer, Frozen
from bpor.search.options import SearchOptions
from bpor.search.result import Failure


class CannotResume(Exception):
    """What was saved is not of this search. Nothing that was made from it may be used: the search begins anew."""


class NotKept(Exception):
    """The search was saved without what it would go on from; the reason in words."""


@runtime_checkable
class Resumable(Protocol):
    """A strategy that can be saved."""

    def save(self) -> dict[str, Any]: ...

    def load(self, saved: dict[str, Any], executor: Executor) -> None: ...


@runtime_checkable
class Remembering(Protocol):
    """An observer that has seen something that counts at the end."""

    def save(self) -> Any: ...

    def load(self, saved: Any) -> None: ...


def freeze(state: dict[str, Any]) -> Frozen:
    """As text, and the tables it refers to: megabytes of hashes need not become text."""
    tables: list[bytes] = []

    def refer(table: object) -> dict[str, int]:
        if not isinstance(table, bytes):
            raise TypeError(f"{table!r} cannot be saved")
        tables.append(table)
        return {"table": len(tables) - 1}

    return json.dumps(state, default=refer), tables


def thaw(text: str, tables: list[bytes]) -> dict[str, Any]:
    """Raises ValueError, TypeError or IndexError if it is damaged."""

    def resolve(value: dict[str, Any]) -> Any:
        return tables[value["table"]] if value.keys() == {"table"} else value

    state: dict[str, Any] = json.loads(text, object_hook=resolve)
    return state


def save_search(explorer: Explorer) -> dict[str, Any] | None:
    """None: this strategy cannot go on later."""
    strategy = explorer.strategy
    if not isinstance(strategy, Resumable):
        return None
    starvation = explorer.starvation
    return {
        "strategy": strategy.save(),
        "observers": {type(one).__name__: one.save() for one in explorer.observers if isinstance(one, Remembering)},
        "executions": explorer.executions,
        "seconds": explorer.seconds,
        "failing": explorer.failing,
        "failures": [(str(f.schedule), f.fair) for f in explorer.failures],
        "starvation": None if starvation is None else asdict(starvation),
    }


def load_search(explorer: Explorer, saved: dict[str, Any], executor: Executor) -> None:
    """Raises Diverged if the program no longer goes the way that was saved; the explorer must then not be used."""
    from bpor.search.livelock import Starvation

    strategy = explorer.strategy
    assert isinstance(strategy, Resumable)
    strategy.load(saved["strategy"], executor)
    for observer in explorer.observers:
        if isinstance(observer, Remembering):
            observer.load(saved["observers"][type(observer).__name__])
    failures = [_failure(Schedule.parse(text), fair, executor) for text, fair in saved["failures"]]
    explorer.failures[:] = [replace(failure, way=explorer.way_of(failure)) for failure in failures]
    explorer.executions, explorer.failing = saved["executions"], saved["failing"]
    explorer.seconds_before = saved["seconds"]
    if saved["starvation"] is not None:
        values = saved["starvation"]
        explorer.starvation = Starvation(
            values["thread"], tuple(values["starved"]), tuple(values["sites"]), values["yields"], values["hint"]
        )


def _failure(schedule: Schedule, fair: int | None, executor: Executor) -> Failure:
    """Run once more: a trace is worth more fresh than saved."""
    from bpor.search.lasso.check import check
    from bpor.search.livelock import find_livelock, livelock_of

    if schedule.round:
        checked = check(executor, schedule, SearchOptions().max_steps)
        return Failure(schedule, checked.trace, livelock_of(schedule, checked) if checked.endless else None)
    trace = executor.run(Plan(prefix=schedule.threads, max_steps=len(schedule)))
    return Failure(schedule, trace, None if fair is None else find_livelock(trace, fair), fair)
