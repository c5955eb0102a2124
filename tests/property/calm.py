"""On how many random programs a law is tried. `make soak` tries each on more: BPOR_TEST_EXAMPLES multiplies the numbers."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_FACTOR = int(os.environ.get("BPOR_TEST_EXAMPLES", "1"))


def most_runs(runs: int) -> int:
    """A program with more is left out, after so many: large ones are for `make soak`."""
    return runs * _FACTOR


def calm(examples: int) -> settings:
    """Always the same programs, whatever time they take."""
    return settings(max_examples=examples * _FACTOR, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
