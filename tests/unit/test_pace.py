"""When the batches of a crew end."""

from __future__ import annotations

from bpor.target.pace import LONGEST, Pace


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


def paused(pace: Pace, clock: Clock, *pauses: float) -> float:
    """How long the next batch lasts, after batches with such pauses between them."""
    lasts = pace.begin(0.1)
    for pause in pauses:
        pace.over()
        clock.wait(pause)
        lasts = pace.begin(0.1)
    return lasts


def test_a_batch_lasts_as_long_as_a_pause_between_two_at_least() -> None:
    clock = Clock()
    assert paused(Pace(4, clock), clock) == 0.1
    assert paused(Pace(4, clock), clock, 0.01, 0.01) == 0.1
    assert paused(Pace(4, clock), clock, 0.5, 0.7) == 0.5
    assert paused(Pace(4, clock), clock, 1000.0, 1000.0) == LONGEST
    assert paused(Pace(4, clock), clock, 0.01, 5.0, 0.01, 5.0) == 0.1, "a checkpoint is no reason for long batches"


def test_whoever_is_done_waits_until_that_costs_what_a_pause_costs_all() -> None:
    clock = Clock()
    pace = Pace(10, clock)
    paused(pace, clock, 0.5, 0.5)
    assert pace.patience is None
    pace.done()
    assert pace.patience == 5.0
    clock.wait(1.0)
    pace.done()
    assert pace.patience == 2.0
    clock.wait(2.0)
    assert pace.patience == 0.0
    assert paused(pace, clock, 0.5) == 0.5 and pace.patience is None, "nobody waits in a new batch"


def test_before_the_first_pause_nobody_waits() -> None:
    pace = Pace(2, Clock())
    pace.begin(0.1)
    pace.done()
    assert pace.patience == 0.0
