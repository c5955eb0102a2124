"""`--match memory`: which differences of memory make two states, and which do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bpor import api
from bpor.report.finding import FindingKind
from tests.native.compiled import compiled
from tests.native.test_matching import TEST_AND_SET, instrumented, matched, written

pytestmark = pytest.mark.needs("gcc")

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
