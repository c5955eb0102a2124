"""`--match memory`: real programs whose states are recognised. Loops that only a fair scheduler ends are searched to the end."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bpor import api
from bpor.errors import UsageError
from bpor.report.finding import FindingKind
from bpor.report.result import Result
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


def test_after_a_thousand_executions_states_are_recognised_if_they_come_again(tmp_path: Path) -> None:
    """What a thread has read and will not look at again is no part of a state."""
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


MAKES_AND_FREES = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static atomic_int lock, looked;
static int count;
static volatile unsigned long kept;
static void *run(void *unused)
{
    while (atomic_exchange(&lock, 1)) {
        ROUND;
    }
    count++;
    atomic_store(&lock, 0);
    return unused;
}
int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return count != 2 || kept == 1 || looked == 2;
}
"""
ROUNDS = {
    "a copy of a text": 'free(strdup("some text or other"))',
    "a block that grows": "char *block = NULL; for (int i = 1; i < 4; i++) block = realloc(block, 16 * i); free(block)",
    "a mutex": (
        "pthread_mutex_t *mutex = malloc(sizeof *mutex); pthread_mutex_init(mutex, NULL); pthread_mutex_lock(mutex);"
        "pthread_mutex_unlock(mutex); pthread_mutex_destroy(mutex); free(mutex)"
    ),
}


@pytest.mark.parametrize("round", ROUNDS)
@pytest.mark.parametrize("build", [written, instrumented])
def test_what_a_loop_makes_and_frees_in_each_round_does_not_keep_it_from_coming_back(
    tmp_path: Path, build: Callable[[Path, str], Path], round: str
) -> None:
    result = api.check([str(build(tmp_path, MAKES_AND_FREES.replace("ROUND", ROUNDS[round])))])
    assert result.exit_code == 0
    assert "all schedules, the endless ones included" in result.verdict.statement
    assert result.search is not None and result.search.executions < 500


def test_a_freed_block_is_watched_while_somebody_keeps_its_address_with_a_tag_in_it(tmp_path: Path) -> None:
    """What nobody can reach goes back to libc: here the next block would lie in its place, and a late access of it would not be seen."""
    code = MAKES_AND_FREES.replace(
        "ROUND",
        "kept = (unsigned long)malloc(24) | 7ul << 48; free((void *)(kept << 16 >> 16));"
        'for (int i = 0; i < 3; i++) { atomic_load(&looked); free(strdup("another text, and a longer one")); }'
        "char *other = malloc(24); other[0] = 1; atomic_store(&looked, *(char *)(kept << 16 >> 16)); free(other)",
    )
    result = matched(instrumented(tmp_path, code))
    assert [finding.kind for finding in result.findings] == [FindingKind.MEMORY]


LEFT_OVER = "#include <time.h>\n" + TEST_AND_SET.replace("LOOP", "nanosleep(&(struct timespec){0, 1000}, NULL)")


def test_what_calls_leave_in_stacks_and_registers_is_no_part_of_a_plain_programs_state(tmp_path: Path) -> None:
    """Counts and hashes of the runtime lay there: no state of three threads came back."""
    program = str(written(tmp_path, LEFT_OVER.replace("RELEASE", "memory_order_release")))
    result = api.check([program], bound="preemption:1", match="memory")
    assert result.exit_code == 0
    assert result.search is not None and result.search.executions < 1_000 and result.search.counts.steps < 5_000


GUARDED = """
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
enum { PAGE = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *run(void *unused)
{
    char *stack = mmap(NULL, 2 * PAGE + 5, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(stack, PAGE, PROT_NONE);
    munmap(stack + 2 * PAGE, PAGE);
    while (pthread_mutex_trylock(&lock) != 0)
        ;
    pthread_mutex_unlock(&lock);
    munmap(stack, 2 * PAGE);
    return unused;
}
int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""


def test_memory_that_is_given_up_or_protected_in_part_does_not_keep_states_from_being_recognised(tmp_path: Path) -> None:
    """The threads of Rust's standard library have such guard pages."""
    result = matched(written(tmp_path, GUARDED))
    assert result.exit_code == 0 and "all schedules, the endless ones included" in result.verdict.statement
    assert result.search is not None and result.search.counts.matched > 0


LAST_WINS = """
#include <pthread.h>
#include <sys/mman.h>
enum { PAGE = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *memory;
static void *run(void *number)
{
    pthread_mutex_lock(&lock);
    CHANGE;
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(void)
{
    pthread_t thread[2];
    memory = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, run, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return CHECK;
}
"""


@pytest.mark.parametrize(
    ("change", "check", "kind"),
    [
        (
            "mprotect(memory, PAGE, PROT_READ | PROT_WRITE); memory[0] = (char)(long)number; mprotect(memory, PAGE, PROT_NONE)",
            "mprotect(memory, PAGE, PROT_READ), memory[0] != 2",
            FindingKind.EXIT,
        ),
        ("mprotect(memory + PAGE, PAGE, (long)number == 2 ? PROT_READ | PROT_WRITE : PROT_NONE)", "memory[PAGE]", FindingKind.CRASH),
        (
            "if ((long)number == 2) munmap(memory + PAGE, PAGE); else mprotect(memory, 3 * PAGE, PROT_READ)",
            "memory[0] = 0",
            FindingKind.CRASH,
        ),
    ],
    ids=["what nobody may read", "who may read", "what is there"],
)
def test_states_that_differ_in_memory_out_of_reach_are_two(tmp_path: Path, change: str, check: str, kind: FindingKind) -> None:
    """Whichever thread comes first, the other order has the other end."""
    result = matched(written(tmp_path, LAST_WINS.replace("CHANGE", change).replace("CHECK", check)))
    assert [finding.kind for finding in result.findings] == [kind]


AT_THE_TOP_OF_ITS_STACK = """
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#define SIZE (1 << 20)
static sem_t posted;
static void *post(void *unused)
{
    sem_post(&posted);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sem_init(&posted, 0, 0);
    pthread_attr_init(&attributes);
    char *stack = mmap(NULL, SIZE + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(stack + SIZE, 4096, PROT_NONE);
    pthread_attr_setstack(&attributes, stack, SIZE);
    pthread_create(&thread, &attributes, post, NULL);
    while (sem_trywait(&posted) != 0)
        ;
    pthread_join(thread, NULL);
    return 0;
}
"""


def test_nothing_is_read_beyond_a_stack_of_which_little_is_used(tmp_path: Path) -> None:
    """Processors look at the whole area that wide registers may be loaded from, also where it says that nothing is there."""
    (tmp_path / "program.c").write_text(AT_THE_TOP_OF_ITS_STACK)
    result = api.check([str(compiled(tmp_path / "program.c"))], bound="none", match="memory")
    assert result.exit_code == 0 and "endless ones included" in result.verdict.statement
