"""Pools of threads, and asyncio's; run by tests/native/test_pools.py."""

import asyncio
import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, as_completed, wait
from multiprocessing.pool import ThreadPool

import probe
import pytest

pytestmark = pytest.mark.bpor(bound="preemption:1")


def add(_=None):
    probe.put(probe.get() + 1)


def fails():
    raise ValueError("of a task")


def test_executor():
    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(probe.count) for _ in range(2)]:
            assert future.result() is None
    assert probe.get() == 2


def test_pool():
    with ThreadPool(2) as pool:
        assert pool.map(lambda number: probe.count() or number, range(2)) == [0, 1]
    assert probe.get() == 2


def test_executor_loses():
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(add, range(2)))
    assert probe.get() == 2


def test_pool_loses():
    with ThreadPool(2) as pool:
        pool.starmap(add, [(0,), (1,)])
    assert probe.get() == 2


def test_one_worker_does_one_task_after_the_other():
    with ThreadPoolExecutor(1) as pool:
        list(pool.map(add, range(2)))
    assert probe.get() == 2


@pytest.mark.bpor(bound="preemption:0")
def test_exceptions_callbacks_and_waits():
    told = []
    with ThreadPoolExecutor(2, initializer=told.append, initargs=("prepared",)) as pool:
        failing, passing = pool.submit(fails), pool.submit(probe.get)
        passing.add_done_callback(lambda future: told.append(future.result()))
        assert isinstance(failing.exception(), ValueError)
        assert wait([failing, passing], return_when=FIRST_COMPLETED).done
        assert set(as_completed([failing, passing])) == {failing, passing}
    assert sorted(map(str, told)) == ["0", "prepared", "prepared"]
    with pytest.raises(RuntimeError):
        pool.submit(probe.get)


@pytest.mark.bpor(bound="preemption:0")
def test_asyncio():
    async def one():
        return await asyncio.to_thread(threading.get_ident)

    assert asyncio.run(one()) != threading.get_ident()
