"""A step limit that is reached beside the program, in the midst of a batch, is what it is in a search that sees each execution."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bpor.search.options import AUTO, SearchOptions
from tests.native.compiled import compiled
from tests.native.engines import Run, difference, disagreement, run

pytestmark = pytest.mark.needs("gcc")

# Without a fair bound the one that waits may go round for ever; before and behind that there are executions which end.
WAITS = r"""
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static _Thread_local volatile int rounds; /* no state comes back */
static void visit(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}
static void *tell(void *unused)
{
    visit();
    atomic_store(&ready, 1);
    visit();
    return unused;
}
static void *wait_for_it(void *unused)
{
    visit();
    while (!atomic_load(&ready)) {
        rounds++;
        sched_yield();
    }
    return unused;
}
int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, tell, NULL);
    pthread_create(&thread[1], NULL, wait_for_it, NULL);
    wait_for_it(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""
SHORT = SearchOptions(max_steps=24)


@pytest.fixture
def program(tmp_path: Path) -> list[str]:
    source = tmp_path / "waits.c"
    source.write_text(WAITS)
    return [str(compiled(source))]


def searched(program: list[str], engine: str, bound: str | None, options: SearchOptions = SHORT) -> Run:
    return run(engine, program, bound, 400, options)


@pytest.mark.parametrize("bound", ["none", "preemption:1", "fair:1"])
def test_executions_that_are_cut_are_the_same_beside_the_program(bound: str, program: list[str]) -> None:
    python, native = (searched(program, engine, bound) for engine in ("python", "native"))
    assert not difference(python, native)
    cut = native.result.counts.cut
    assert (cut > 1) == (bound != "fair:1") and native.levels[0].complete == (cut == 0)


def test_several_processes_are_cut_as_often_as_one(program: list[str]) -> None:
    one = searched(program, "python", "preemption:1")
    assert not disagreement(one, searched(program, "native", "preemption:1", replace(SHORT, workers=2)))


def test_the_default_search_goes_over_to_fair_bounds_though_others_follow_in_the_batch(program: list[str]) -> None:
    """The limit is met for the first time without states, which ends the batch, and then with them, which does not: the trace that comes
    back is of another execution."""
    result = searched(program, "native", None, replace(SHORT, match=AUTO)).result
    assert result.starvation is not None
    assert "fair:2" in [str(level.bound) for level in result.levels if level.complete]
