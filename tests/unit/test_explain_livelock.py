"""A livelock in words: who goes round, what each waits for, who last wrote it."""

from __future__ import annotations

from bpor.model.plan import Limits, Plan
from bpor.model.trace import Description
from bpor.report.explain_livelock import explain_livelock
from bpor.search.livelock import find_livelock
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse


def explained(text: str, prefix: tuple[int, ...] = ()) -> str:
    trace = SimulatedExecutor(parse(text)).run(Plan(prefix=prefix, limits=Limits(fair=2), max_steps=200))
    livelock = find_livelock(trace, 2)
    assert livelock is not None
    return explain_livelock(trace, livelock, Description())


def test_a_flag_that_nobody_sets() -> None:
    assert explained("until Rz") == "T0 (main) goes round for ever, waiting for `variable#1`, which nobody ever wrote"


def test_the_last_writer_is_named_with_its_step() -> None:
    text = explained("until Rz | W z 0", prefix=(1,))
    assert text == "T0 (main) goes round for ever, waiting for `variable#1`, last written by T1 (step 0)"


def test_every_thread_of_the_cycle_and_those_who_wait_for_it() -> None:
    text = explained("lock; until Ry; unlock | until Rz | lock; unlock")
    first, second, rest = text.split("; ")
    assert first.startswith("T0 (main) goes round") and second.startswith("T1 goes round")
    assert rest == "T2 waits meanwhile"


def test_of_many_threads_a_few_are_named() -> None:
    text = explained(" | ".join(["until Rz"] * 6))
    assert text.count("goes round") == 4
    assert text.endswith("2 more likewise")
