"""Every call on every kind of synchronisation object that is no more is an error, and none on one that lives again."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bpor.model.plan import Plan
from bpor.model.trace import End, Outcome
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native.compiled import compiled
from tests.native.tool import run_inside

pytestmark = pytest.mark.needs("gcc")

SOURCE = Path(__file__).with_name("lifetimes.c")
FLAGS = ("-Wno-use-after-free", "-Wno-dangling-pointer")  # which is what it is about
ENDS = {  # what a call ends as, by the fate of its object before; the others are legal
    "destroyed": Outcome.MISUSE,
    "freed": Outcome.MEMORY,
    "destroyed_freed": Outcome.MEMORY,
    "taken": Outcome.MEMORY,  # freed, and the same size allocated again
    "moved": Outcome.MEMORY,  # by realloc
    "stack": Outcome.MEMORY,  # of a thread that has ended
}
BEGUN = 2  # steps of main before the schedule chooses


def _expected(call: str, fate: str) -> Outcome:
    if fate == "destroyed" and call in ("once_call", "c11_once"):
        return Outcome.PASSED  # nothing destroys one
    return ENDS.get(fate, Outcome.PASSED)


def _wrong(end: End, call: str, fate: str) -> bool:
    return end.outcome is not _expected(call, fate) or end.code != 0


@pytest.mark.parametrize(("reset", "carrier"), [("rollback", "fibers"), ("fork", "fibers"), ("fork", "threads")])
@pytest.mark.parametrize("instrumented", [False, True], ids=["plain", "instrumented"])
def test_a_call_is_wrong_exactly_when_its_object_is_no_more(instrumented: bool, reset: str, carrier: str) -> None:
    program = compiled(SOURCE, FLAGS, instrumented=instrumented)
    listed = subprocess.run([program, "list"], capture_output=True, text=True, check=True).stdout
    cases = [(call, fate) for call, fate in (line.split() for line in listed.splitlines())]
    with NativeExecutor([str(program)], TargetOptions(reset=reset, carrier=carrier)) as executor:
        ends = [executor.run(Plan(prefix=(0,) * BEGUN + (1,) * number + (0,))).end for number in range(len(cases))]
    assert len(cases) > 300
    assert [(*case, end) for case, end in zip(cases, ends, strict=True) if _wrong(end, *case)] == []


@pytest.mark.parametrize("fate", ["freed", "taken"])
def test_without_quarantine_nothing_is_known_of_freed_memory(fate: str) -> None:
    """The call meets whatever libc made of the block: a crash, a wrong answer, or luck."""
    program = compiled(SOURCE, FLAGS)
    with NativeExecutor([str(program), "cond_signal", fate], TargetOptions(quarantine=False)) as executor:
        assert executor.run(Plan()).end.outcome is not Outcome.MEMORY


OLD_BLOCK = """
#include <pthread.h>
#include <stdlib.h>
static int *block;
static void *give_up(void *unused) { free(block); return unused; }
int main(void)
{
    pthread_t thread;
    block = malloc(64 * sizeof *block); /* control begins with the first thread */
    pthread_create(&thread, NULL, give_up, NULL);
    pthread_join(thread, NULL);
    return block[40] == 77;
}
"""


def test_a_block_from_before_control_is_watched_with_the_size_that_libc_knows(tmp_path: Path) -> None:
    source, script = tmp_path / "old.c", tmp_path / "old.sh"
    source.write_text(OLD_BLOCK)
    script.write_text(f"#!/bin/sh\n{compiled(source, FLAGS, instrumented=True)}\n")
    script.chmod(0o755)
    run = run_inside(script, options=["--bound", "preemption:0"])
    assert run.kinds == {"memory"}, run
    assert "160 bytes into a block of 264 that T1 freed" in run.messages
