"""The public interface of ThreadSanitizer and the annotations of race detectors do what they say: they order, or they excuse; and what was
excused stands in the verdict."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.compiled import compiled
from tests.native.tool import Run, run_inside
from tests.native.two_threads import TWO_THREADS

pytestmark = pytest.mark.needs("gcc")

FRAME = (
    """
#include <pthread.h>
#include <sanitizer/tsan_interface.h>
#include <stdatomic.h>
#include <stdlib.h>
void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);
void AnnotateRWLockCreate(const char *, int, const volatile void *);
void AnnotateRWLockDestroy(const char *, int, const volatile void *);
void AnnotateRWLockAcquired(const char *, int, const volatile void *, long);
void AnnotateRWLockReleased(const char *, int, const volatile void *, long);
void AnnotateBenignRace(const char *, int, const volatile void *, const char *);
void AnnotateBenignRaceSized(const char *, int, const volatile void *, long, const char *);
void AnnotateNewMemory(const char *, int, const volatile void *, long);
void AnnotateThreadName(const char *, int, const char *);
void AnnotateIgnoreReadsBegin(const char *, int);
void AnnotateIgnoreReadsEnd(const char *, int);
void AnnotateIgnoreWritesBegin(const char *, int);
void AnnotateIgnoreWritesEnd(const char *, int);
void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_end(void);
#define HERE __FILE__, __LINE__
int data, sink; char area[16]; atomic_int flag; char lock; int *block;
#define SET atomic_store_explicit(&flag, 1, memory_order_relaxed)
#define SEEN atomic_load_explicit(&flag, memory_order_relaxed)
%s
"""
    + TWO_THREADS
)
# A lock whose own code has plain accesses that race, as a lock in assembler might: the flags are those of the interface.
SPIN = """
static atomic_int held; static int owner;
static void take(unsigned flags)
{
    __tsan_mutex_pre_lock(&lock, flags);
    while (atomic_exchange_explicit(&held, 1, memory_order_relaxed)) sched_yield();
    owner = 1;
    __tsan_mutex_post_lock(&lock, flags, 0);
}
static void give(unsigned flags)
{
    __tsan_mutex_pre_unlock(&lock, flags);
    owner = 0;
    atomic_store_explicit(&held, 0, memory_order_relaxed);
    __tsan_mutex_post_unlock(&lock, flags);
}
"""
EXCUSED = "no data races where annotations of the program excuse them"
BENIGN = '__attribute__((constructor)) static void declare(void) { AnnotateBenignRaceSized(HERE, %s, "known"); }'


def check(directory: Path, first: str, second: str, before: str = "", *options: str) -> Run:
    source = directory / "annotated.c"
    source.write_text(FRAME % (before, first, second))
    program = compiled(source, ["-Wno-unused-function"], instrumented=True)
    assert subprocess.run([program]).returncode == 0  # alone, where the annotations do nothing
    return run_inside(program, options=["--bound", "fair:2,preemption:1", *options])


ORDERING = {
    "AnnotateHappensBefore and After": (
        "",
        "data = 1; AnnotateHappensBefore(HERE, &flag); SET",
        "if (SEEN) { AnnotateHappensAfter(HERE, &flag); data = 2; }",
    ),
    "__tsan_release and __tsan_acquire": ("", "data = 1; __tsan_release(&flag); SET", "if (SEEN) { __tsan_acquire(&flag); data = 2; }"),
    "AnnotateRWLock of a writer and a reader": (
        "",
        "data = 1; AnnotateRWLockReleased(HERE, &lock, 1); SET",
        "if (SEEN) { AnnotateRWLockAcquired(HERE, &lock, 0); sink = data; }",
    ),
    "AnnotateRWLock of a reader and a writer": (
        "",
        "sink = data; AnnotateRWLockReleased(HERE, &lock, 0); SET",
        "if (SEEN) { AnnotateRWLockAcquired(HERE, &lock, 1); data = 2; }",
    ),
}
STILL_RACES = {
    "an edge at another address": (
        "",
        "data = 1; AnnotateHappensBefore(HERE, &flag); SET",
        "if (SEEN) { AnnotateHappensAfter(HERE, &lock); data = 2; }",
    ),
    "two readers of an annotated lock": (
        "",
        "data = 1; AnnotateRWLockReleased(HERE, &lock, 0); SET",
        "if (SEEN) { AnnotateRWLockAcquired(HERE, &lock, 0); data = 2; }",
    ),
    "a try in vain of an annotated mutex": (
        "",
        "data = 1; __tsan_mutex_pre_unlock(&lock, 0); __tsan_mutex_post_unlock(&lock, 0); SET",
        "if (SEEN) { __tsan_mutex_pre_lock(&lock, 16); __tsan_mutex_post_lock(&lock, 48, 0); data = 2; }",
    ),
    "a region that ignores the other kind": ("", "AnnotateIgnoreReadsBegin(HERE); data = 1; AnnotateIgnoreReadsEnd(HERE)", "data = 2"),
    "after the region": ("", "__tsan_ignore_thread_begin(); sink = 1; __tsan_ignore_thread_end(); data = 1", "data = 2"),
    "beside a benign range": (BENIGN % "area, 4", '__builtin_memcpy(area, "123456789abcdef", 16)', "area[5] = 1"),
    "a benign range of a block that is gone": (
        "__attribute__((constructor)) static void declare(void)"
        ' { free(malloc(24)); block = malloc(24); AnnotateBenignRaceSized(HERE, block, 24, ""); free(block); block = malloc(24); }',
        "*block = 1",
        "*block = 2",
    ),
    "a name for a thread": ("", 'AnnotateThreadName(HERE, "one"); data = 1', "data = 2"),
}
EXCUSING = {
    "ignored writes": ("", "AnnotateIgnoreWritesBegin(HERE); data = 1; AnnotateIgnoreWritesEnd(HERE)", "data = 2"),
    "ignored reads": ("", "AnnotateIgnoreReadsBegin(HERE); sink = data; AnnotateIgnoreReadsEnd(HERE)", "data = 2"),
    "an ignored thread": ("", "data = 1", "__tsan_ignore_thread_begin(); data = 2; __tsan_ignore_thread_end()"),
    "regions one inside the other": (
        "",
        "__tsan_ignore_thread_begin(); __tsan_ignore_thread_begin(); __tsan_ignore_thread_end(); data = 1; __tsan_ignore_thread_end()",
        "data = 2",
    ),
    "an ignored atomic": ("", "__tsan_ignore_thread_begin(); SET; __tsan_ignore_thread_end()", "*(int *)&flag = 2"),
    "a benign range": (BENIGN % "area, 8", "area[7] = 1", "area[7] = 2"),
    "a benign word among others": (BENIGN % "&area[4], 4", "area[3] = 1; area[4] = 1", "area[4] = 2; area[8] = 1"),
    "a mutex of the program's own": (SPIN, "take(0); data++; give(0)", "take(0); data++; give(0)"),
}


@pytest.mark.parametrize("case", ORDERING)
def test_an_annotation_that_orders_is_an_edge(case: str, tmp_path: Path) -> None:
    before, first, second = ORDERING[case]
    run = check(tmp_path, first, second, before)
    assert run.exit_code == 0, run
    assert EXCUSED not in run.report["assumptions"]


@pytest.mark.parametrize("case", STILL_RACES)
def test_an_annotation_excuses_no_more_than_it_says(case: str, tmp_path: Path) -> None:
    before, first, second = STILL_RACES[case]
    run = check(tmp_path, first, second, before)
    assert (run.exit_code, run.kinds) == (1, {"race"}), run


@pytest.mark.parametrize("case", EXCUSING)
def test_what_is_excused_is_no_finding_and_stands_in_the_verdict(case: str, tmp_path: Path) -> None:
    before, first, second = EXCUSING[case]
    run = check(tmp_path, first, second, before)
    assert run.exit_code == 0, run
    assert EXCUSED in run.report["assumptions"]


def test_the_search_beside_the_program_tells_what_is_excused(tmp_path: Path) -> None:
    before, first, second = EXCUSING["ignored writes"]
    assert EXCUSED in check(tmp_path, first, second, before, "--engine=native").report["assumptions"]


def test_new_memory_has_no_past(tmp_path: Path) -> None:
    reuse = "if (SEEN) { %s; data = 2; }"
    assert check(tmp_path, "data = 1; SET", reuse % "").kinds == {"race"}
    assert check(tmp_path, "data = 1; SET", reuse % "AnnotateNewMemory(HERE, &data, sizeof data)").exit_code == 0
