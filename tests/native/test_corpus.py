"""Findings that a team keeps: still failing, fixed, or not to be replayed any more, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bpor.store.checksum import with_checksum
from tests.native.suite_workshop import Workshop

pytestmark = pytest.mark.slow  # every test starts several processes

CROSSED = """
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void more(void)
{
    pthread_mutex_lock(&c);
    pthread_mutex_unlock(&c);
}
static void *other(void *unused)
{
    MORE
    pthread_mutex_lock(&FIRST);
    pthread_mutex_lock(&SECOND);
    pthread_mutex_unlock(&SECOND);
    pthread_mutex_unlock(&FIRST);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    MORE
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(thread, NULL);
    return 0;
}
"""
WRONG = ("-DFIRST=b", "-DSECOND=a", "-DMORE=(void)more;")
RIGHT = ("-DFIRST=a", "-DSECOND=b", "-DMORE=(void)more;")
LONGER = ("-DFIRST=b", "-DSECOND=a", "-DMORE=more();")


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    """A suite whose one test has failed once; the finding is in the corpus."""
    shop = Workshop(tmp_path)
    shop.config('corpus = "kept"\n[[test]]\nprogram = "crossed"\nbound = "preemption:2"\n')
    shop.source(CROSSED, "crossed", *WRONG)
    assert shop.suite().exit_code == 1
    return shop


def test_a_new_finding_is_added_once_as_a_file_that_others_may_read(shop: Workshop) -> None:
    (path,) = (shop.path / "kept").rglob("*.json")
    assert path.parent.name == "crossed" and path.name.startswith("deadlock-")
    assert path.stat().st_mode & 0o777 == 0o644
    before = path.read_bytes()
    assert str(shop.path).encode() not in before, "nothing of this machine"
    assert shop.suite().exit_code == 1
    assert [path.read_bytes()] == [other.read_bytes() for other in (shop.path / "kept").rglob("*.json")] == [before]


def test_one_that_still_fails_is_said_without_a_search(shop: Workshop) -> None:
    run = shop.suite()
    assert run.exit_code == 1
    assert "still fails: deadlock crossed.c" in run.stdout
    assert "SUMMARY: bpor-native: deadlock" in run.stdout
    assert " executions" not in run.stdout.split("failed: crossed")[1], "replayed, not searched"


def test_one_that_is_fixed_is_said_and_the_search_decides(shop: Workshop) -> None:
    shop.source(CROSSED, "crossed", *RIGHT)
    run = shop.suite()
    assert run.exit_code == 0, run
    assert "fixed: its schedule is gone, and all schedules pass" in run.stdout


def test_one_whose_schedule_moved_still_fails_by_its_orderings(shop: Workshop) -> None:
    shop.source(CROSSED, "crossed", *LONGER)
    run = shop.suite()
    assert run.exit_code == 1, run
    assert "still fails" in run.stdout
    assert "orderings" in run.stdout


def test_one_that_cannot_be_replayed_tells_what_changed(shop: Workshop) -> None:
    shop.source("int main(void) { return 0; }", "crossed")
    run = shop.suite()
    assert run.exit_code == 0, run
    assert "cannot be replayed: the program was rebuilt (" in run.stdout
    assert "it ends before the schedule does" in run.stdout


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"schedule": "0"}, "checksum"),
        ({"schedule": "0*4,x"}, "is not THREAD"),
        ({"bpor-native finding": 7}, "format 7"),
        ({"options": {"stdin": "/etc/passwd"}}, "give --stdin yourself"),
        ({"options": {"sheets": 3}}, "an option that this version does not have"),
    ],
)
def test_a_file_that_is_no_finding_of_ours_is_named_and_fails_a_test_that_else_passes(
    shop: Workshop, change: dict[str, object], why: str
) -> None:
    """The bug that it kept is tried no more, and nobody would know."""
    (path,) = (shop.path / "kept").rglob("*.json")
    document = json.loads(path.read_text()) | change
    path.write_text(json.dumps(document if why == "checksum" else with_checksum(document)))
    shop.source(CROSSED, "crossed", *RIGHT)
    for run in (shop.suite(), shop.tool("-q", "--corpus", "kept", "./crossed")):
        assert run.exit_code == 3, run
        told = run.stdout + run.stderr
        assert "pass" in told and "cannot be replayed" in told and why in told


def test_a_single_test_has_a_corpus_too(shop: Workshop) -> None:
    run = shop.tool("-q", "--corpus", "kept", "./crossed")
    assert (run.exit_code, "still fails: deadlock" in run.stderr) == (1, True)
    shop.source(CROSSED, "crossed", *RIGHT)
    assert "fixed" in shop.tool("-q", "--corpus", "kept", "./crossed").stderr


def test_a_corpus_that_cannot_be_written_is_said(shop: Workshop) -> None:
    (shop.path / "file").write_text("")
    run = shop.tool("-q", "--corpus", "file", "./crossed")
    assert run.exit_code == 2
    assert "file/crossed" in run.stderr
