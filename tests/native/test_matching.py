"""`--match memory`: real programs whose states are recognised. Loops that only a fair scheduler ends are searched to the end."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from bpor import api
from bpor.errors import UsageError
from bpor.report.finding import FindingKind
from bpor.report.result import Result
from bpor.search.strategies import widening
from tests.native import soak_states
from tests.native.compiled import PROGRAMS, ROOT, compiled
from tests.native.tool import environment

pytestmark = pytest.mark.needs("gcc")

SPIN = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *run(void *unused)
{
    while (pthread_mutex_trylock(&lock) != 0)
        ;
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return count != 3 WRONG;
}
"""

LATER = """
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *box, seen;
static void *give(void *unused)
{
    int *mine = malloc(sizeof *mine);
    *mine = 1;
    pthread_mutex_lock(&lock);
    free(box);
    box = mine;
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *look(void *unused)
{
    for (int found = 0; !found;) {
        pthread_mutex_lock(&lock);
        found = box != NULL;
        pthread_mutex_unlock(&lock);
    }
    seen = 1;
    return unused;
}
int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, give, NULL);
    pthread_create(&thread[1], NULL, give, NULL);
    pthread_create(&thread[2], NULL, look, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return !seen;
}
"""


def written(tmp_path: Path, code: str) -> Path:
    (tmp_path / "program.c").write_text(code)
    return compiled(tmp_path / "program.c")


def matched(program: Path, **knobs: object) -> Result:
    return api.check([str(program)], bound="none", match="memory", **knobs)  # type: ignore[arg-type]


def test_a_lock_that_is_tried_again_and_again_needs_no_fair_bound(tmp_path: Path) -> None:
    result = matched(written(tmp_path, SPIN.replace("WRONG", "")))
    assert result.exit_code == 0
    assert "all schedules, the endless ones included" in result.verdict.statement
    assert "every fair schedule ends" in result.verdict.statement
    assert "it ends only if the scheduler is fair" in result.verdict.statement
    assert result.search is not None and result.search.counts.matched > 0 and result.search.executions < 100


def test_a_bug_behind_such_loops_is_found(tmp_path: Path) -> None:
    result = matched(written(tmp_path, SPIN.replace("WRONG", "+ 1")))
    assert [finding.kind for finding in result.findings] == [FindingKind.EXIT]


def test_a_livelock_is_found_on_the_graph_of_states_alone() -> None:
    """With a bound there are no probes before the search."""
    result = matched(compiled(PROGRAMS / "buggy/livelock/polite.c"))
    assert [finding.kind for finding in result.findings] == [FindingKind.LIVELOCK]
    assert result.findings[0].round is not None and result.findings[0].is_proved
    assert len(str(result.findings[0].schedule)) < 100


def test_blocks_of_the_heap_keep_their_names_in_what_is_remembered(tmp_path: Path) -> None:
    """Two ways to one state may call the same block differently: they are two states here, and nothing is missed."""
    result = matched(written(tmp_path, LATER))
    assert result.exit_code == 0 and "endless ones included" in result.verdict.statement


def test_where_nobody_goes_round_nothing_is_asked_of_the_scheduler() -> None:
    result = matched(compiled(PROGRAMS / "correct/mutex/counter.c"))
    assert "endless ones included" in result.verdict.statement and "scheduler is fair" not in result.verdict.statement


@pytest.mark.parametrize("knobs", [{"bound": "context:1"}, {"search": "dfs"}, {"outcomes": True}, {"seal": "x"}, {"workers": 2}])
def test_what_does_not_go_together_is_refused(tmp_path: Path, knobs: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="--match"):
        api.check([str(written(tmp_path, SPIN.replace("WRONG", "")))], **{"match": "memory", "bound": "none", **knobs})  # type: ignore[arg-type]


TEST_AND_SET = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int lock;
static int count;
static void *run(void *unused)
{
    while (atomic_exchange(&lock, 1)) {
        LOOP;
    }
    count++;
    atomic_store_explicit(&lock, 0, RELEASE);
    return unused;
}
int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return count != 3;
}
"""


def instrumented(tmp_path: Path, code: str) -> Path:
    (tmp_path / "program.c").write_text(code)
    return compiled(tmp_path / "program.c", instrumented=True)


def test_the_default_search_needs_no_fair_bound_for_a_spin_lock(tmp_path: Path) -> None:
    """And looks for races all the while."""
    program = instrumented(tmp_path, TEST_AND_SET.replace("LOOP", "").replace("RELEASE", "memory_order_release"))
    result = api.check([str(program)])
    assert result.exit_code == 0
    assert "all schedules, the endless ones included" in result.verdict.statement
    assert "every fair schedule ends" in result.verdict.statement
    assert result.search is not None and result.search.executions < 2_000 and result.search.counts.matched > 0


def test_a_race_behind_a_spin_lock_that_releases_nothing_is_found(tmp_path: Path) -> None:
    program = instrumented(tmp_path, TEST_AND_SET.replace("LOOP", "").replace("RELEASE", "memory_order_relaxed"))
    assert [finding.kind for finding in api.check([str(program)]).findings] == [FindingKind.RACE]


TWO_WAYS = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int choice, flag;
static int data;
static void *toggle(void *unused)
{
    atomic_store_explicit(&choice, 1, memory_order_relaxed);
    atomic_store_explicit(&choice, 0, memory_order_relaxed);
    return unused;
}
static void *give(void *unused)
{
    data = 1;
    if (atomic_load_explicit(&choice, memory_order_relaxed))
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
    else
        atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}
static void *take(void *unused)
{
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    return data == 1 ? unused : NULL;
}
int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, give, NULL);
    pthread_create(&thread[1], NULL, toggle, NULL);
    pthread_create(&thread[2], NULL, take, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""


@pytest.mark.parametrize("knobs", [{"bound": "none"}, {"bound": "preemption:1"}, {"match": "auto"}], ids=str)
def test_two_ways_to_the_same_memory_are_two_states_if_only_one_of_them_leads_to_a_race(tmp_path: Path, knobs: dict[str, str]) -> None:
    result = api.check([str(instrumented(tmp_path, TWO_WAYS))], **{"match": "memory", **knobs})  # type: ignore[arg-type]
    assert [finding.kind for finding in result.findings] == [FindingKind.RACE]


@pytest.mark.parametrize("match", ["memory", "happens-before"])
def test_within_a_preemption_bound_states_are_recognised_too(match: str) -> None:
    program = str(compiled(PROGRAMS / "correct/mutex/philosophers_ordered.c"))
    plain = api.check([program], bound="preemption:2", match="off", known_steps=False)
    found = api.check([program], bound="preemption:2", match=match)
    assert found.exit_code == plain.exit_code == 0
    assert found.search is not None and plain.search is not None
    assert found.search.counts.matched > 0 and found.search.counts.steps < plain.search.counts.steps


@pytest.mark.parametrize("bound", ["fair:1", "fair:1,preemption:1"])
def test_under_a_fair_bound_states_are_recognised_with_what_decides_yields(tmp_path: Path, bound: str) -> None:
    program = instrumented(tmp_path, TEST_AND_SET.replace("LOOP", "").replace("RELEASE", "memory_order_release"))
    plain = api.check([str(program)], bound=bound, match="off", known_steps=False)
    found = api.check([str(program)], bound=bound, match="memory")
    assert found.exit_code == plain.exit_code == 0
    assert found.search is not None and plain.search is not None
    assert found.search.counts.matched > 0 and found.search.counts.steps < plain.search.counts.steps / 2
    wrong = instrumented(tmp_path, TEST_AND_SET.replace("LOOP", "").replace("RELEASE", "memory_order_relaxed"))
    assert [finding.kind for finding in api.check([str(wrong)], bound=bound, match="memory").findings] == [FindingKind.RACE]


COUNTER = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int next;
static int kept[3];
static void *run(void *argument)
{
    int *mine = argument;
    for (int i = 0; i < 4; i++) {
        int one = atomic_fetch_add(&next, 1);
        KEEP;
    }
    return NULL;
}
int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, run, &kept[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return next != 12;
}
"""


def test_after_a_thousand_executions_states_are_recognised_if_they_come_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a thread has read and will not look at again is no part of a state."""
    monkeypatch.setattr(widening, "_NEAR", 0)
    result = api.check([str(instrumented(tmp_path, COUNTER.replace("KEEP", "*mine += one > 100")))])
    assert result.exit_code == 0 and "endless ones included" in result.verdict.statement
    assert result.search is not None and result.search.counts.matched > 0 and result.search.executions < 2_000


def test_after_a_thousand_executions_a_search_goes_on_as_it_was_if_they_do_not(tmp_path: Path) -> None:
    program = str(instrumented(tmp_path, COUNTER.replace("KEEP", "*mine = *mine * 16 + one")))
    result = api.check([program], max_executions=2_000)
    assert result.search is not None and result.search.counts.matched == 0 and result.search.counts.distinct_traces > 1_900


def test_a_search_that_never_comes_back_to_a_state_goes_on_within_a_fair_bound(tmp_path: Path) -> None:
    """A count of rounds tells every state from all before it."""
    code = SPIN.replace("        ;\n", "        __atomic_fetch_add(&tries, 1, __ATOMIC_RELAXED);\n").replace(
        "static int count", "static int tries, count"
    )
    result = api.check([str(written(tmp_path, code.replace("WRONG", "")))], max_steps=3_000, max_executions=200)
    assert "endless" not in result.verdict.statement


def test_random_programs_with_races_fail_alike_whether_states_are_recognised_or_not() -> None:
    program = soak_states.player()
    for seed in (5005, 5018):  # wrong if what other executions have shown to be shared does not count
        assert soak_states.attempt(soak_states.draw(random.Random(seed)), program)[0] == ""


def test_the_benchmark_measures_what_recognising_states_costs_where_it_does_not_help() -> None:
    words = [sys.executable, str(ROOT / "benchmarks" / "cycles.py"), "--quick", "--json"]
    rows = json.loads(subprocess.run(words, check=True, capture_output=True, env=environment()).stdout)
    (lock,), (plain,) = rows["loops"].values(), rows["without_loops"].values()
    assert "endless ones included" in lock["says"] and lock["executions"] < 200
    assert plain["more"]["executions"] < 1.1 and plain["more"]["steps"] < 1.1
