"""Why a replayed prefix took another way: the first step that differs, and the likely cause in words."""

from __future__ import annotations

from collections.abc import Sequence

from bpor.errors import Diverged
from bpor.model.plan import Plan
from bpor.model.step import Step

_OTHER_PLACE = 3  # protocol.h: an object that is neither static nor heap nor stack is named by its address
_GIVEN = "the schedule is of another program, another build of it or other options, or was mistyped; or else "
_OUTSIDE = "a file or device that an execution changed, uninitialised memory, time from rdtsc, or a thread out of our control"


def first_difference(plan: Plan, known: Sequence[Step], got: Sequence[Step]) -> Diverged | None:
    """`known`: the steps of the execution the prefix comes from; `got`: what the target did this time."""
    for index, (expected, found) in enumerate(zip(known, got, strict=False)):
        if index >= len(plan.prefix) or expected.thread != plan.prefix[index]:
            return None  # the prefix does not come from the last execution: nothing to compare with
        if _facts(expected) != _facts(found):
            return Diverged(index, _words(expected), _words(found), _cause(expected, found))
    return None


def unexplained(plan: Plan, step: int, reason: str, given: bool) -> Diverged:
    """`given`: the schedule comes from outside, not from an execution of this target."""
    thread = f"T{plan.prefix[step]}" if step < len(plan.prefix) else "the schedule"
    return Diverged(step, f"{thread} to go on as recorded", f"another way ({reason})", _GIVEN * given + _OUTSIDE)


def _facts(step: Step) -> tuple[object, ...]:
    return step.thread, step.operation.kind, step.footprint, step.enabled


def _words(step: Step) -> str:
    enabled = ",".join(f"T{t}" for t in range(step.enabled.bit_length()) if step.enabled >> t & 1)
    return f"T{step.thread} {step.operation.kind.text} (enabled: {enabled})"


def _cause(expected: Step, found: Step) -> str:
    if expected.operation.kind is not found.operation.kind or expected.footprint == found.footprint:
        return _OUTSIDE
    if any(access.object >> 58 & 3 == _OTHER_PLACE for access in (*expected.footprint, *found.footprint)):
        return "an object at an address that changes (a shared mapping, or memory of an allocator of the program's own)"
    return "another object: a file, an address or a random number decides which"
