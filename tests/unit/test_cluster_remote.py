"""A member on a worker, seen from the client: whether it is lost, or ends the search."""

from __future__ import annotations

import pickle
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from bpor.cluster.asked import Comparing
from bpor.cluster.connection import Connection
from bpor.cluster.fitness import Fitness
from bpor.cluster.member import Answer, Opening, Unable
from bpor.cluster.remote import RemoteMember
from bpor.errors import BporError, MemberLost, TooSlow, Uncontrolled
from bpor.model.deadline import Deadline
from bpor.model.plan import Plan
from bpor.settings import Settings


class Host:
    def __init__(self, error: BporError | None) -> None:
        self._error = error

    def open(self, opening: Opening) -> Future[bytes]:
        future: Future[bytes] = Future()
        future.set_result(pickle.dumps(Answer(error=self._error)))
        return future

    ask = open

    def end(self) -> None: ...


class Cluster(Connection):
    """Two workers; whoever is given a part answers with the next of these."""

    def __init__(self, *errors: BporError | None) -> None:
        self._errors, self._lost, self.excluded, self._lent = iter(errors), {}, set(), None
        self.client = SimpleNamespace(status="running", nthreads=lambda: {"a": 1, "b": 1})

    def host(self, packed: Any, name: str, taken: list[str]) -> tuple[Any, str]:
        return Host(next(self._errors)), min(self.places(), key=lambda one: self._lost.get(one, 0))


def member_of(cluster: Cluster) -> RemoteMember:
    opening = Opening(("./p",), Settings(), {}, None, 1, Fitness("", "", frozenset(), ()))
    packed: Any = SimpleNamespace(path_of=str)
    return RemoteMember(cluster, packed, opening, Deadline(None), "p", {}, [], None, Comparing([]))


def test_a_worker_on_which_the_program_is_too_slow_to_start_is_lost_and_the_next_one_is_asked() -> None:
    cluster = Cluster(TooSlow("p did not reach its fork point"), None)
    member = member_of(cluster)
    with pytest.raises(MemberLost, match=r"the worker at a was lost \(p did not reach its fork point\)"):
        member.run(Plan())
    member._open()
    assert member._places == {1: "b"}


def test_a_program_that_starts_nowhere_ends_the_search() -> None:
    """After three times on each of two workers."""
    member = member_of(Cluster(*[TooSlow("p did not reach its fork point")] * 7))
    for _ in range(6):
        with pytest.raises(MemberLost):
            member.run(Plan())
    with pytest.raises(TooSlow):
        member.run(Plan())


def test_a_worker_that_cannot_run_it_ends_the_search() -> None:
    with pytest.raises(Uncontrolled, match="the worker at a cannot run it: it has no libx"):
        member_of(Cluster(Unable("it has no libx"))).run(Plan())
