"""What is kept of executions for the report, and how much at most."""

from __future__ import annotations

from typing import Any, cast

from bpor.model.operation import Operation
from bpor.model.plan import Plan
from bpor.model.step import Step
from bpor.model.trace import End, Outcome, Trace
from bpor.protocol.ops import Op
from bpor.report import observers
from bpor.report.observers import Cuts, InferredYields, Outputs, ShowOutput
from bpor.search.explorer import Explorer

NOBODY = cast(Explorer, None)  # no observer of ours looks at the explorer


def seen(observer: Any, *ends: End, steps: tuple[Step, ...] = ()) -> None:
    for end in ends:
        observer.executed(NOBODY, Plan(), Trace(end, steps))


def test_cuts_counts_only_what_was_cut_short() -> None:
    cuts = Cuts()
    seen(cuts, *(End(outcome) for outcome in Outcome), End(Outcome.KILLED))
    assert cuts.counts == {Outcome.STEP_LIMIT: 1, Outcome.OUTPUT_LIMIT: 1, Outcome.KILLED: 2}


def test_equal_outputs_of_complete_executions_are_one_outcome() -> None:
    outputs = Outputs()
    seen(outputs, End(Outcome.PASSED, stdout=b"a"), End(Outcome.PASSED, stdout=b"b"), End(Outcome.EXIT, stdout=b"b"))
    seen(outputs, End(Outcome.REDUNDANT, stdout=b"c"), End(Outcome.STEP_LIMIT, stdout=b"d"))
    assert [(output.stdout, output.count) for output in outputs.found] == [(b"b", 2), (b"a", 1)]


def test_a_long_output_is_kept_in_part_and_marked() -> None:
    outputs = Outputs()
    seen(outputs, End(Outcome.PASSED, stdout=b"x" * (observers.KEPT_BYTES + 1)))
    (output,) = outputs.found
    assert (len(output.stdout), output.truncated) == (observers.KEPT_BYTES, True)


def test_very_many_outputs_are_counted_together(monkeypatch: Any) -> None:
    monkeypatch.setattr(observers, "MAX_DISTINCT", 3)
    outputs = Outputs()
    seen(outputs, *(End(Outcome.PASSED, stdout=str(number).encode()) for number in range(10)))
    assert len(outputs.found) == 4
    assert sum(output.count for output in outputs.found) == 10


def test_inferred_yields_are_remembered_by_their_call_site() -> None:
    inferred = InferredYields()
    steps = tuple(Step(0, Operation(Op.CAS, site=site), (), 1, (), inferred=bool(site)) for site in (7, 0, 7, 9))
    seen(inferred, End(Outcome.PASSED), steps=steps)
    assert list(inferred.sites) == [7, 9]


def test_all_output_is_passed_on_when_asked_for() -> None:
    written: list[bytes] = []
    seen(ShowOutput(written.append), End(Outcome.PASSED, stdout=b"out", stderr=b"err"), End(Outcome.REDUNDANT, stdout=b"more"))
    assert written == [b"outerr", b"more"]
