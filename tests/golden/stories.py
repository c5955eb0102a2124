"""The executions behind the golden reports, one function each. Named after what a reader learns from the report."""

from __future__ import annotations

import signal
from pathlib import Path

from bpor.model.schedule import Schedule
from bpor.model.trace import End, Outcome
from bpor.protocol.ops import Op
from bpor.report.finding import Finding
from bpor.report.finding_build import build_finding
from bpor.report.livelock_build import livelock_finding
from bpor.search.lasso.counters import Counter
from bpor.search.livelock import Livelock, Nature
from tests.golden.scenario import MEMORY, Scenario, compile_program


def crossed_locks(directory: Path) -> Finding:
    s = Scenario(compile_program("bank.c", directory))
    alice, bob = s.static("alice", 8), s.static("bob", 8)
    s.runs(1, "pay")
    s.runs(2, "refund")
    s.did(0, Op.SPAWN, line="threads[0], 0, pay", creates=1)
    s.did(0, Op.SPAWN, line="threads[1], 0, refund", creates=2, enabled=0b11)
    s.did(1, Op.MUTEX_LOCK, alice, line="lock(&from", calls=("(&alice, &bob",), enabled=0b110)
    s.did(2, Op.MUTEX_LOCK, bob, line="lock(&from", calls=("(&bob, &alice",), enabled=0b110)
    s.stops(0, Op.JOIN, line="join(threads[0]", target=1)
    s.stops(1, Op.MUTEX_LOCK, bob, line="lock(&to", calls=("(&alice, &bob",))
    s.stops(2, Op.MUTEX_LOCK, alice, line="lock(&to", calls=("(&bob, &alice",))
    s.description.held += [(1, alice), (2, bob)]
    return build_finding(s.trace(End(Outcome.DEADLOCK)), s.description, "bpor-native replay 0*2,1,2 -- ./bank")


def _queue(directory: Path) -> tuple[Scenario, int, int]:
    s = Scenario(compile_program("queue.c", directory))
    s.runs(1, "consume")
    s.runs(2, "produce")
    s.did(0, Op.SPAWN, line="threads[0], 0, consume", creates=1)
    s.did(0, Op.SPAWN, line="threads[1], 0, produce", creates=2, enabled=0b11)
    return s, s.static("m"), s.static("ready")


def _produced(s: Scenario, m: int, ready: int) -> None:
    s.did(2, Op.MUTEX_LOCK, m, line="lock(&m)#3", enabled=0b110)
    s.did(2, Op.COND_SIGNAL, ready, line="cond_signal", enabled=0b100)
    s.did(2, Op.MUTEX_UNLOCK, m, line="unlock(&m)#2", enabled=0b100)


def lost_wake_up(directory: Path) -> Finding:
    s, m, ready = _queue(directory)
    _produced(s, m, ready)
    s.did(1, Op.MUTEX_LOCK, m, line="lock(&m)#1", enabled=0b10)
    s.did(1, Op.COND_WAIT, ready, m, line="cond_wait", enabled=0b10)
    s.stops(0, Op.JOIN, line="join(threads[0]", target=1)
    s.stops(1, Op.COND_WAKE, ready, m, line="cond_wait")
    return build_finding(s.trace(End(Outcome.DEADLOCK)), s.description, "bpor-native replay 0*2,2*3,1*2 -- ./queue")


def locked_twice(directory: Path) -> Finding:
    s = Scenario(compile_program("queue.c", directory))
    m = s.static("m")
    s.did(0, Op.MUTEX_LOCK, m, line="lock(&m)#5")
    s.stops(0, Op.MUTEX_LOCK, m, line="lock(&m)#6")
    s.description.held.append((0, m))
    return build_finding(s.trace(End(Outcome.DEADLOCK)), s.description, "bpor-native replay 0 -- ./queue")


def failed_assertion_after_many_steps(directory: Path) -> Finding:
    s, m, ready = _queue(directory)
    items = s.static("items", space=MEMORY)
    for _ in range(15):
        s.did(2, Op.MUTEX_LOCK, m, line="lock(&m)#3", enabled=0b110)
        s.did(2, Op.MUTEX_UNLOCK, m, line="unlock(&m)#2", enabled=0b110)
    s.did(2, Op.READ, items, line="items += 1", value=0, enabled=0b110)
    s.did(1, Op.READ, items, line="*from -= 1", value=0, enabled=0b110)
    s.did(1, Op.WRITE, items, line="*from -= 1", value=2**32 - 1, enabled=0b110)
    s.did(2, Op.WRITE, items, line="items += 1", value=1, enabled=0b101)
    s.did(2, Op.COND_SIGNAL, ready, line="cond_signal", enabled=0b101)
    s.did(0, Op.JOIN, line="join(threads[0]", target=1)
    s.did(0, Op.JOIN, line="join(threads[1]", target=2)
    end = End(
        Outcome.ASSERTION,
        thread=0,
        message=f"queue: {s.image.path}.c:45: main: Assertion `items == 0' failed.",
        stack=(s.line("assert(items"),),
        stderr=b"queue: queue.c:45: main: Assertion `items == 0' failed.\n",
    )
    return build_finding(s.trace(end), s.description, "bpor-native replay 0*2,2*31,1*2,2*2,0*2 -- ./queue")


def crash_with_a_lock_held(directory: Path) -> Finding:
    s, m, ready = _queue(directory)
    _produced(s, m, ready)
    s.did(1, Op.MUTEX_LOCK, m, line="lock(&m)#1", enabled=0b10)
    s.stops(0, Op.JOIN, line="join(threads[0]", target=1)
    s.stops(1, Op.MUTEX_UNLOCK, m, line="unlock(&m)#1")
    s.description.held.append((1, m))
    end = End(Outcome.CRASH, code=signal.SIGSEGV, thread=1, address=8, stack=(s.line("*from -= 1"), 0x7FFFF7000000))
    return build_finding(s.trace(end), s.description, "bpor-native replay 0*2,2*3,1 -- ./queue")


def misuse_of_a_heap_mutex(directory: Path) -> Finding:
    s = Scenario(compile_program("queue.c", directory))
    first, second = s.heap(7, 0, "malloc("), s.heap(7, 40, "malloc(")
    s.did(0, Op.MUTEX_LOCK, second, line="lock(&pool[1]")
    s.did(0, Op.MUTEX_UNLOCK, first, line="unlock(&pool[0]")
    end = End(Outcome.MISUSE, thread=0, message="unlock of a mutex that is not locked", stack=(s.line("unlock(&pool[0]"),))
    s.description.held.append((0, second))
    return build_finding(s.trace(end), s.description, "bpor-native replay 0*2 -- ./queue")


def nonzero_exit_with_much_output(directory: Path) -> Finding:
    s, m, ready = _queue(directory)
    _produced(s, m, ready)
    s.did(0, Op.PROCESS_END, line="return items")
    output = "".join(f"line {number} of the program\n" for number in range(40)).encode() + b"\x1b[2Jtab\there " + b"x" * 200 + b"\n"
    end = End(Outcome.EXIT, code=3, thread=0, stdout=output, stderr=b"one complaint\n")
    return build_finding(s.trace(end), s.description, "bpor-native replay 0*2,2*3,0 -- ./queue")


def terminated(directory: Path) -> Finding:
    s, m, _ = _queue(directory)
    s.did(1, Op.MUTEX_LOCK, m, line="lock(&m)#1", enabled=0b111)
    end = End(Outcome.TERMINATE, thread=1, message="std::runtime_error: queue is closed", stack=(s.line("*from -= 1"),))
    return build_finding(s.trace(end), s.description, "bpor-native replay 0*2,1 -- ./queue")


def nine_philosophers(directory: Path) -> Finding:
    s = Scenario(compile_program("table.c", directory))
    forks = [s.static("forks", 40 * seat) for seat in range(9)]
    for seat in range(9):
        s.runs(seat + 1, "dine")
        s.did(0, Op.SPAWN, line="pthread_create", creates=seat + 1)
    for seat in range(9):
        s.did(seat + 1, Op.MUTEX_LOCK, forks[seat], line="lock(&forks[left", enabled=0b1111111110)
    s.stops(0, Op.JOIN, line="pthread_join", target=1)
    for seat in range(9):
        s.stops(seat + 1, Op.MUTEX_LOCK, forks[(seat + 1) % 9], line="lock(&forks[right")
        s.description.held.append((seat + 1, forks[seat]))
    return build_finding(s.trace(End(Outcome.DEADLOCK)), s.description, "bpor-native replay 0*9,1,2,3,4,5,6,7,8,9 -- ./table")


def nothing_described(directory: Path) -> Finding:
    """A simulated program, or a finding from an execution that could not be run again with descriptions."""
    s = Scenario(compile_program("bank.c", directory))
    s.did(0, Op.MUTEX_LOCK, 1 << 60 | 1)
    s.did(1, Op.MUTEX_LOCK, 1 << 60 | 2, enabled=0b11)
    s.stops(0, Op.MUTEX_LOCK, 1 << 60 | 2)
    s.stops(1, Op.MUTEX_LOCK, 1 << 60 | 1)
    return build_finding(s.trace(End(Outcome.DEADLOCK)))


def _polite(directory: Path) -> tuple[Scenario, Schedule]:
    s = Scenario(compile_program("polite.c", directory))
    left, right = s.static("left"), s.static("right")
    s.runs(1, "polite")
    s.runs(2, "polite")
    s.did(0, Op.SPAWN, line="create(&one", creates=1)
    s.did(0, Op.SPAWN, line="create(&two", creates=2)
    locks = {1: (left, right), 2: (right, left)}
    for thread, (mine, _) in locks.items():
        s.did(thread, Op.MUTEX_LOCK, mine, line="lock(mine)", enabled=0b110)
    for thread, (_, other) in locks.items():
        s.did(thread, Op.MUTEX_TRYLOCK, other, line="trylock(other)", failed=True, enabled=0b110)
    for thread, (mine, _) in locks.items():
        s.did(thread, Op.MUTEX_UNLOCK, mine, line="unlock(mine)", enabled=0b110)
    for thread in locks:
        s.did(thread, Op.YIELD, line="sched_yield()", yields=True, enabled=0b110)
    s.stops(0, Op.JOIN, line="join(one", target=1)
    for thread, (mine, _) in locks.items():
        s.stops(thread, Op.MUTEX_LOCK, mine, line="lock(mine)")
    return s, Schedule.parse("0*2(1,2,1,2,1,2,1,2)*")


def polite_for_ever(directory: Path) -> Finding:
    s, lasso = _polite(directory)
    livelock = Livelock((), (0,), 2, Nature.OTHERS_LEAVE)
    return livelock_finding(lasso, livelock, s.trace(End(Outcome.STOPPED)), s.description, f"bpor-native replay '{lasso}' -- ./polite")


def polite_and_counting(directory: Path) -> Finding:
    s, lasso = _polite(directory)
    retries = s.static("retries", space=MEMORY)
    livelock = Livelock((), (0,), 2, Nature.COUNTS, (Counter(retries, None, 2), Counter(0, 1, 1)))
    return livelock_finding(lasso, livelock, s.trace(End(Outcome.STOPPED)), s.description, f"bpor-native replay '{lasso}' -- ./polite")


STORIES = (
    crossed_locks,
    lost_wake_up,
    locked_twice,
    failed_assertion_after_many_steps,
    crash_with_a_lock_held,
    misuse_of_a_heap_mutex,
    nonzero_exit_with_much_output,
    terminated,
    nine_philosophers,
    nothing_described,
    polite_for_ever,
    polite_and_counting,
)
