"""Programs built with AddressSanitizer run under control, and what it finds in some schedule is found."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

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
    subprocess.run([compiler, "-g", *flags, "-pthread", directory / "late.c", "-o", directory / "late"], check=True)
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
