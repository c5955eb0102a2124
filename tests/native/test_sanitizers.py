"""Programs built with a sanitizer run under control, what it finds in some schedule is found, and what it cannot look for is said."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.compiled import skip_without_clang_runtime
from tests.native.tool import run_tool

SOURCE = """
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *block, gone;
static void *release(void *unused)
{
    pthread_mutex_lock(&mutex);
    gone = 1;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    free(block);
    return unused;
}
static void *user(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (gone) {
        pthread_mutex_unlock(&mutex);
        return unused;
    }
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex); /* it may be gone by now */
    *block = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void)
{
    pthread_t thread[2];
    block = malloc(sizeof *block);
    pthread_create(&thread[0], NULL, user, NULL);
    pthread_create(&thread[1], NULL, release, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""


COMPILERS = [pytest.param(name, marks=pytest.mark.needs(name)) for name in ("gcc", "clang")]


def build(compiler: str, directory: Path, source: str, *flags: str) -> Path:
    (directory / "late.c").write_text(source)
    command = [compiler, "-g", *flags, "-pthread", directory / "late.c", "-o", directory / "late"]
    built = subprocess.run(command, capture_output=True, text=True)
    skip_without_clang_runtime(built.stderr)
    assert built.returncode == 0, built.stderr
    return directory / "late"


@pytest.mark.parametrize("bound", ["preemption:1", "fair:2"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_use_after_free_is_found_with_the_line_of_the_use(compiler: str, bound: str, tmp_path: Path) -> None:
    program = build(compiler, tmp_path, SOURCE, "-fsanitize=address")
    passed = run_tool(program, options=["--bound", "preemption:0"])
    assert passed.exit_code == 0, passed
    found = run_tool(program, options=["--bound", bound])
    assert (found.exit_code, found.kinds) == (1, {"crash"}), found
    assert "heap-use-after-free" in found.report["findings"][0]["stderr"]
    assert "late.c:" in found.report["findings"][0]["message"]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_its_runtime_adds_no_operations(compiler: str, tmp_path: Path) -> None:
    """Its allocator and its threads' ends are not the program's: the same traces and steps as without it."""
    fixed = SOURCE.replace("    pthread_mutex_unlock(&mutex);\n    pthread_mutex_lock(&mutex); /* it may be gone by now */\n", "")
    assert fixed != SOURCE
    runs = [run_tool(build(compiler, tmp_path, fixed, *flags), options=["--bound", "none"]) for flags in ((), ("-fsanitize=address",))]
    assert [run.exit_code for run in runs] == [0, 0], runs
    assert [(run.report["distinct_traces"], run.report["steps"]) for run in runs] == [(3, 27), (3, 27)]


# What the runtimes of gcc 14 and clang 17 do around threads, without the rest: a lock of their own, held while the next pthread_create
# and pthread_detach run, taken where a thread begins and where it ends. `__asan_init` is how one knows them.
LOCKING_RUNTIME = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
static int busy, starts, ends;
static struct made {
    void *(*start)(void *);
    void *argument;
} made[8], *last = made;
void __asan_init(void) {}
static void enter(void)
{
    while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        ;
}
static void leave(void)
{
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}
static void *started(void *of)
{
    struct made *mine = of;
    enter();
    starts++;
    leave();
    void *value = mine->start(mine->argument);
    enter();
    ends++;
    leave();
    return value;
}
int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    enter();
    *last = (struct made){start, argument};
    int error = next(handle, attributes, started, last++);
    leave();
    return error;
}
int pthread_detach(pthread_t handle)
{
    int (*next)(pthread_t) = dlsym(RTLD_NEXT, "pthread_detach");
    enter();
    int error = next(handle);
    leave();
    return error;
}
"""

DETACHING = """
#include <pthread.h>
#include <semaphore.h>
static sem_t done;
static void *worker(void *unused)
{
    sem_post(&done);
    return unused;
}
int main(void)
{
    pthread_t thread;
    sem_init(&done, 0, 0);
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, worker, NULL);
        pthread_detach(thread);
    }
    for (int i = 0; i < 2; i++)
        sem_wait(&done);
    return 0;
}
"""


@pytest.mark.parametrize("source", [SOURCE.replace("*block = 1;", ""), DETACHING], ids=["joined", "detached"])
def test_a_runtime_that_makes_threads_under_a_lock_of_its_own_adds_nothing(source: str, tmp_path: Path) -> None:
    options = ["--bound", "none", "--machine-code=off"]  # the lock is in the program itself, whose accesses would be steps
    alone = run_tool(build("gcc", tmp_path, source), options=options)
    (tmp_path / "runtime.c").write_text(LOCKING_RUNTIME)
    wrapped = build("gcc", tmp_path, source, "-rdynamic", str(tmp_path / "runtime.c"))
    locked = run_tool(wrapped, options=[*options, "--watchdog", "1"])
    assert (alone.exit_code, locked.exit_code) == (0, 0), locked
    assert alone.report["distinct_traces"] == locked.report["distinct_traces"] > 1
    assert alone.report["steps"] == locked.report["steps"]


LEAK = """
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *volatile kept;
static void *keep(void *unused)
{
    pthread_mutex_lock(&mutex);
    kept = malloc(100);
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, keep, NULL);
    keep(NULL);
    pthread_join(thread, NULL);
    free(kept);
    return 0;
}
"""
OVERFLOW = LEAK.replace("kept = malloc(100);", "number = number + 1;").replace("static char", "static int number = 0x7fffffff; static char")


@pytest.mark.parametrize("sanitizer", ["leak", "address"])
def test_a_pass_of_a_program_that_looks_for_leaks_says_that_nobody_looked(sanitizer: str, tmp_path: Path) -> None:
    run = run_tool(build("gcc", tmp_path, LEAK, f"-fsanitize={sanitizer}"), options=["--bound", "none"])
    assert run.exit_code == 0, run
    assert "memory leaks are not looked for" in run.report["assumptions"]


@pytest.mark.needs("clang")
@pytest.mark.parametrize("sanitizer", ["leak", "memory"])
def test_a_runtime_that_cannot_be_entered_is_refused_by_name(sanitizer: str, tmp_path: Path) -> None:
    run = run_tool(build("clang", tmp_path, LEAK, f"-fsanitize={sanitizer}"))
    assert run.exit_code == 4, run
    assert f"build it without -fsanitize={sanitizer}" in run.report["statement"]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_undefined_behaviour_that_is_only_printed_is_a_bug(compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UBSAN_OPTIONS", "halt_on_error=0")
    run = run_tool(build(compiler, tmp_path, OVERFLOW, "-fsanitize=undefined"), options=["--bound", "preemption:0"])
    assert (run.exit_code, run.kinds) == (1, {"crash"}), run
    assert "signed integer overflow" in run.report["findings"][0]["stderr"]
