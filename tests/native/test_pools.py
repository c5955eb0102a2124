"""ThreadPoolExecutor, ThreadPool and asyncio.to_thread in a test: what their tasks do is explored, not how the pool hands them on."""

from __future__ import annotations

import pytest

from tests.native.pytest_project import PytestRun, project, run_pytest

pytestmark = pytest.mark.needs("gcc", "Python.h")


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> PytestRun:
    return run_pytest(project(tmp_path_factory.mktemp("pools"), "pools"), "--bpor", "-q")


@pytest.mark.parametrize("test", ["test_executor", "test_pool"])
def test_two_tasks_of_two_workers_are_searched_to_the_end(explored: PytestRun, test: str) -> None:
    """They took more than 28,000 schedules, and did not end, as long as queues and semaphores of the pool were explored."""
    assert explored[test].outcome == "passed", explored[test].text
    assert 10 <= int(explored[test].properties["bpor_schedules"]) <= 100


@pytest.mark.parametrize("test", ["test_executor_without_gil", "test_pool_without_gil"])
def test_without_the_gil_they_are_too(explored: PytestRun, test: str) -> None:
    assert explored[test].outcome == "passed", explored[test].text
    assert 10 <= int(explored[test].properties["bpor_schedules"]) <= 40


@pytest.mark.parametrize("test", ["test_executor_loses", "test_pool_loses"])
def test_what_two_tasks_do_at_once_is_found(explored: PytestRun, test: str) -> None:
    assert explored[test].properties.get("bpor_finding") == "assertion", explored[test].text


ALWAYS = [
    "test_one_worker_does_one_task_after_the_other",
    "test_exceptions_callbacks_and_waits",
    "test_a_loop_does_what_it_always_does",
    "test_timeouts",
    "test_tasks_that_have_not_begun_are_cancelled",
    "test_what_a_thread_keeps_for_itself_ends_with_it",
]


@pytest.mark.parametrize("test", ALWAYS)
def test_pools_do_what_they_always_do(explored: PytestRun, test: str) -> None:
    assert explored[test].outcome == "passed", explored[test].text


def test_two_threads_of_an_event_loop_are_searched_to_the_end(explored: PytestRun) -> None:
    """They did not come to an end within a minute as long as the loop's socket and epoll were explored."""
    assert explored["test_asyncio"].outcome == "passed", explored["test_asyncio"].text
    assert 100 <= int(explored["test_asyncio"].properties["bpor_schedules"]) <= 500


@pytest.mark.parametrize("test", ["test_asyncio_loses", "test_loop_beside_a_thread_loses", "test_threads_of_a_loop_end_in_either_order"])
def test_what_threads_of_an_event_loop_do_is_found(explored: PytestRun, test: str) -> None:
    assert explored[test].properties.get("bpor_finding") == "assertion", explored[test].text
