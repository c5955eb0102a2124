"""`bpor-native mutate`: locks, waits and signals turned into nothing one at a time, in plain and in instrumented programs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.mutate.calls import Calls
from bpor.target.executor import NativeExecutor
from tests.native.compiled import PROGRAMS
from tests.native.suite_workshop import Workshop

pytestmark = pytest.mark.slow  # every test starts several processes

# One lock that nothing needs, a hand-over that everything needs, a join that the assertion needs.
SOURCE = """
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, spare = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, n, last;
static void *worker(void *unused)
{
    pthread_mutex_lock(&spare);
    n++;
    pthread_mutex_unlock(&spare);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&spare);
    last = 1;
    pthread_mutex_unlock(&spare);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(thread, 0);
    assert(n == 1 && last == 1);
    return 0;
}
"""


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def fates(text: str) -> dict[str, str]:
    """mutant -> what became of it."""
    lines = [line.split(": ") for line in text.splitlines() if not line.startswith("mutate:")]
    return {parts[1]: parts[0] for parts in lines}


@pytest.mark.parametrize("optimisation", ["-O0", "-O2"])
def test_what_no_schedule_misses_is_named(shop: Workshop, optimisation: str) -> None:
    shop.source(SOURCE, "hand", optimisation)
    before = (shop.path / "hand").read_bytes()
    run = shop.tool("mutate", "./hand")
    assert run.exit_code == 1, run
    assert fates(run.stdout) == {
        "critical section at hand.c:9 in worker, hand.c:11 in worker": "NOT NOTICED",
        "critical section at hand.c:12 in worker, hand.c:15 in worker": "noticed",
        "critical section at hand.c:16 in worker, hand.c:18 in worker": "NOT NOTICED",
        "critical section at hand.c:25 in main, hand.c:28 in main": "not tried",
        "signal at hand.c:14 in worker": "noticed",
        "wait at hand.c:27 in main": "noticed",
        "join at hand.c:29 in main": "noticed",
    }
    assert "coverage machine: memory is seen" in run.stdout
    assert (shop.path / "hand").read_bytes() == before


def test_in_an_instrumented_program_a_lock_that_only_guards_data_is_noticed(shop: Workshop) -> None:
    built = shop.tool("cc", "-g", "-O1", "-pthread", "-DTHREADS=2", "-o", "counter", str(PROGRAMS / "correct/mutex/counter.c"))
    assert built.exit_code == 0, built
    run = shop.tool("mutate", "./counter")
    assert run.exit_code == 0, run
    assert "noticed: critical section at counter.c:30 in add_twice, counter.c:32 in add_twice: race counter.c:31" in run.stdout


def test_a_program_that_fails_already_has_no_mutants(shop: Workshop) -> None:
    shop.program("buggy/deadlock/bank.c")
    run = shop.tool("mutate", "./bank")
    assert run.exit_code == 2
    assert "must pass before its mutants mean anything" in run.stderr


def test_libraries_beside_the_program_are_still_found(shop: Workshop) -> None:
    (shop.path / "part.c").write_text("int part(void) { return 1; }")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", "libpart.so", "part.c"], cwd=shop.path, check=True)
    source = SOURCE.replace("int main(void)\n{", "int part(void);\nint main(void)\n{\n    assert(part());")
    shop.source(source, "linked", f"-L{shop.path}", "-lpart", "-Wl,-rpath,$ORIGIN")
    run = shop.tool("mutate", "./linked")
    assert run.exit_code == 1, run
    assert "unclear" not in fates(run.stdout).values()


def test_a_tail_call_is_left_alone(shop: Workshop) -> None:
    """The return address it leaves is that of the call of its function: changing that one would remove the function."""
    source = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static int leave(void) { return pthread_mutex_unlock(&m); }
static void *worker(void *unused) { pthread_mutex_lock(&m); leave(); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&m);
    leave();
    pthread_join(thread, 0);
    return 0;
}
"""
    shop.source(source, "tail", "-O2", "-fno-inline")
    run = shop.tool("mutate", "./tail")
    assert "not tried: critical section" in run.stdout, run
    assert "or a jump" in run.stdout


def test_the_calls_before_the_sites_of_an_execution_are_the_functions_that_were_called(shop: Workshop) -> None:
    for flags in (["-O0"], ["-O2"], ["-fno-plt"], ["-no-pie", "-fno-pie"]):
        shop.source(SOURCE, "hand", *flags)
        path = str(shop.path / "hand")
        with NativeExecutor([path]) as executor:
            trace, description = executor.describe(Plan())
        base = next(base for base, module in description.modules if module == path)
        calls = Calls(path)
        found = [(step.operation.kind.text, calls.before(step.operation.site - base)) for step in trace.steps]
        names = {text: call.name for text, call in found if call is not None}
        expected = {"create": "pthread_create", "lock": "pthread_mutex_lock", "unlock": "pthread_mutex_unlock", "join": "pthread_join"}
        assert expected.items() <= names.items(), flags


def test_a_copy_without_its_unlocks_deadlocks(shop: Workshop) -> None:
    shop.source(SOURCE, "hand")
    path = str(shop.path / "hand")
    with NativeExecutor([path]) as executor:
        trace, description = executor.describe(Plan())
    base = next(base for base, module in description.modules if module == path)
    calls = Calls(path)
    unlocks = [calls.before(step.operation.site - base) for step in trace.steps if step.operation.kind.text == "unlock"]
    (shop.path / "copy").write_bytes(calls.without([call for call in unlocks if call is not None]))
    (shop.path / "copy").chmod(0o755)
    with NativeExecutor([str(shop.path / "copy")]) as executor:
        assert executor.run(Plan()).end.outcome is Outcome.DEADLOCK
