"""On how many random programs a law is tried: half of what it asks for, since all tests together have ten minutes. `make soak`
tries each on more: BPOR_TEST_EXAMPLES multiplies the numbers."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_FACTOR = float(os.environ.get("BPOR_TEST_EXAMPLES", "0.5"))


def most_runs(runs: int) -> int:
    """A program with more is left out, after so many: large ones are for `make soak`."""
    return round(runs * max(_FACTOR, 1))


def calm(examples: int) -> settings:
    """Always the same programs, whatever time they take."""
    most = max(1, round(examples * _FACTOR))
    return settings(max_examples=most, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
