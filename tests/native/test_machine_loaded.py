"""Libraries that a plain program loads as it runs: the search begins again with their machine code patched, wherever they come to lie."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import bpor
from bpor.search.explorer import Explorer
from tests.native.compiled import INSTRUMENTING
from tests.native.test_machine_code import built
from tests.native.tool import run_inside, run_replay

pytestmark = pytest.mark.needs("gcc")

PLUGIN = """
static volatile int count;
void turn(void)
{
    if (LOCKED)
        __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
    else
        count = count + 1;
}
int turns(void) { return count; }
"""
LOADS = """
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
static void (*turn)(void);
static int (*turns)(void);
static void *work(void *unused) { turn(); return unused; }
static void *look_up(void *library)
{
    *(void **)&turn = dlsym(library, "turn");
    *(void **)&turns = dlsym(library, "turns");
    return library;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    void *library = dlopen(argv[1], RTLD_NOW);
    if (argc > 2) { /* after a thread has been there */
        pthread_create(&thread, 0, look_up, library);
        pthread_join(thread, 0);
    } else {
        look_up(library);
    }
    pthread_create(&thread, 0, work, 0);
    turn();
    pthread_join(thread, 0);
    assert(turns() == 2);
    return 0;
}
"""


def plugin(directory: Path, locked: int) -> str:
    library, source = directory / f"plugin{locked}.so", directory / "plugin.c"
    source.write_text(PLUGIN)
    subprocess.run(["gcc", "-g", "-O1", "-shared", "-fPIC", f"-DLOCKED={locked}", "-o", library, source], check=True)
    return str(library)


@pytest.mark.parametrize("late", [[], ["late"]])
def test_what_its_code_does_wrong_is_found_and_replays(tmp_path: Path, late: list[str]) -> None:
    program, library = built(tmp_path, LOADS), plugin(tmp_path, locked=0)
    run = run_inside(program, [library, *late], [])
    assert run.kinds == {"assertion"} and run.report["coverage"] == "machine", run
    (finding,) = run.report["findings"]
    assert f"+{library}" in finding["replay"]
    assert run_replay(finding["replay"]).kinds == {"assertion"}


def test_what_its_code_does_right_passes_and_is_seen(tmp_path: Path) -> None:
    run = run_inside(built(tmp_path, LOADS), [plugin(tmp_path, locked=1)], ["--bound", "none"])
    assert run.exit_code == 0 and "all memory accesses of program, plugin1.so" in run.report["statement"], run
    assert run.report["distinct_traces"] == 2, "whose turn comes first"


@pytest.mark.parametrize("reset", ["rollback", "fork", "exec"])
def test_an_instrumented_one_that_a_thread_loads_is_watched_without_machine_code(tmp_path: Path, reset: str) -> None:
    """The tables of the race detector are reserved then, in the midst of an execution: that ended as an internal error."""
    (tmp_path / "plugin.c").write_text(PLUGIN)
    library = tmp_path / "plugin.so"
    subprocess.run([INSTRUMENTING["gcc"], "-g", "-shared", "-fPIC", "-DLOCKED=0", "-o", library, tmp_path / "plugin.c"], check=True)
    in_thread = LOADS.replace("*look_up(void *library)\n{", "*look_up(void *path)\n{\n    void *library = dlopen(path, RTLD_NOW);")
    in_thread = in_thread.replace("dlopen(argv[1], RTLD_NOW);", "argv[1];")
    run = run_inside(built(tmp_path, in_thread), [str(library), "late"], ["--machine-code=off", f"--reset={reset}"])
    assert run.kinds == {"race"}, run


def test_one_that_is_left_alone_is_named(tmp_path: Path) -> None:
    library = plugin(tmp_path, locked=1)
    run = run_inside(built(tmp_path, LOADS), [library], ["--bound", "none", "--machine-code=auto,-plugin1.so"])
    assert run.report["coverage"] == "calls" and "plugin1.so" in run.report["statement"], run


def test_the_search_begins_again_as_soon_as_it_is_seen(tmp_path: Path) -> None:
    """Not when all of the first one's time is used up. A search of so many executions as this one ends behind the first."""
    run = run_inside(built(tmp_path, LOADS), [plugin(tmp_path, locked=0)], ["--max-executions", "1", "--bound", "none"])
    assert run.report["coverage"] == "machine", run
    told = Told()
    bpor.check([str(built(tmp_path, LOADS)), plugin(tmp_path, locked=1)], observers=(told,), bound="none")
    assert told.executions[0] == 1 and len(told.executions) > 1


class Told:
    """How many executions each search had."""

    def __init__(self) -> None:
        self.executions: list[int] = []

    def executed(self, explorer: Explorer, *_: object) -> None:
        if explorer.executions == 1:
            self.executions.append(0)
        self.executions[-1] += 1


class Interrupting:
    """Ctrl-C behind the first execution of each search."""

    searches = 0

    def executed(self, *_: object) -> None:
        self.searches += 1
        raise KeyboardInterrupt


def test_an_interruption_ends_all_of_it(tmp_path: Path) -> None:
    interrupting = Interrupting()
    result = bpor.check([str(built(tmp_path, LOADS)), plugin(tmp_path, locked=1)], observers=(interrupting,))
    assert result.interrupted and interrupting.searches == 1
    assert result.census is not None and result.census.loaded_plain, "there was a reason to begin again"
