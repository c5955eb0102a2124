"""Litmus tests: the outputs of all executions are exactly the outcomes that sequential consistency allows."""

from __future__ import annotations

from itertools import product

import pytest

from tests.native.compiled import PROGRAMS, compiled
from tests.native.tool import run_inside

pytestmark = pytest.mark.needs("gcc")
_IRIW = {"".join(bits) for bits in product("01", repeat=4)} - {"1010"}  # the two readers would have seen opposite orders

ALLOWED = {
    "sb": {"01", "10", "11"},
    "mp": {"00", "01", "11"},
    "lb": {"00", "01", "10"},
    "iriw": _IRIW,
    "2_plus_2w": {"12", "21", "22"},
    "corr": {"00", "01", "11"},
    "r": {"01", "11", "12"},
    "s": {"01", "02", "11"},
}


@pytest.mark.parametrize("flags", [(), ("-O2",)], ids=["O1", "O2"])
@pytest.mark.parametrize("name", ALLOWED)
def test_the_outcomes_are_those_of_sequential_consistency(name: str, flags: tuple[str, ...]) -> None:
    executable = compiled(PROGRAMS / f"correct/litmus/{name}.c", flags, instrumented=True)
    run = run_inside(executable, (), ["--bound", "none", "--outcomes"])
    assert run.exit_code == 0, run
    assert {one["stdout"].replace(" ", "").strip() for one in run.report["outcomes"]} == ALLOWED[name]


def test_every_litmus_program_has_its_outcomes_here() -> None:
    assert {path.stem for path in (PROGRAMS / "correct/litmus").glob("*.c")} == set(ALLOWED)
