"""Which libraries of the system are patched: those that the test is of, and those that threads meet in."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bpor.api import check
from bpor.errors import UsageError
from bpor.machine import modules
from bpor.report.verdict import VerdictKind
from bpor.settings import Settings

COUNTER = "static int counter; int add(void) { int before = counter; counter = before + 1; return before; }\n"
LOCKING = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
int add(void)
{
    pthread_mutex_lock(&lock);
    int before = counter;
    pthread_mutex_unlock(&lock);
    counter = before + 1; /* too late */
    return before;
}
"""
BETWEEN = "int add(void); int count(void) { return add(); }\n"
TEST = """
#include <assert.h>
#include <pthread.h>
int CALL(void);
static void *user(void *unused) { CALL(); return unused; }
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, user, 0);
    pthread_create(&two, 0, user, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(CALL() == 2);
    return 0;
}
"""


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory whose libraries are those of the system."""
    place = tmp_path / "system"
    place.mkdir()
    monkeypatch.setattr(modules, "_OF_THE_SYSTEM", (*modules._OF_THE_SYSTEM, str(place)))
    return place


def library(place: Path, name: str, text: str, *others: str) -> None:
    (place / f"{name}.c").write_text(text)
    words = ["-shared", "-fPIC", "-g", "-O1", "-o", place / f"lib{name}.so", place / f"{name}.c", f"-L{place}", "-Wl,-rpath,$ORIGIN"]
    subprocess.run(["gcc", *words, *others], check=True)


def program(place: Path, name: str, call: str) -> str:
    (place / "test.c").write_text(TEST)
    target = place.parent / "test"
    words = ["-g", "-O1", "-pthread", f"-DCALL={call}", place / "test.c", f"-L{place}", f"-l{name}", f"-Wl,-rpath,{place}"]
    subprocess.run(["gcc", *words, "-o", target], check=True)
    return str(target)


def test_a_library_that_the_program_links_is_seen(system: Path) -> None:
    library(system, "box", COUNTER)
    result = check([program(system, "box", "add")], Settings(state="none"))
    assert result.verdict.kind is VerdictKind.BUG, result.verdict.statement


def test_a_library_behind_another_is_seen_if_it_locks(system: Path) -> None:
    library(system, "box", LOCKING)
    library(system, "between", BETWEEN, "-lbox")
    result = check([program(system, "between", "count")], Settings(state="none"))
    assert result.verdict.kind is VerdictKind.BUG, result.verdict.statement


def test_one_that_is_not_seen_is_named(system: Path) -> None:
    library(system, "box", COUNTER)
    library(system, "between", BETWEEN, "-lbox")
    result = check([program(system, "between", "count")], Settings(state="none"))
    assert result.verdict.kind is VerdictKind.PASS
    assert "not seen: libbox.so" in result.verdict.statement


def test_a_module_that_is_not_there_cannot_be_added() -> None:
    with pytest.raises(UsageError, match=r"nowhere\.so cannot be read: No such file"):
        check(["/bin/true"], machine_code="auto,+nowhere.so")
