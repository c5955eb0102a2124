"""Pools of threads, and asyncio's; run by tests/native/test_pools.py."""

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
import time
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


@pytest.mark.bpor(gil="off")
def test_executor_without_gil():
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: probe.safe(), range(2)))
    assert probe.get() == 2


@pytest.mark.bpor(gil="off")
def test_pool_without_gil():
    with ThreadPool(2) as pool:
        pool.map(lambda _: probe.safe(), range(2))
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
def test_timeouts():
    go = threading.Event()
    thread = threading.Thread(target=go.wait)
    thread.start()
    thread.join(timeout=60)
    assert thread.is_alive()
    with ThreadPoolExecutor(1) as executor:
        future = executor.submit(go.wait)
        with pytest.raises(TimeoutError):
            future.result(timeout=60)
        with ThreadPool(1) as pool:
            result = pool.apply_async(go.wait)
            with pytest.raises(multiprocessing.TimeoutError):
                result.get(timeout=60)
        go.set()
        assert future.result(timeout=60)
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.bpor(bound="preemption:0")
def test_tasks_that_have_not_begun_are_cancelled():
    go = threading.Event()
    pool = ThreadPoolExecutor(1)
    running = pool.submit(go.wait)
    while not running.running():
        time.sleep(1)
    waiting = pool.submit(probe.count)
    pool.shutdown(wait=False, cancel_futures=True)
    go.set()
    assert running.result() and waiting.cancelled() and probe.get() == 0


@pytest.mark.bpor(bound="preemption:0")
def test_what_a_thread_keeps_for_itself_ends_with_it():
    kept = threading.local()
    ended = []

    class Kept:
        def __del__(self):
            ended.append(probe.get())

    def keep():
        kept.value = Kept()

    threads = [threading.Thread(target=keep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ended == [0, 0] or sys.version_info >= (3, 13)


def together(*calls):
    async def main():
        for thread in [asyncio.create_task(asyncio.to_thread(call)) for call in calls]:
            await thread

    asyncio.run(main())


def test_asyncio():
    together(probe.count, probe.count)
    assert probe.get() == 2


def test_asyncio_loses():
    together(add, add)
    assert probe.get() == 2


def test_loop_beside_a_thread_loses():
    async def main():
        thread = asyncio.create_task(asyncio.to_thread(add))
        await asyncio.sleep(0)
        add()
        await thread

    asyncio.run(main())
    assert probe.get() == 2


@pytest.mark.bpor(bound="preemption:0")
def test_threads_of_a_loop_end_in_either_order():
    ended = []

    async def one(number):
        await asyncio.to_thread(probe.count)
        ended.append(number)

    async def main():
        await asyncio.gather(one(1), one(2))

    asyncio.run(main())
    assert ended == [1, 2]


async def seven():
    return 7


@pytest.mark.bpor(bound="preemption:0")
def test_a_loop_does_what_it_always_does():
    async def main():
        loop = asyncio.get_running_loop()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 60)
        assert await asyncio.to_thread(lambda: asyncio.run_coroutine_threadsafe(seven(), loop).result()) == 7
        waiting, written = os.pipe()
        readable = asyncio.Event()
        loop.add_reader(waiting, readable.set)
        loop.add_signal_handler(signal.SIGUSR1, readable.set)
        os.write(written, b"x")
        await readable.wait()
        loop.remove_reader(waiting)
        assert await asyncio.to_thread(threading.get_ident) != threading.get_ident()

    asyncio.run(main())
