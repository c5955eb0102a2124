"""The default search recognises states on trial; they have less to show where the search without them is far from its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpor import api
from bpor.report.result import Result
from bpor.search.bounds.bound import NONE
from bpor.search.strategies import widening
from tests.native.compiled import compiled

pytestmark = pytest.mark.needs("gcc")

# Two workers, two tasks, and main waits for each: what the workers do first, and who has which task, comes to the same states.
POOL = """
#include <pthread.h>
struct task { pthread_mutex_t lock; pthread_cond_t ended; int done; };
static struct task task[2] = {
    {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0}
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static int submitted, taken, stop;
static struct task *next(void)
{
    struct task *mine = NULL;
    pthread_mutex_lock(&lock);
    while (taken == submitted && !stop)
        pthread_cond_wait(&wake, &lock);
    if (taken < submitted)
        mine = &task[taken++];
    pthread_mutex_unlock(&lock);
    return mine;
}
static void *work(void *unused)
{
    for (struct task *mine; (mine = next());) {
        pthread_mutex_lock(&mine->lock);
        mine->done = 1;
        pthread_cond_broadcast(&mine->ended);
        pthread_mutex_unlock(&mine->lock);
    }
    return unused;
}
static void change(int *count, int by, int (*tell)(pthread_cond_t *))
{
    pthread_mutex_lock(&lock);
    *count += by;
    pthread_mutex_unlock(&lock);
    tell(&wake);
}
int main(void)
{
    pthread_t worker[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&worker[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        change(&submitted, 1, pthread_cond_signal);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&task[i].lock);
        while (!task[i].done)
            pthread_cond_wait(&task[i].ended, &task[i].lock);
        pthread_mutex_unlock(&task[i].lock);
    }
    change(&stop, 1, pthread_cond_broadcast);
    for (int i = 0; i < 2; i++)
        pthread_join(worker[i], NULL);
    return 0;
}
"""


def searched(directory: Path, monkeypatch: pytest.MonkeyPatch, far: int) -> Result:
    """By a search that is in a hurry."""
    (directory / "pool.c").write_text(POOL)
    for name, value in (("_MANY", 60), ("_WORTH", 500), ("_FAR", far)):
        monkeypatch.setattr(widening, name, value)
    return api.check([str(compiled(directory / "pool.c"))])


def unbounded(result: Result) -> int:
    assert result.search is not None
    return sum(level.counts.executions for level in result.search.levels if level.bound == NONE)


def test_a_search_that_is_far_from_its_end_recognises_states_though_few_come_again_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far, near = searched(tmp_path, monkeypatch, 4), searched(tmp_path, monkeypatch, 1 << 40)
    assert far.verdict.statement.startswith("pass: all schedules, the endless ones included")
    assert near.verdict.statement.startswith("pass: all schedules;")
    assert unbounded(far) < unbounded(near) / 2
