"""From executions of simulated programs, and from written ones, to findings: who waits for whom, and in what words."""

from __future__ import annotations

import pickle
import signal

import pytest

from bpor.model.operation import ObjectAccess, Operation
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.step import Step
from bpor.model.trace import Description, End, Outcome, Trace
from bpor.protocol.ops import Op
from bpor.report.explain_waits import find_cycle
from bpor.report.finding import Finding, FindingKind, SourceSite, ThreadAtEnd
from bpor.report.finding_build import build_finding
from bpor.report.names import is_library
from bpor.report.symbols import SourceFrame
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse


def finding_of(program: str, schedule: str = "") -> Finding:
    return build_finding(SimulatedExecutor(parse(program)).run(Plan(prefix=Schedule.parse(schedule).threads)), replay="again")


def ended(outcome: Outcome, **facts: object) -> Finding:
    """A program of one step that ended so."""
    operation = Operation(Op.MUTEX_LOCK, (ObjectAccess(1 << 60, True),))
    step = Step(0, operation, operation.footprint, 1, ())
    end = End(outcome, thread=0, **facts)  # type: ignore[arg-type]
    return build_finding(Trace(end, (step,), initial=((0, operation),)))


# ---- deadlocks ----


def test_crossed_locks_are_a_cycle_of_two() -> None:
    finding = finding_of("lock a; lock b; unlock b; unlock a | lock b; lock a; unlock a; unlock b", "0,1")
    assert finding.kind is FindingKind.DEADLOCK
    assert finding.cycle == (0, 1)
    assert finding.schedule == Schedule.of([0, 1])
    assert finding.preemptions == 1
    assert finding.message == "T0 (main) holds `mutex#1` and waits for `mutex#2`; T1 holds `mutex#2` and waits for `mutex#1`"


def test_a_bystander_is_not_part_of_the_cycle() -> None:
    finding = finding_of("lock a; lock b | lock b; lock a | lock a", "0,1")
    assert finding.cycle == (0, 1)
    assert finding.threads[2].waits_for == (0,)


def test_a_lock_taken_twice_is_a_cycle_of_one() -> None:
    finding = finding_of("lock; lock")
    assert finding.cycle == (0,)
    assert finding.message == "T0 (main) waits for `mutex#1`, which it holds itself"


def test_a_lock_left_behind_by_a_finished_thread_is_blamed_on_it() -> None:
    finding = finding_of("Rx; lock | lock", "1,0")
    assert finding.cycle == ()
    assert finding.message == "T0 (main) waits for `mutex#1`, which T1 still held when it ended"


def test_a_signal_before_the_wait_is_named() -> None:
    finding = finding_of("lock; wait; unlock | signal", "1,0")
    assert finding.message == "T0 (main) waits for a signal on `condition#1` that nobody will send"
    assert finding.threads[0].remark == "the last signal was step 0 by T1, before this wait began at step 2"


def test_a_condition_nobody_signals_is_said_so() -> None:
    assert finding_of("lock; wait").threads[0].remark == "there was no signal on it at all"


def test_a_signal_that_another_thread_got_is_named() -> None:
    finding = finding_of("lock; wait; unlock | lock; wait; unlock | lock; signal; unlock", "0*2,1*2,2*3,1*2")
    assert finding.threads[0].remark == "the last signal was step 5 by T2, and T1 got it at step 7"


def test_a_lock_that_others_want_is_told_of_a_thread_that_waits_for_a_signal() -> None:
    finding = finding_of("lock o; lock i; wait c i | lock o")
    assert finding.message.startswith("T0 (main) holds `mutex#1` and waits for a signal on `condition#1` that nobody will send; T1 waits")


def test_waiting_on_a_condition_gives_its_mutex_back() -> None:
    assert finding_of("lock; wait").threads[0].held == ()


def test_a_join_waits_for_the_thread_joined() -> None:
    finding = finding_of("spawn 1; join 1 | sem_wait")
    assert finding.threads[0].waits_for == (1,)
    assert finding.message == "T1 waits for a post of `semaphore#1` that nobody will do; T0 (main) waits to join T1"


def test_a_join_and_a_lock_close_a_cycle() -> None:
    finding = finding_of("lock; spawn 1; join 1 | lock")
    assert finding.cycle == (0, 1)
    assert finding.message == "T0 (main) holds `mutex#1` and waits to join T1; T1 waits for `mutex#1`"


def test_a_reader_holds_up_a_writer() -> None:
    finding = finding_of("rdlock; wrlock")
    assert finding.message == "T0 (main) waits to wrlock `rwlock#1`, which it holds itself"


def test_the_shortest_cycle_is_told() -> None:
    def blocked(number: int, *waits_for: int) -> ThreadAtEnd:
        return ThreadAtEnd(number, pending=Op.RWLOCK_WRLOCK, blocked=True, waits_for=waits_for)

    assert find_cycle([blocked(0, 1), blocked(1, 2, 3), blocked(2, 0), blocked(3, 1)]) == (1, 3)
    assert find_cycle([blocked(0, 1), blocked(1, 2), ThreadAtEnd(2)]) == ()
    assert find_cycle([blocked(0, 1), blocked(1, 2), blocked(2, 0)]) == (0, 1, 2)


@pytest.mark.parametrize("waker", ["signal", "broadcast"])
def test_a_signalled_waiter_waits_for_its_mutex(waker: str) -> None:
    finding = finding_of(f"lock; wait; unlock | lock; {waker}; sem_wait; unlock", "0*2,1*2")
    assert finding.threads[0].waits_for == (1,)
    assert "T0 (main) was signalled on `condition#1` and waits for `mutex#1` again" in finding.message
    assert "T1 holds `mutex#1` and waits for a post" in finding.message


def test_a_waiter_whose_signal_another_took_waits_for_the_signal() -> None:
    finding = finding_of("lock; wait; unlock | lock; wait; sem_wait | lock; signal; unlock", "0*2,1*2,2*3,1")
    assert finding.threads[0].waits_for == ()
    assert "T0 (main) waits for a signal" in finding.message


def test_a_barrier_waits_for_those_who_do_not_come() -> None:
    assert finding_of("barrier").message == "T0 (main) waits at barrier `barrier#1` for threads that will not come"


# ---- steps ----


def test_values_of_accesses_are_kept_and_those_of_locks_are_not() -> None:
    finding = finding_of("lock; Wx 7; unlock; Rx; sem_wait")
    assert [step.value for step in finding.steps if step.op is not Op.WRITE] == [None, None, 7]


def test_a_small_negative_number_is_written_as_one() -> None:
    operation = Operation(Op.READ, (ObjectAccess(64, False, 4),))
    steps = tuple(Step(0, operation, operation.footprint, 1, (), value=value) for value in (2**32 - 1, 2**31, 5))
    finding = build_finding(Trace(End(Outcome.EXIT, code=1, thread=0), steps, initial=((0, operation),)))
    assert [step.value for step in finding.steps] == [-1, 2**31, 5]


def test_a_creation_names_the_thread_it_created() -> None:
    finding = finding_of("spawn 1; spawn 2; lock; lock | Rx | Rx")
    assert [step.target for step in finding.steps if step.op is Op.SPAWN] == [1, 2]


@pytest.mark.parametrize(
    ("program", "schedule"),
    [
        ("Wx; lock; lock | Wx; Rx; Rx", "0,1,0,1"),
        ("yield; lock; lock | Rx; yield; Rx", "0,1,1,0"),
        ("sem_wait; lock; lock | post; Rx; Rx", "1,0,1,0"),
        ("lock; timedwait; lock | Rx; Rx", "0,1,0,1"),
        ("lock a; timedwait c a; lock a | lock b; timedwait d b", "0*2,1*2,0"),
    ],
)
def test_the_preemptions_marked_are_those_the_executor_counts(program: str, schedule: str) -> None:
    trace = SimulatedExecutor(parse(program)).run(Plan(prefix=Schedule.parse(schedule).threads))
    finding = build_finding(trace)
    assert finding.preemptions == sum(step.preempted is not None for step in finding.steps) == trace.preemptions


# ---- other ends ----


def test_a_crash_names_signal_address_and_thread() -> None:
    finding = ended(Outcome.CRASH, code=int(signal.SIGSEGV), address=16)
    assert finding.message == "segmentation fault (SIGSEGV) on address 0x10 (a null pointer + 16), thread T0 (main)"
    assert "SIGFPE" in ended(Outcome.CRASH, code=int(signal.SIGFPE)).message
    assert ended(Outcome.CRASH, code=250).message.startswith("signal 250")


def test_an_assertion_quotes_the_expression_and_its_place() -> None:
    finding = ended(Outcome.ASSERTION, message="prog: dir/bank.cc:41: void Bank::check(int): Assertion `balance >= 0' failed.")
    assert finding.site == SourceSite("dir/bank.cc", 41, "Bank::check")
    assert finding.message == "`balance >= 0` is false at bank.cc:41 in Bank::check, thread T0 (main)"
    assert finding.summary == "assertion bank.cc:41 in Bank::check"


def test_the_runtimes_own_words_for_an_assertion_are_understood() -> None:
    finding = ended(Outcome.ASSERTION, message="dir/bank.c:41: check: a ? b : c")
    assert finding.message == "`a ? b : c` is false at bank.c:41 in check, thread T0 (main)"


def test_a_thread_that_failed_before_its_first_operation_is_there() -> None:
    spawn = Operation(Op.SPAWN)
    trace = Trace(End(Outcome.ASSERTION, thread=1, message="x"), (Step(0, spawn, (), 1, ()),), initial=((0, spawn),))
    assert build_finding(trace).message == "`x` is false, thread T1"


def test_an_exception_nobody_caught_is_named() -> None:
    printed = b"terminate called after throwing an instance of 'std::logic_error'\n  what():  late\n"
    assert ended(Outcome.TERMINATE, message="std::terminate", stderr=printed).message.startswith('nobody caught std::logic_error: "late"')
    assert "joinable" in ended(Outcome.TERMINATE, stderr=b"terminate called without an active exception\n").message


def test_an_assertion_in_other_words_is_quoted_as_it_is() -> None:
    assert ended(Outcome.ASSERTION, message="x == 1").message.startswith("`x == 1` is false")
    assert ended(Outcome.ASSERTION).message.startswith("an assertion failed")


def test_an_exit_names_its_status() -> None:
    assert "exit status 7" in ended(Outcome.EXIT, code=7).message


def test_a_kind_and_message_given_by_the_search_are_kept() -> None:
    trace = SimulatedExecutor(parse("Rx")).run(Plan())
    finding = build_finding(trace, kind=FindingKind.LIVELOCK, message="T0 and T1 back off in step")
    assert str(finding) == "livelock: T0 and T1 back off in step"


def test_every_bug_an_execution_can_end_with_has_a_kind() -> None:
    for outcome in Outcome:
        if outcome.is_bug:
            assert ended(outcome).kind == outcome.value


def test_a_finding_pickles_and_prints() -> None:
    finding = finding_of("lock; lock")
    assert pickle.loads(pickle.dumps(finding)) == finding
    assert str(finding).startswith("deadlock: T0")


# ---- names ----


@pytest.mark.parametrize(
    ("frame", "library"),
    [
        (SourceFrame("transfer", "/src/bank.c", 3, "/src/bank"), False),
        (SourceFrame("worker", module="/src/bank"), False),
        (SourceFrame("std::mutex::lock", "/usr/include/c++/12/bits/std_mutex.h", 100, "/src/bank"), True),
        (SourceFrame("pthread_mutex_lock", module="/x/libbpor.so"), True),
        (SourceFrame("bpor_step", "/build/csrc/runtime/step.c", 7, "/x/libbpor.so"), True),
        (SourceFrame("abort", module="/lib/x86_64-linux-gnu/libc.so.6"), True),
        (SourceFrame("execute_native_thread_routine", module="/usr/lib/libstdc++.so.6"), True),
        (SourceFrame("f", module="/src/libcache.so"), False),
        (SourceFrame(offset=12), True),
    ],
)
def test_the_users_code_is_told_from_the_libraries(frame: SourceFrame, library: bool) -> None:
    assert is_library(frame) is library


def test_heap_objects_are_named_by_allocation_and_offset_and_stack_objects_by_thread() -> None:
    heap, stack = 1 << 60 | 1 << 58 | 5 << 32 | 40, 1 << 60 | 2 << 58 | 9 << 32 | 16
    operations = [Operation(Op.MUTEX_LOCK, (ObjectAccess(identity, True),)) for identity in (heap, stack)]
    steps = tuple(Step(0, operation, operation.footprint, 1, ()) for operation in operations)
    description = Description(objects={heap: (1, 0), stack: (2, 0)}, owners={stack: 0})
    finding = build_finding(Trace(End(Outcome.EXIT, code=1), steps, initial=((0, operations[0]),)), description)
    assert [str(step.objects[0]) for step in finding.steps] == [
        "`mutex#1` (on the heap, at offset 40)",
        "`mutex#2` (a local variable of T0)",
    ]
