"""--self-check on real programs: both orders seen, nothing to reverse, and a thread that nobody told us of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.suite_workshop import Workshop

# A thread by a bare system call: no library function was called, so there was nothing to interpose.
RAW = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int word;
static long raw(long n, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
    return result;
}
static void start_raw(void)
{
    long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    char *stack = (char *)malloc(1 << 16) + (1 << 16) - 64;
    long result;
    /* The child must not return on the parent's stack: it waits for ever where it begins. */
    __asm__ volatile("xor %%r10d, %%r10d\n xor %%r8d, %%r8d\n syscall\n test %%eax, %%eax\n jnz 1f\n"
                     "2: mov $202, %%eax\n lea %[word], %%rdi\n xor %%esi, %%esi\n"
                     "xor %%edx, %%edx\n xor %%r10d, %%r10d\n syscall\n jmp 2b\n 1:"
                     : "=a"(result)
                     : "a"(SYS_clone), "D"(flags), "S"(stack), "d"(0), [word] "m"(word)
                     : "rcx", "r8", "r10", "r11", "memory");
    if (result < 0)
        abort();
}
static void *worker(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    START;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_join(thread, NULL);
    return raw(SYS_getppid, 0, 0, 0, 0) < 0;
}
"""


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


@pytest.mark.parametrize("name", ["buggy/deadlock/bank.c", "correct/condition/ping_pong.c", "correct/thread/detached.c"])
def test_a_program_under_control_shows_both_orders(shop: Workshop, name: str) -> None:
    run = shop.tool("--self-check", f"./{shop.program(name)}")
    assert run.exit_code == 0, run
    assert "ran in both orders, and the executions differ" in run.stdout
    assert "threads are ours" in run.stdout


@pytest.mark.parametrize("name", ["correct/process/no_threads.c", "correct/mutex/independent.c"])
def test_nothing_to_reverse_is_said_and_not_passed(shop: Workshop, name: str) -> None:
    run = shop.tool("--self-check", f"./{shop.program(name)}")
    assert run.exit_code == 3, run
    assert "self-check: nothing to reverse" in run.stdout


def test_one_thread_by_a_bare_system_call_fails_it(shop: Workshop) -> None:
    shop.source(RAW, "raw", "-DSTART=start_raw()")
    run = shop.tool("--self-check", "./raw")
    assert run.exit_code == 4, run
    assert "not under control: " in run.stdout
    assert "3 kernel threads run in it before step" in run.stdout and "2 of them ours" in run.stdout


def test_the_same_program_without_that_thread_passes_it(shop: Workshop) -> None:
    shop.source(RAW, "raw", "-DSTART=(void)start_raw")
    assert shop.tool("--self-check", "./raw").exit_code == 0


def test_a_refused_call_fails_it(shop: Workshop) -> None:
    run = shop.tool("--self-check", f"./{shop.program('unsupported/cancel.c')}")
    assert (run.exit_code, "pthread_cancel" in run.stdout) == (4, True), run
