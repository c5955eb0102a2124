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


@pytest.mark.parametrize(
    "compiler", [pytest.param("gcc", marks=pytest.mark.needs("gcc")), pytest.param("clang", marks=pytest.mark.needs("clang"))]
)
@pytest.mark.slow  # where the schedule is not fair, its runtime spins to the step limit
def test_a_use_after_free_is_found_with_the_line_of_the_use(compiler: str, tmp_path: Path) -> None:
    (tmp_path / "late.c").write_text(SOURCE)
    program = tmp_path / "late"
    subprocess.run([compiler, "-g", "-fsanitize=address", "-pthread", tmp_path / "late.c", "-o", program], check=True)
    passed = run_tool(program, options=["--bound", "preemption:0"])
    assert passed.exit_code == 0, passed
    found = run_tool(program, options=["--bound", "preemption:1", "--max-steps", "500"])
    assert (found.exit_code, found.kinds) == (1, {"crash"}), found
    assert "heap-use-after-free" in found.report["findings"][0]["stderr"]
    assert "late.c:" in found.report["findings"][0]["message"]
