"""Functions that a program or a library looks up by name: what they mean under control is what they meant without it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.tool import run_tool

pytestmark = pytest.mark.needs("gcc")

# Counts the locks of a program, as a profiler does that is linked or preloaded.
WRAPPER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
int locks_counted;
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    int (*behind)(pthread_mutex_t *) = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
    locks_counted++;
    return behind(mutex);
}
"""

# Finds what stands behind a name that it does not define.
PLUGIN = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
int plugin_lock(pthread_mutex_t *mutex)
{
    return ((int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock"))(mutex);
}
"""

HOST = """
#include <pthread.h>
int LOCK(pthread_mutex_t *mutex);
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *cross(void *swap)
{
    pthread_mutex_t *first = swap ? &b : &a, *second = swap ? &a : &b;
    LOCK(first);
    LOCK(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, cross, NULL);
    pthread_create(&two, NULL, cross, &two);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
"""


def build(directory: Path, library: str, lock: str, in_program: bool) -> Path:
    host, part, program = directory / "host.c", directory / "part.c", directory / "host"
    host.write_text(HOST)
    part.write_text(library)
    sources: list[str] = [str(host), str(part)]
    if not in_program:
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", directory / "libpart.so", part], check=True)
        sources = [str(host), f"-L{directory}", "-lpart", f"-Wl,-rpath,{directory}"]
    subprocess.run(["gcc", "-g", "-pthread", f"-DLOCK={lock}", "-o", program, *sources], check=True)
    return program


@pytest.mark.parametrize("in_program", [True, False], ids=["in the program", "in a library"])
@pytest.mark.parametrize(("part", "lock"), [(WRAPPER, "pthread_mutex_lock"), (PLUGIN, "plugin_lock")], ids=["wrapper", "plugin"])
def test_a_lock_found_behind_another_is_under_control(tmp_path: Path, part: str, lock: str, in_program: bool) -> None:
    program = build(tmp_path, part, lock, in_program)
    run = run_tool(program, options=["--bound", "preemption:1"])
    assert (run.exit_code, run.kinds) == (1, {"deadlock"}), run
