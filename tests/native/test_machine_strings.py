"""Instructions and calls that access memory in two places: another thread may come between the two, and between two elements."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.test_machine_code import built
from tests.native.test_machine_forms import PROCESSOR
from tests.native.tool import run_inside

pytestmark = pytest.mark.needs("gcc")

PROGRAM = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <immintrin.h>
static volatile struct { long f[4], t[4]; } shared = {{1, 2, 3, 4}, {5, 2, 7, 8}};
static volatile long *const f = shared.f, *const t = shared.t;
static long answer, seen;
static void *work(void *unused)
{
    const volatile void *from = f; volatile void *to = t; long n = 2, a = 5; unsigned char flag = 0;
    (void)from, (void)to, (void)n, (void)a, (void)flag;
    WORK;
    return unused;
}
static void *other(void *unused) { OTHER; return unused; }
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, work, 0), pthread_create(&two, 0, other, 0);
    pthread_join(one, 0), pthread_join(two, 0);
    printf("%ld %ld %ld %ld", answer, seen, t[0], t[1]);
    return 0;
}
"""


def done_by(text: str, answer: str = "0") -> str:
    return f'__asm__ volatile("{text}" : "+S"(from), "+D"(to), "+c"(n), "+a"(a), "+q"(flag) : : "memory", "cc"); answer = {answer}'


EVEN = "const __m256i even = _mm256_set_epi64x(0, -1, 0, -1); "
PUT_AND_LOOK = "f[0] = 9; seen = t[0]"
COPY = ["r = f0", "t0 = r", "r = f1", "t1 = r"]
# In C, what the one thread does and what the other does; the same as steps of which each is done at once.
CASES: dict[str, tuple[str, str, list[str], list[str]]] = {
    "movs": (done_by("movsq"), PUT_AND_LOOK, COPY[:2], ["f0 = 9", "seen = t0"]),
    "rep movs": (done_by("rep movsq"), "f[0] = 9; seen = t[1]; f[1] = 6", COPY, ["f0 = 9", "seen = t1", "f1 = 6"]),
    "rep movs, backwards": (
        done_by("add $8, %%rsi; add $8, %%rdi; std; rep movsq; cld"),
        "f[0] = 9; seen = t[1]; f[1] = 6",
        [*COPY[2:], *COPY[:2]],
        ["f0 = 9", "seen = t1", "f1 = 6"],
    ),
    "rep stos": (done_by("rep stosq"), "t[0] = 3; seen = t[1]", ["t0 = 5", "t1 = 5"], ["t0 = 3", "seen = t1"]),
    "cmps": (done_by("cmpsq; sete %b4", "flag"), "t[0] = 1; f[0] = 7", ["r = f0", "answer = int(r == t0)"], ["t0 = 1", "f0 = 7"]),
    "repe cmps": (
        done_by("xchg %%rsi, %%rdi; repe cmpsq; setb %b4", "10 * n + flag"),
        "f[0] = 5; t[0] = 1; t[1] = 0",
        ["r = t0", "e = r == f0; answer = 10 + (r < f0)", "r = t1", "answer = int(r < f1) if e else answer"],
        ["f0 = 5", "t0 = 1", "t1 = 0"],
    ),
    "repne scas": (
        done_by("repne scasq; sete %b4", "10 * n + flag"),
        "t[1] = 5; t[0] = 0; t[1] = 4",
        ["e = t0 == 5; answer = 11", "answer = answer if e else int(t1 == 5)"],
        ["t1 = 5", "t0 = 0", "t1 = 4"],
    ),
    "lods": (done_by("rep lodsq", "a"), "f[0] = 4; f[1] = 6", ["r = f0", "answer = f1"], ["f0 = 4", "f1 = 6"]),
    "memcpy": ("memcpy((void *)to, (void *)from, 4 * n)", PUT_AND_LOOK, COPY[:2], ["f0 = 9", "seen = t0"]),
    "memmove over itself": (
        "memmove((void *)f, (void *)&f[1], 8 * n)",
        "f[2] = 9; seen = f[0]",
        ["r = f1, f2", "f0, f1 = r"],
        ["f2 = 9", "seen = f0"],
    ),
    "memcmp": (
        "answer = memcmp((void *)to, (void *)from, 4 * n) != 0",
        "t[0] = 6; f[0] = 5",
        ["r = t0", "answer = int(r != f0)"],
        ["t0 = 6", "f0 = 5"],
    ),
    "a vector of which a mask takes two, read": (
        EVEN + "__m256i v = _mm256_maskload_epi64((void *)f, even); answer = 10 * _mm256_extract_epi64(v, 0) + _mm256_extract_epi64(v, 2)",
        "f[2] = 6; f[0] = 4",
        ["answer = 10 * f0 + f2"],
        ["f2 = 6", "f0 = 4"],
    ),
    "a vector of which a mask takes two, written": (
        EVEN + "_mm256_maskstore_epi64((void *)t, even, _mm256_set1_epi64x(9))",
        "seen = t[2]; seen = 10 * seen + t[0]",
        ["t0 = t2 = 9"],
        ["seen = t2", "seen = 10 * seen + t0"],
    ),
    "cmpxchg16b without a lock": (
        '__asm__ volatile("cmpxchg16b %0" : "+m"(*(__int128 *)t) : "b"(7l), "a"(5l), "d"(2l), "c"(6l) : "cc")',
        "t[0] = 9; seen = t[1]",
        ["r = t0, t1", "t0, t1 = (7, 6) if r == (5, 2) else r"],
        ["t0 = 9", "seen = t1"],
    ),
}


def interleaved(state: dict[str, object], one: list[str], two: list[str]) -> set[str]:
    """What is printed at the end of every order of the steps."""
    if not one and not two:
        return {"{answer} {seen} {t0} {t1}".format(**state)}
    found = set()
    for first, rest in ((one, (one[1:], two)), (two, (one, two[1:]))):
        if first:
            then = dict(state)
            exec(first[0], {}, then)
            found |= interleaved(then, *rest)
    return found


@pytest.mark.parametrize("name", CASES)
def test_another_thread_comes_between_two_accesses_of_one_instruction(tmp_path: Path, name: str) -> None:
    flags = ["-mcx16", "-fno-builtin"]
    if "mask" in name:
        flags += ["-mavx2"]
        if " avx2 " not in PROCESSOR:
            pytest.skip("needs a processor with AVX2")
    work, other, steps, others = CASES[name]
    program = built(tmp_path, PROGRAM.replace("WORK", work).replace("OTHER", other), *flags)
    run = run_inside(program, [], ["--bound", "none", "--outcomes", "--memory=sc"])
    begin: dict[str, object] = {"f0": 1, "f1": 2, "f2": 3, "t0": 5, "t1": 2, "t2": 7, "answer": 0, "seen": 0}
    assert run.exit_code == 0 and run.report["coverage"] == "machine" and "not seen" not in run.report["statement"], run
    assert {one["stdout"] for one in run.report["outcomes"]} == interleaved(begin, steps, others)
