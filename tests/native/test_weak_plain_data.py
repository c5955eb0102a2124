"""Plain data behind locks and flags that are made of atomics: in which memory there is a race, by the orders of what hands it over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.compiled import compiled
from tests.native.tool import run_inside

pytestmark = pytest.mark.needs("gcc")

MODELS = ("sc", "tso", "c11")
NEVER: tuple[str, ...] = ()
X86, ONLY_C11 = ("tso", "c11"), ("c11",)
ROWS = (
    ("flag rel acq", NEVER),
    ("flag rlx acq", MODELS),
    ("flag rel rlx", MODELS),
    ("peterson sc sc", NEVER),
    ("peterson rel acq", X86),
    ("peterson rel acq fences", ONLY_C11),  # `turn` must be a read-modify-write or seq_cst
    ("peterson rlx rlx fences", MODELS),
    ("dekker sc sc", NEVER),
    ("dekker rel acq fences", NEVER),
    ("dekker rel acq", X86),
    ("checked twice rel acq", NEVER),
    ("checked twice rel rlx", MODELS),
    ("spin rel acq", NEVER),
    ("spin rlx acq", MODELS),
    ("ticket rel acq", NEVER),
    ("ticket rlx acq", MODELS),
    ("mcs rel acq", NEVER),
    ("mcs rlx acq", MODELS),
)


@pytest.mark.parametrize(("row", "races"), ROWS, ids=[row for row, _ in ROWS])
def test_plain_data_races_in_the_memories_that_do_not_order_it(row: str, races: tuple[str, ...]) -> None:
    program = compiled(Path(__file__).parent / "plain_data.c", instrumented=True)
    words = row.replace("checked twice", "checked").split()
    for memory in MODELS:
        run = run_inside(program, words, ["--bound", "none", "--memory", memory])
        assert run.kinds == ({"race"} if memory in races else set()), (memory, run.report["statement"])
        assert run.exit_code == (memory in races)
