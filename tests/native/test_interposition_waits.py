"""The families in which threads wait, row by row of intercepted.def: libc's answers pass through an uncontrolled process, and the model
gives the same ones in a controlled one.

Invariant: the program calls every function of these families and prints its answer; a row without a call fails the first test.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native.compiled import PROGRAMS, ROOT, compiled
from tests.native.tool import run_tool
from tests.patience import PATIENCE

pytestmark = pytest.mark.needs("gcc")
Compile = Callable[..., Path]

FAMILIES = ("rwlock", "spin", "barrier", "once", "guard", "robust", "join", "named_semaphore", "c11")
LIBRARY = ROOT / "bpor" / "_native" / "libbpor.so"
PROGRAM = PROGRAMS / "correct" / "interposition" / "waits.c"
FLAGS = ("-Wl,--no-as-needed", "-lstdc++", "-Wno-nonnull")


def rows() -> set[str]:
    table = (ROOT / "csrc/protocol/intercepted.def").read_text(encoding="utf-8")
    return {name for name, family in re.findall(r"^FUNCTION\((\w+), *(\w+)\)", table, re.MULTILINE) if family in FAMILIES}


def answers(preload: Path | None = None) -> list[str]:
    environment = {**os.environ, **({"LD_PRELOAD": str(preload)} if preload else {})}
    result = subprocess.run([compiled(PROGRAM, FLAGS)], env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_the_program_calls_every_function_of_the_families() -> None:
    called = {line.split()[0] for line in answers() if line}
    assert rows() <= called, rows() - called


def test_an_uncontrolled_process_gets_libc_s_answers() -> None:
    assert answers(preload=LIBRARY) == answers()


@pytest.mark.parametrize(
    ("reset", "carrier"), [("rollback", "fibers"), ("fork", "fibers"), ("fork", "threads"), ("exec", "fibers"), ("exec", "threads")]
)
def test_a_controlled_process_gets_the_same_answers_from_the_model(reset: str, carrier: str) -> None:
    """Three times: what one execution leaves in the model is not there in the next."""
    expected = answers()
    with NativeExecutor([str(compiled(PROGRAM, FLAGS))], TargetOptions(reset=reset, carrier=carrier)) as executor:
        traces = [executor.run(Plan()) for _ in range(3)]
    for trace in traces:
        assert trace.end.outcome is Outcome.PASSED, trace.end
        assert trace.end.stdout.decode().splitlines() == expected
    assert len({trace.hash for trace in traces}) == 1
    assert {step.operation.kind.text for step in traces[0].steps} >= {
        *("rdlock", "wrlock", "rwunlock", "timedwrlock", "spin lock", "spin trylock", "barrier arrive", "barrier leave"),
        *("once", "once done", "static init", "static init done", "tryjoin", "timedjoin", "thread end"),
        *("sem open", "sem close", "sem unlink", "cond wait", "trylock"),
    }


GUARD_WITHOUT_CPP = """
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
enum { GUARDS = 2000, THREADS = 4 };
static uint64_t guard[GUARDS];
static int made[GUARDS], (*acquire)(uint64_t *);
static void (*release)(uint64_t *), (*give_up)(uint64_t *);
static void *use(void *unused)
{
    for (int i = 0; i < GUARDS; i++)
        while (!(__atomic_load_n(&guard[i], __ATOMIC_ACQUIRE) & 1) && acquire(&guard[i]))
            if (i % 3 == 0 && made[i] == 0) { made[i] = -1; give_up(&guard[i]); }
            else { made[i] = made[i] < 1 ? 1 : 99; release(&guard[i]); }
    return unused;
}
int main(void)
{
    pthread_t thread[THREADS];
    acquire = (int (*)(uint64_t *))dlsym(RTLD_DEFAULT, "__cxa_guard_acquire");
    release = (void (*)(uint64_t *))dlsym(RTLD_DEFAULT, "__cxa_guard_release");
    give_up = (void (*)(uint64_t *))dlsym(RTLD_DEFAULT, "__cxa_guard_abort");
    if (!acquire || !release || !give_up) return 2;
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], 0, use, 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], 0);
    for (int i = 0; i < GUARDS; i++) if (made[i] != 1) return 1;
    return 0;
}
"""


def test_guards_work_where_no_cpp_library_is_behind_ours(tmp_path: Path) -> None:
    """An interpreter loads libstdc++ later and privately; its users still find our definition first."""
    source = tmp_path / "guards.c"
    source.write_text(GUARD_WITHOUT_CPP)
    program = compiled(source)
    for preload, status in ((str(LIBRARY), 0), ("", 2)):
        result = subprocess.run([program], env={**os.environ, "LD_PRELOAD": preload}, timeout=PATIENCE)
        assert result.returncode == status


WAITS_WITHOUT_CPP = r"""
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
enum { ROUNDS = 2000 };
struct arguments { uint32_t flags; int order; uint64_t old; void *state; const void *object; unsigned char size; };
struct result { uint64_t value; unsigned char bits; };
bool begin(struct arguments *, const void *)
    __asm__("_ZNSt8__detail11__wait_args19_M_setup_proxy_waitEPKv") __attribute__((weak));
struct result wait_changed(const void *, struct arguments *)
    __asm__("_ZNSt8__detail11__wait_implEPKvRNS_16__wait_args_baseE") __attribute__((weak));
void notify(const void *, bool, const struct arguments *)
    __asm__("_ZNSt8__detail13__notify_implEPKvbRKNS_16__wait_args_baseE") __attribute__((weak));
static TYPE turn;
static void *play(void *me)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct arguments told = {.object = &turn, .size = sizeof turn}, waits = told;
        TYPE seen;
        bool direct = !begin(&waits, &turn);
        while ((seen = __atomic_load_n(&turn, __ATOMIC_ACQUIRE)) != (TYPE)(uintptr_t)me) {
            if (direct) waits.old = (uint64_t)seen;
            wait_changed(&turn, &waits);
            if (!direct) begin(&waits, 0);
        }
        __atomic_store_n(&turn, (TYPE)!me, __ATOMIC_RELEASE);
        notify(&turn, true, &told);
    }
    return 0;
}
int main(void)
{
    pthread_t other;
    if (!begin || !wait_changed || !notify) return 2;
    pthread_create(&other, 0, play, (void *)1);
    play(0);
    pthread_join(other, 0);
    return 0;
}
"""


@pytest.mark.parametrize("kind", ["char", "int", "long"])
def test_atomic_waits_work_where_no_cpp_library_is_behind_ours(tmp_path: Path, kind: str) -> None:
    """Two uncontrolled threads take turns; a notification that is lost would leave both waiting."""
    source = tmp_path / "turns.c"
    source.write_text(WAITS_WITHOUT_CPP)
    program = compiled(source, (f"-DTYPE={kind}",))
    for preload, status in ((str(LIBRARY), 0), ("", 2)):
        result = subprocess.run([program], env={**os.environ, "LD_PRELOAD": preload}, timeout=PATIENCE)
        assert result.returncode == status


def test_a_deadlock_leaves_no_named_semaphore_behind(program: Compile) -> None:
    before = set(os.listdir("/dev/shm"))
    run = run_tool(program("buggy/deadlock/named_semaphore_order.c"), options=["--bound", "preemption:1"])
    assert run.exit_code == 1, run
    assert set(os.listdir("/dev/shm")) - before == set()


def test_a_semaphore_that_others_could_share_is_refused_by_name(program: Compile) -> None:
    """Its value is the result of runs out of our sight."""
    outside = Path("/dev/shm/sem.bpor-test-order-a")
    outside.write_bytes(bytes(32))
    try:
        run = run_tool(program("buggy/deadlock/named_semaphore_order.c"), options=["--bound", "preemption:1"])
    finally:
        outside.unlink()
    assert run.exit_code == 4, run
    assert "sem_open" in run.messages and "/dev/shm" in run.messages
