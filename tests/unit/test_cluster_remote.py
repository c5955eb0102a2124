"""A member on a worker, seen from the client: whether it is lost, or ends the search."""

from __future__ import annotations

import contextlib
import itertools
import pickle
import time
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from bpor.cluster.asked import Comparing
from bpor.cluster.connection import Connection, connected, other_versions
from bpor.cluster.fitness import Fitness
from bpor.cluster.member import Answer, Lacking, Opening, Unable, telling_what_lacks
from bpor.cluster.remote import RemoteMember
from bpor.errors import BporError, MemberLost, TooSlow, Uncontrolled
from bpor.model.deadline import Deadline
from bpor.model.exploration import Exploration, TreeOrder
from bpor.model.plan import Limits, Plan
from bpor.settings import Settings


class Host:
    def __init__(self, error: BporError | None) -> None:
        self._error = error

    def open(self, opening: Opening) -> Future[bytes]:
        future: Future[bytes] = Future()
        if isinstance(self._error, Lacking):
            future.set_exception(self._error)
        else:
            future.set_result(pickle.dumps(Answer(error=self._error)))
        return future

    ask = open

    def end(self) -> None: ...


class Cluster(Connection):
    """Two workers; whoever is given a part answers with the next of these."""

    def __init__(self, *errors: BporError | None) -> None:
        self._errors, self._lost, self._met, self.excluded, self._lent = iter(errors), {}, {"a", "b"}, set(), None
        self._awake_until, self._numbers, self._token = 0.0, itertools.count(), "client"
        self.tasks: list[Any] = []
        submit = lambda *task, **how: self.tasks.append(task)  # noqa: E731
        self.client = SimpleNamespace(status="running", nthreads=lambda: {"a": 1, "b": 1}, submit=submit)

    def host(self, packed: Any, name: str, taken: list[str]) -> tuple[Any, str]:
        return Host(next(self._errors)), min(self.places(), key=lambda one: self._lost.get(one, 0))


def member_of(cluster: Cluster) -> RemoteMember:
    opening = Opening(("./p",), Settings(), None, 1, Fitness("", "", frozenset(), ()), 1)
    nothing: Any = SimpleNamespace(items=(), directories=())
    return RemoteMember(cluster, nothing, opening, Deadline(None), "p", {}, [], None, Comparing(nothing))


def test_a_worker_on_which_the_program_is_too_slow_to_start_is_lost_and_the_next_one_is_asked() -> None:
    cluster = Cluster(TooSlow("p did not reach its fork point"), None)
    member = member_of(cluster)
    with pytest.raises(MemberLost, match=r"the worker at a was lost \(p did not reach its fork point\)"):
        member.run(Plan())
    member._open()
    assert member._places == {1: "b"}


class Listening:
    """A jury that notes whom it is to repeat, from which order on."""

    passed_over = False

    def __init__(self) -> None:
        self.heard: list[list[str]] = []

    def listen(self, place: str, opening: Opening, changes: object) -> Any:
        self.heard.append([])
        return SimpleNamespace(add=lambda one: self.heard[-1].append(one.name), close=lambda: None)


def test_whoever_repeats_a_member_hears_how_its_trees_began_though_the_first_batch_had_no_execution() -> None:
    """Its counts began once more with the second one, its trees did not: honest workers were excluded as liars."""
    member, tree = member_of(Cluster(None)), TreeOrder(Limits(), 100)
    member._jury = listening = Listening()  # type: ignore[assignment]
    for begun in ((tree, None), (None, None), (tree, None)):
        with contextlib.suppress(AttributeError):  # there is no answer
            member.run(Plan(exploration=Exploration((True, False), begin=begun, begin_total=True)))
    assert listening.heard == [["run", "run"], ["run"]]


@pytest.mark.parametrize(("states", "repeated"), [("auto", True), ("directory,numbers", True), ("numbers,files", False)])
def test_a_member_whose_threads_share_files_is_believed_and_that_is_noted(states: str, repeated: bool) -> None:
    """Files have other names on each machine: honest workers were excluded as liars."""
    member, tree = member_of(Cluster(*[None] * 9)), TreeOrder(Limits(), 100)
    member._jury = listening = Listening()  # type: ignore[assignment]
    member.widen((), states, "sc")
    with contextlib.suppress(AttributeError):  # there is no answer
        member.run(Plan(exploration=Exploration((True, False), begin=(tree, None), begin_total=True)))
    assert (bool(listening.heard), listening.passed_over) == (repeated, not repeated)


def test_a_scheduler_of_another_dask_that_understands_nothing_is_no_fault_of_the_tool() -> None:
    def client(*whom: object, **how: object) -> None:
        raise TypeError("Scheduler.identity() got an unexpected keyword argument 'n_workers'")

    with pytest.raises(RuntimeError, match=r"the scheduler does not understand dask 2026\.8, which is here: Scheduler\.identity\(\)"):
        connected(SimpleNamespace(Client=client, __version__="2026.8"), "tcp://a", None)


def test_a_scheduler_that_may_end_when_nobody_uses_it_is_given_something_to_do_now_and_then() -> None:
    cluster = Cluster(None, None)
    for _ in range(3):
        member_of(cluster)._connection.stay_awake("p")
    assert cluster.tasks == [(int,)]


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


def test_a_worker_without_room_is_lost_and_if_none_has_any_the_search_ends() -> None:
    cluster = Cluster(*[Lacking("No space left on device: /cache")] * 7)
    member = member_of(cluster)
    for place in "ababab":
        with pytest.raises(MemberLost, match=rf"the worker at {place} was lost \(No space left on device: /cache\)"):
            member.run(Plan())
    with pytest.raises(Uncontrolled, match="the worker at a cannot run it: No space left on device: /cache"):
        member.run(Plan())


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(28, "No space left on device", "/cache/x"), "No space left on device: /cache/x"),
        (FileNotFoundError("No usable temporary directory found"), "No usable temporary directory found"),
        (MemoryError(), "it has no memory left"),
    ],
)
def test_what_a_machine_refuses_is_told_apart_from_a_network_that_fails(error: Exception, told: str) -> None:
    with pytest.raises(Lacking, match=f"^{told}$"), telling_what_lacks():
        raise error


class Meeting(Connection):
    """One worker, which has this version of the tool; None: it has none."""

    def __init__(self, version: str | Exception | None) -> None:
        self._version, self._met, self._lost, self._begun, self._other_versions = version, set(), {}, time.monotonic(), " (dask 1 here)"
        self._lent, self.excluded, workers = None, set(), SimpleNamespace(status="running", nthreads=lambda: {"a": 1})
        self.client = workers
        workers.wait_for_workers = lambda number, timeout: None

    def _submit(self, place: str, name: str, *task: Any, **how: Any) -> Any:
        if isinstance(self._version, Exception):
            raise self._version
        return self._version


@pytest.mark.parametrize(("version", "has"), [(None, "no bpor-native"), ("0.0.1", r"version 0\.0\.1 of bpor-native")])
def test_a_worker_without_this_tool_is_named_before_anything_is_sent(version: str | None, has: str) -> None:
    packed: Any = None
    with pytest.raises(Uncontrolled, match=f"^the worker at a cannot run it: it has {has}, and the client [0-9.]+$"):
        Meeting(version).host(packed, "p", [])


def test_a_cluster_of_which_no_worker_ever_answers_ends_the_search_with_the_versions_that_differ() -> None:
    cluster, packed = Meeting(TimeoutError("timed out after 20 s.")), None
    with pytest.raises(MemberLost, match="the worker at a took no part of the search: timed out"):
        cluster.host(packed, "p", [])  # type: ignore[arg-type]
    cluster._begun -= 180.0
    with pytest.raises(Uncontrolled, match=r"the worker at a took no part of the search: timed out after 20 s\. \(dask 1 here\)"):
        cluster.host(packed, "p", [])  # type: ignore[arg-type]


def test_versions_that_differ_are_told_in_one_line() -> None:
    warning = """Mismatched versions found

+-------------+----------+-----------+----------+
| Package     | Client   | Scheduler | Workers  |
+-------------+----------+-----------+----------+
| distributed | 2026.8.0 | 2026.8.0  | 2024.2.1 |
| python      | 3.11.7   | 3.11.7    | 3.12.1   |
+-------------+----------+-----------+----------+"""
    first, second = (
        "distributed 2026.8.0 here, 2026.8.0 at the scheduler, 2024.2.1 there",
        "python 3.11.7 here, 3.11.7 at the scheduler, 3.12.1 there",
    )
    assert other_versions(warning) == f" ({first}; {second})"
    assert other_versions("") == ""
