"""Rollback means what a new process means, in one process: it stays alive, keeps nothing of an execution, and says why when it cannot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native.compiled import PROGRAMS, compiled
from tests.native.recording import executions

pytestmark = pytest.mark.needs("gcc")

MORE = ("thread/large_stack.c", "thread/stack_sizes.c", "process/own_signal_handler.c")
MEMORY_ALONE = [*sorted(PROGRAMS.glob("correct/reset/*.c")), *(PROGRAMS / "correct" / name for name in MORE)]
CRASHES = [PROGRAMS / "buggy/crash" / name for name in ("abort.c", "division.c", "stack_overflow.c", "use_after_free.c")]


def process_and_what_it_has(executor: NativeExecutor) -> tuple[int, list[str], list[str]]:
    """Mappings, but for main's stack, which the kernel lets grow as it likes, and heap that is kept out of reach, and descriptors."""
    assert executor._target is not None
    process = executor._target.process.pid
    lines = Path(f"/proc/{process}/maps").read_text("utf-8").splitlines()
    mappings = [line for line in lines if not line.endswith("[stack]") and not ("---p" in line and line.endswith("[heap]"))]
    return process, mappings, sorted(os.listdir(f"/proc/{process}/fd"))


@pytest.mark.parametrize("source", MEMORY_ALONE, ids=lambda source: source.stem)
def test_effects_on_memory_alone_are_taken_back_in_one_process_and_nothing_is_left(source: Path) -> None:
    with NativeExecutor([str(compiled(source))]) as executor:
        executor.run(Plan())
        before = process_and_what_it_has(executor)
        assert {outcome for _, outcome, _ in executions(executor, "none", 8, max_steps=500)} == {Outcome.PASSED}
        executor.run(Plan())  # the heap of the last execution stays open until the next one begins
        assert process_and_what_it_has(executor) == before
        assert (str(executor.mode), executor.reason) == ("rollback, fibers", "")


@pytest.mark.parametrize("source", CRASHES, ids=lambda source: source.stem)
def test_a_crash_is_a_finding_and_the_same_process_goes_on(source: Path) -> None:
    with NativeExecutor([str(compiled(source))]) as executor, NativeExecutor([str(compiled(source))], TargetOptions(reset="exec")) as fresh:
        executor.run(Plan())
        before = process_and_what_it_has(executor)
        seen = [executions(executor, "preemption:2", 6, max_steps=500) for _ in range(2)]
        assert Outcome.CRASH in {outcome for _, outcome, _ in seen[0]}
        assert seen[0] == seen[1] == executions(fresh, "preemption:2", 6, max_steps=500)
        executor.run(Plan())
        assert process_and_what_it_has(executor) == before
        assert executor.mode.rollback


# What the second of two threads does, if it is the second to get the mutex; and why rollback is no longer enough.
EFFECTS = {
    "openat": ("open", 'open("/dev/full", O_WRONLY)'),
    "dup2": ("a pipe in the place of stdin", "pipe(own) || dup2(own[0], 0)"),
    "sendmsg": ("a descriptor that is sent", "sent()"),
    "brk": ("less heap", "*(char *)sbrk(-4096) != 0"),
    "mmap": ("shared memory", "mmap(0, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == 0"),
    "system call 9": ("memory that grows", "mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0) == 0"),
    "1024 files": ("many files", "last_of(1100)"),
    "munmap": ("memory of the tool's or libc's", "munmap(old, 4096)"),
    "ended or stopped": ("death", "kill(getpid(), SIGKILL)"),
}
PROGRAM = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int turn, result;
__attribute__((unused)) static int own[2];
static void *old;
__attribute__((constructor)) static void before_main(void)
{
    old = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){2000, 2000});
}
__attribute__((unused)) static int last_of(int files)
{
    while (--files > 0)
        open("/proc/self/exe", O_RDONLY);
    return open("/proc/self/exe", O_RDONLY);
}
__attribute__((unused)) static int sent(void)
{
    char room[CMSG_SPACE(sizeof(int))] = {0};
    struct msghdr message = {.msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *with = CMSG_FIRSTHDR(&message);
    *with = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    return socketpair(AF_UNIX, SOCK_DGRAM, 0, own) || sendmsg(own[0], &message, 0);
}
static void *work(void *number)
{
    pthread_mutex_lock(&mutex);
    if (turn++ == 1 && number == NULL)
        result = EFFECT;
    pthread_mutex_unlock(&mutex);
    return NULL;
}
int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, i ? &thread : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return old == NULL || result < 0;
}
"""


@pytest.mark.parametrize("word", EFFECTS, ids=lambda word: EFFECTS[word][0])
def test_an_effect_outside_memory_in_the_midst_of_a_search_moves_it_to_fork_with_a_reason(word: str, tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(PROGRAM.replace("EFFECT", EFFECTS[word][1]))
    argv = [str(compiled(source))]
    with NativeExecutor(argv) as executor, NativeExecutor(argv, TargetOptions(reset="exec")) as fresh:
        assert executor.run(Plan()).end.outcome is Outcome.PASSED
        assert executor.mode.rollback
        assert executions(executor, "none", 8, max_steps=500) == executions(fresh, "none", 8, max_steps=500)
        assert str(executor.mode) == "fork, fibers"
        assert word in executor.reason


def test_memory_that_must_not_be_touched_may_be_larger_than_what_can_be_put_back(tmp_path: Path) -> None:
    """MADV_GUARD_INSTALL of 1.25 GiB; kernels before 6.13 refuse it, and the memory is an ordinary one that nobody touches."""
    source = tmp_path / "program.c"
    wide = "old = mmap(NULL, 5L << 28, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);\n    madvise(old, 5L << 28, 102);"
    source.write_text(PROGRAM.replace("EFFECT", "0").replace("    setrlimit", f"    {wide}\n    setrlimit"))
    with NativeExecutor([str(compiled(source))]) as executor:
        assert executor.run(Plan()).end.outcome is Outcome.PASSED
        assert str(executor.mode) == "rollback, fibers"
