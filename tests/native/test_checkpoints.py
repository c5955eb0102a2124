"""Executions that begin at a state on the way of an earlier one are those that begin at the fork point (--no-checkpoints)."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from bpor.errors import Damaged
from bpor.native_parts import part
from bpor.protocol._wire import ffi  # type: ignore[import-not-found,unused-ignore]
from bpor.search.options import SearchOptions
from bpor.target.options import TargetOptions
from tests.native.compiled import PROGRAMS, compiled
from tests.native.engines import BOUNDS, random_scripts, run
from tests.native.soak_checkpoints import compare
from tests.native.test_engine import SCRIPT

pytestmark = pytest.mark.needs("gcc")

COMPARED = {
    "correct/mutex/counter.c": False,
    "correct/reset/thread_storage.c": False,
    "correct/reset/signal_ends.c": False,
    "correct/reset/heap_again.c": False,
    "correct/reset/heap_growth.c": True,
    "correct/reset/data_and_heap.c": True,
    "buggy/crash/use_after_free.c": True,
    "buggy/deadlock/bank.c": False,
    "buggy/race/double_checked.c": True,
    "buggy/race/plain_flag.c": True,
}


@pytest.mark.parametrize("name", list(COMPARED))
def test_executions_that_begin_on_the_way_are_those_that_begin_at_the_fork_point(name: str) -> None:
    argv = [str(compiled(PROGRAMS / name, instrumented=COMPARED[name]))]
    for bound in ("none", "fair:2,preemption:2", None):
        assert compare(argv, bound, 60) == "", bound


@pytest.mark.parametrize("seed", range(4))
def test_random_programs_run_the_same_executions_with_checkpoints(seed: int) -> None:
    source = random.Random(seed)
    scripts = random_scripts(source)
    for bound in (source.choice(BOUNDS), None):
        assert compare([str(compiled(SCRIPT, instrumented=seed % 2 == 0)), *scripts], bound, 120) == "", (scripts, bound)


def test_a_program_that_writes_over_the_search_is_not_believed_with_checkpoints_either() -> None:
    where = str(ffi.offsetof("struct bpor_search", "tree", 0, "schedule"))
    argv = [str(compiled(Path(__file__).with_name("scribble.c"))), where, "8"]
    with pytest.raises(Damaged):
        run("native", argv, "none", 100, SearchOptions(engine="native"), TargetOptions(checkpoints="always"))


def distance_to_checkpoints() -> int:
    listed = subprocess.run(["nm", str(part("libbpor.so"))], capture_output=True, text=True, check=True).stdout
    address = {fields[2]: int(fields[0], 16) for line in listed.splitlines() if len(fields := line.split()) == 3}
    return address["checkpoints"] - address["pthread_create"]


@pytest.mark.needs("nm")
def test_what_the_program_wrote_over_is_not_put_anywhere() -> None:
    argv = [str(compiled(Path(__file__).with_name("scribble_midway.c"))), str(distance_to_checkpoints())]
    assert compare(argv, "none", 60) == ""
