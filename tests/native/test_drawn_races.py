"""Races of plain machine code that come late in a search: their places become operations together, not one for each search that is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpor import api
from bpor.knobs.values import visible_places
from bpor.racing_sites import RacingSites
from bpor.search import gathering
from bpor.search.explorer import Checkpoints
from bpor.searching import Searching
from tests.native.compiled import compiled

pytestmark = pytest.mark.needs("gcc")

# Who comes second to `count` meets the other one at a place that depends on the order; the noise behind it comes first in a search.
PLACES = """
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, noise = PTHREAD_MUTEX_INITIALIZER;
static int count;
static struct { int value; char apart[124]; } place[6];
static void *work(void *reads)
{
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&lock);
        int now = reads ? count : ++count;
        pthread_mutex_unlock(&lock);
        if (reads && now < 5)
            sum += place[now].value;
        else if (!reads)
            place[now].value = 1;
    }
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&noise);
        pthread_mutex_unlock(&noise);
    }
    CHECK
    return sum ? &place : NULL;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, &count);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
"""


def searches(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bool, int]]:
    """Of each search of the program that is searched next: is it drawn, and how many places are operations?"""
    noted: list[tuple[bool, int]] = []
    search = Searching._search

    def note(self: Searching, checkpoints: Checkpoints | None) -> None:
        noted.append((self._draws > 0, sum(size > 0 for _, size in visible_places(self.settings.visible))))
        search(self, checkpoints)

    monkeypatch.setattr(Searching, "_search", note)
    return noted


def program(directory: Path, check: str = "") -> list[str]:
    (directory / "program.c").write_text(PLACES.replace("CHECK", check))
    return [str(compiled(directory / "program.c"))]


def test_places_of_races_that_come_late_become_operations_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted = searches(monkeypatch)
    result = api.check(program(tmp_path), bound="preemption:2")
    assert result.exit_code == 0 and "accesses of 4 places and by 2 instructions explored as operations" in result.verdict.statement
    assert [places for drawn, places in noted if not drawn] == [0, 1, 4]


# Both threads use the same record in some orders only; the one writes it by a locked instruction, the other reads it plainly.
RECORDS = """
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static struct { atomic_int flag; char apart[124]; } record[8];
static int turn(int more)
{
    pthread_mutex_lock(&lock);
    int now = count += more;
    pthread_mutex_unlock(&lock);
    return now;
}
static void *tell(void *unused)
{
    for (int i = 0; i < 7; i++)
        atomic_exchange(&record[turn(1)].flag, 1);
    return unused;
}
int main(void)
{
    int sum = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, tell, NULL);
    for (int i = 0; i < 3; i++)
        sum += atomic_load_explicit(&record[turn(0)].flag, memory_order_relaxed);
    pthread_join(thread, NULL);
    return sum > 3;
}
"""


def test_an_instruction_that_races_with_a_locked_one_makes_operations_wherever_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seven places, each of which would have been seen later and made a search begin again. (Not the first one: programs that have no more
    stay as fast as they are.)"""
    monkeypatch.setattr(Searching, "_was_long", True)
    (tmp_path / "records.c").write_text(RECORDS)
    program = [str(compiled(tmp_path / "records.c"))]
    noted = searches(monkeypatch)
    found = api.check(program, bound="preemption:2")
    assert "accesses of 1 place and by 1 instruction explored as operations" in found.verdict.statement
    assert [places for drawn, places in noted if not drawn] == [0, 1]
    monkeypatch.setattr(RacingSites, "added", lambda self, settings: settings)
    without = api.check(program, bound="preemption:2")
    assert "accesses of 7 places explored as operations" in without.verdict.statement
    assert found.search is not None and without.search is not None
    assert (found.exit_code, found.search.counts.distinct_traces) == (0, without.search.counts.distinct_traces)


TWO_PREEMPTIONS = "assert(sum != 1);"  # are needed to fail


def test_a_failure_that_is_drawn_is_the_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "WORTH", 1)
    noted = searches(monkeypatch)
    result = api.check(program(tmp_path, TWO_PREEMPTIONS))
    assert [finding.kind.value for finding in result.findings] == ["assertion"] and noted[-1][0]


def test_a_failure_that_is_drawn_says_nothing_of_the_bound_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "WORTH", 1)
    noted = searches(monkeypatch)
    result = api.check(program(tmp_path, TWO_PREEMPTIONS), bound="preemption:1")
    assert result.exit_code == 0 and not noted[-1][0] and any(drawn for drawn, _ in noted)
