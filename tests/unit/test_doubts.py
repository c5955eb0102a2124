"""Whose code an access is in, and so whether a race is beyond doubt."""

from __future__ import annotations

import os
from typing import Any

from bpor.checking import _suspect
from bpor.errors import OutOfTime
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Description, End, Outcome, Trace
from bpor.search.result import Failure
from bpor.target.doubts import Doubts
from bpor.target.machine import NATIVE

PROGRAM, LIBRARY = (os.path.realpath(NATIVE / name) for name in ("bpor-launch", "libbpor.so"))
PROGRAM_AT, TRAMPOLINE, LIBRARY_AT = 0x555555554000, 0x7FFFF6959000, 0x7FFFF7F1B000
DOUBTS = Doubts(patched=frozenset({LIBRARY}), instrumented=frozenset({PROGRAM}))


def race(stack: tuple[int, ...], other: tuple[int, ...]) -> bool:
    description = Description(modules=[(PROGRAM_AT, PROGRAM), (LIBRARY_AT, LIBRARY)])
    return DOUBTS.about(End(Outcome.RACE, stack=stack, other_stack=other), description)


def test_a_race_of_two_accesses_in_instrumented_code_is_beyond_doubt() -> None:
    assert not race((PROGRAM_AT + 0x1000,), (PROGRAM_AT + 0x1010,))


def test_an_access_in_patched_code_is_in_doubt() -> None:
    assert race((LIBRARY_AT + 0x1000, PROGRAM_AT + 0x1000), (PROGRAM_AT + 0x1010,))


def test_a_trampoline_is_not_taken_for_the_module_below_it() -> None:
    """The frames of patched code come behind that of a trampoline, which is mapped by itself, above the program."""
    assert race((TRAMPOLINE, LIBRARY_AT + 0x1000, PROGRAM_AT + 0x1000), (PROGRAM_AT + 0x1010,))


def test_a_finding_for_whose_module_there_is_no_time_is_told_without_it() -> None:
    """It was lost, with everything else that had been found, where the program had to be started for it after --max-time."""

    class Late:
        def describe(self, plan: Plan) -> tuple[Trace, Description]:
            raise OutOfTime("the program did not reach its fork point in time")

    late: Any = Late()
    assert _suspect(DOUBTS, late, [(Failure(Schedule(), Trace(End(Outcome.DEADLOCK), ())), Schedule())]) == ""
