"""Executions of hundreds of thousands of steps are searched beside the program, those of a thousand threads run, and nothing of either is
forgotten."""

from __future__ import annotations

from pathlib import Path

from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.target.executor import NativeExecutor
from tests.native.compiled import compiled
from tests.native.tool import run_inside

LONG = """
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static void pass(pthread_mutex_t *through)
{
    pthread_mutex_lock(through);
    pthread_mutex_unlock(through);
}
static void *alone(void *unused)
{
    for (int i = 0; i < 150000; i++)
        pass(&mutex);
    pass(&other);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, alone, NULL);
    pass(&other);
    pthread_join(thread, NULL);
    return 0;
}
"""

# Each round of the second thread is an epoch of its own, in which it reads what the first has read: more than a million unordered readers
# are listed, of which few are alive. Then it writes.
READERS = """
#include <pthread.h>
#include <stdatomic.h>
static int word[16], sum[2];
static atomic_int count[2];
static void look(int me, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < 16; k++)
            sum[me] += word[k];
        atomic_store_explicit(&count[me], i, memory_order_release);
    }
}
static void *second(void *unused)
{
    look(1, 34000);
    if (WRITES)
        word[7] = 1;
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, second, NULL);
    look(0, 2);
    pthread_join(thread, NULL);
    return 0;
}
"""

# Every thread waits at the barrier, so that all are there at once. RACER's only edge to its neighbour is that barrier.
THOUSAND = """
#include <pthread.h>
enum { COUNT = 1000, RACER = 777 };
static pthread_barrier_t all;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int sum, last;
static void *meet(void *number)
{
    long me = (long)number;
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&mutex);
    sum++;
    pthread_mutex_unlock(&mutex);
    if (RACES && (me == RACER || me == RACER + 1))
        last = (int)me;
    return NULL;
}
int main(void)
{
    static pthread_t thread[COUNT];
    pthread_barrier_init(&all, NULL, COUNT);
    for (long i = 0; i < COUNT; i++)
        pthread_create(&thread[i], NULL, meet, (void *)i);
    for (int i = 0; i < COUNT; i++)
        pthread_join(thread[i], NULL);
    return sum != COUNT;
}
"""


def written(directory: Path, text: str, *flags: str, instrumented: bool = False) -> Path:
    source = directory / "long.c"
    source.write_text(text)
    return compiled(source, flags, instrumented)


def test_an_execution_of_300000_steps_is_searched_beside_the_program(tmp_path: Path) -> None:
    limits = ["--max-steps", "400000", "--bound", "preemption:1", "--engine", "native", "--state", "none"]
    run = run_inside(written(tmp_path, LONG), (), limits)
    assert (run.exit_code, run.report["distinct_traces"]) == (0, 2), run
    assert run.report["engine"]["beside_the_program"], run


def test_a_thousand_threads_run_and_the_race_of_two_of_them_is_seen(tmp_path: Path) -> None:
    right, wrong = (str(written(tmp_path, THOUSAND, f"-DRACES={one}", instrumented=True)) for one in (0, 1))
    with NativeExecutor([right]) as executor:
        trace = executor.run(Plan())
        assert (trace.end.outcome, trace.threads) == (Outcome.PASSED, 1001)
        assert trace.steps[0].enabled == 1
        assert max(step.enabled.bit_count() for step in trace.steps) == 1000, "all stood behind the barrier"
        assert executor.run(Plan(prefix=tuple(step.thread for step in trace.steps))).hash == trace.hash
    with NativeExecutor([wrong]) as executor:
        end = executor.run(Plan()).end
        assert (end.outcome, {end.thread, end.other_thread}) == (Outcome.RACE, {778, 779})


def test_a_race_with_a_read_is_found_after_a_million_others(tmp_path: Path) -> None:
    for writes, outcome in ((0, Outcome.PASSED), (1, Outcome.RACE)):
        with NativeExecutor([str(written(tmp_path, READERS, f"-DWRITES={writes}", instrumented=True))]) as executor:
            assert executor.run(Plan(max_steps=40_000, report_from=40_000)).end.outcome is outcome
