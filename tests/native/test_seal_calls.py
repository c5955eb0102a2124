"""A seal ends where the call of the sealed function ends: what goes wrong between two calls is found, inside one nobody is preempted."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.tool import run_inside

SOURCE = """
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int number;
#define STAYS __asm__ volatile("") /* the last call is no jump */
CALLED int get(void) { pthread_mutex_lock(&m); int value = number; pthread_mutex_unlock(&m); STAYS; return value; }
CALLED void put(int value) { pthread_mutex_lock(&m); number = value; pthread_mutex_unlock(&m); STAYS; }
CALLED void add(void) { pthread_mutex_lock(&m); number++; pthread_mutex_unlock(&m); STAYS; }
CALLED void add_twice(void) { add(); add(); STAYS; }
CALLED void add_each(int times) { for (int i = 0; i < times; i++) add(); STAYS; }
CALLED void cross(pthread_mutex_t *x, pthread_mutex_t *y)
{
    pthread_mutex_lock(x); pthread_mutex_lock(y); pthread_mutex_unlock(y); pthread_mutex_unlock(x); STAYS;
}
__attribute__((noinline)) void deep(int depth) { add(); if (depth) deep(depth - 1); add(); STAYS; }
static void *one(void *unused) { ONE; return unused; }
static void *two(void *unused) { TWO; return unused; }
int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, one, NULL);
    pthread_create(&thread[1], NULL, two, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    LAST;
    return 0;
}
"""
TWICE = "for (int i = 0; i < 2; i++) "
NOINLINE, INLINE = "__attribute__((noinline))", "static inline __attribute__((always_inline))"
BETWEEN = [  # sealed, what one and two do, what holds at the end, how it is compiled: wrong between two calls
    ("get,put", "put(get() + 1)", "put(get() + 1)", "assert(number == 2)", NOINLINE),
    ("get,put", "put(get() + 1)", "put(get() + 1)", "assert(number == 2)", INLINE),
    ("add", f"{TWICE}add()", "assert(get() != 1)", "", NOINLINE),
    ("add", f"{TWICE}add()", "assert(get() != 1)", "", INLINE),
    ("add", "add_twice()", "assert(get() != 1)", "", NOINLINE),
    ("add_twice", f"{TWICE}add_twice()", "assert(get() != 2)", "", NOINLINE),
    ("add_each", f"{TWICE}add_each(2)", "assert(get() != 2)", "", NOINLINE),
    ("add", "deep(1)", "assert(get() % 4 == 0)", "", NOINLINE),
]
INSIDE = [
    ("cross", f"{TWICE}cross(&a, &b)", f"{TWICE}cross(&b, &a)", "", NOINLINE),
    ("add_twice", "add_twice()", "assert(get() != 1)", "", NOINLINE),
    ("add*", f"{TWICE}add_twice()", "assert(get() % 2 == 0)", "", NOINLINE),
    ("deep", "deep(1)", "assert(get() % 4 == 0)", "", NOINLINE),
    ("seal.c", f"{TWICE}cross(&a, &b)", "cross(&b, &a)", "", INLINE),
]


def sealed(directory: Path, case: tuple[str, ...], optimisation: str) -> int:
    names, one, two, last, called = case
    (directory / "seal.c").write_text(SOURCE)
    defined = [f"-DONE={one}", f"-DTWO={two}", f"-DLAST={last}", f"-DCALLED={called}"]
    program = directory / f"seal{optimisation}"
    subprocess.run(["gcc", "-g", optimisation, *defined, "-pthread", "-o", program, "seal.c"], cwd=directory, check=True)
    return run_inside(program, options=["--bound", "none", "--seal", names]).exit_code


@pytest.mark.needs("objdump")
@pytest.mark.parametrize("case", BETWEEN, ids=lambda case: f"{case[0]} in {case[1]}")
def test_a_thread_is_preempted_between_two_calls_of_sealed_functions(case: tuple[str, ...], tmp_path: Path) -> None:
    assert [sealed(tmp_path, case, optimisation) for optimisation in ("-O0", "-O2")] == [1, 1]


@pytest.mark.needs("objdump")
@pytest.mark.parametrize("case", INSIDE, ids=lambda case: f"{case[0]} in {case[1]}")
def test_a_thread_is_not_preempted_inside_one(case: tuple[str, ...], tmp_path: Path) -> None:
    assert [sealed(tmp_path, case, optimisation) for optimisation in ("-O0", "-O2")] == [0, 0]
