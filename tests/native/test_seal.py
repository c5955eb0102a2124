"""--seal on real programs: by function, file and library; the verdict names what was trusted."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.suite_workshop import Workshop

# The library crosses its two locks; the program crosses two of its own, if it is asked to.
LIBRARY = """
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t *x, pthread_mutex_t *y)
{
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
void forth(void) { both(&a, &b); }
void back(void) { both(&b, &a); }
"""
PROGRAM = """
#include <pthread.h>
void forth(void);
void back(void);
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER, d = PTHREAD_MUTEX_INITIALIZER;
static void cross(pthread_mutex_t *x, pthread_mutex_t *y)
{
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
static void *other(void *unused)
{
    back();
    if (OWN)
        cross(&d, &c);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    forth();
    if (OWN)
        cross(&c, &d);
    pthread_join(thread, NULL);
    return 0;
}
"""


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    shop = Workshop(tmp_path)
    (tmp_path / "lib.c").write_text(LIBRARY)
    subprocess.run(["gcc", "-g", "-shared", "-fPIC", "-pthread", "-o", "libcross.so", "lib.c"], cwd=tmp_path, check=True)
    for name, own in (("plain", "0"), ("own", "1")):
        shop.source(PROGRAM, name, f"-DOWN={own}", f"-L{tmp_path}", "-lcross", "-Wl,-rpath,$ORIGIN")
    return shop


def test_without_a_seal_the_library_deadlocks(shop: Workshop) -> None:
    assert shop.tool("-q", "--bound", "none", "./plain").exit_code == 1


@pytest.mark.parametrize(("pattern", "named"), [("libcross*", "libcross.so"), ("both", "both"), ("lib.c", "lib.c"), ("x,bo*", "both")])
def test_sealed_code_is_not_preempted_and_the_verdict_names_it(shop: Workshop, pattern: str, named: str) -> None:
    run = shop.tool("-q", "--bound", "none", "--seal", pattern, "./plain")
    assert run.exit_code == 0, run
    assert f"no preemption inside {named}" in run.stdout


def test_a_bug_outside_the_seal_is_still_found(shop: Workshop) -> None:
    run = shop.tool("-q", "--bound", "preemption:2", "--seal", "libcross*", "./own")
    assert run.exit_code == 1, run
    assert "SUMMARY: bpor-native: deadlock own.c:9 in cross" in run.stdout
    assert "no preemption inside libcross.so" in run.stdout


@pytest.mark.parametrize("words", [("--bound", "none", "--seal", "both,libother*"), ("--search", "best-first:method:libother*,pb")])
def test_a_name_that_nothing_has_is_an_error(shop: Workshop, words: tuple[str, ...]) -> None:
    run = shop.tool("-q", *words, "./own")
    assert run.exit_code == 2, run
    assert "libother*: no function, variable, source file or library of ./own has such a name" in run.stderr


CALLER = """
void run(void (*body)(void)) { body(); __asm__ volatile(""); }
"""
CALLED = """
#include <pthread.h>
void run(void (*body)(void));
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER, d = PTHREAD_MUTEX_INITIALIZER;
static void forth(void) { pthread_mutex_lock(&c); pthread_mutex_lock(&d); pthread_mutex_unlock(&d); pthread_mutex_unlock(&c); }
static void back(void) { pthread_mutex_lock(&d); pthread_mutex_lock(&c); pthread_mutex_unlock(&c); pthread_mutex_unlock(&d); }
static void *other(void *unused) { run(back); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    run(forth);
    pthread_join(thread, NULL);
    return 0;
}
"""


@pytest.mark.parametrize(("pattern", "code"), [("lib*", 1), ("librun*", 1), ("run", 0)])
def test_a_library_is_sealed_without_what_it_calls_back_and_a_function_with_it(shop: Workshop, pattern: str, code: int) -> None:
    """So is a test framework, whose frames are on every stack; and libc's, which are on all of them."""
    (shop.path / "run.c").write_text(CALLER)
    subprocess.run(["gcc", "-g", "-shared", "-fPIC", "-o", "librun.so", "run.c"], cwd=shop.path, check=True)
    shop.source(CALLED, "called", f"-L{shop.path}", "-lrun", "-Wl,-rpath,$ORIGIN")
    assert shop.tool("-q", "--bound", "none", "--seal", pattern, "./called").exit_code == code


def test_a_name_at_which_nothing_waits_is_said(shop: Workshop) -> None:
    run = shop.tool("-q", "--bound", "none", "--seal", "libc.so*", "./own")
    assert run.exit_code == 1, run
    assert "no preemption inside nothing that --seal libc.so* names" in run.stdout


def test_it_needs_a_bound_and_the_bounded_search(shop: Workshop) -> None:
    for options in ([], ["--bound", "none", "--search", "dfs"], ["--bound", "context:2"]):
        run = shop.tool("-q", "--seal", "both", *options, "./plain")
        assert (run.exit_code, "--seal" in run.stderr) == (2, True), run
