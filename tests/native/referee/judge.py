"""All modes of one program against a fresh process for every execution; and that one against the program alone, without the tool."""

from __future__ import annotations

import os
import subprocess
import tempfile

from bpor.errors import EngineUnfit, Uncontrolled
from bpor.model.exploration import ExecutionRecord
from tests.native.referee.modes import BESIDE, CREWS, FRESH, IN_PYTHON, Mode, Seen, executions_in, look
from tests.native.referee.programs import Program
from tests.patience import PATIENCE

ALONE = 2  # runs without the tool


def difference(program: Program) -> str:
    """In words; empty: there is none. What a user is told by the search beside the program, and by a crew, is asked in one way of three."""
    fresh = look(program, FRESH)
    found = _alone(program, fresh)
    one = program.size % len(BESIDE)
    for mode in IN_PYTHON:
        found = found or _between(mode, fresh, look(program, mode), everything=True)
    found = found or _of_searches(program, fresh)
    found = found or _between(BESIDE[one], fresh, look(program, BESIDE[one]), everything=False)
    if _complete(fresh):
        found = found or _of_crew(CREWS[one], fresh, look(program, CREWS[one]))
    return found


def _one_search(seen: Seen) -> bool:
    """It did not begin again: then these are its executions."""
    return seen.as_asked and len(seen.executions) == sum(executions for _, _, _, executions in seen.levels) > 0


def _complete(seen: Seen) -> bool:
    return bool(seen.levels) and all(complete for _, complete, _, _ in seen.levels)


def _between(mode: Mode, fresh: Seen, other: Seen, everything: bool) -> str:
    for (name, expected), (_, got) in zip(fresh.parts(), other.parts(), strict=True):
        if expected != got:
            return f"{mode}: {name} {got}\n    a fresh process for each: {expected}"
    if not everything:
        return ""
    if fresh.outcomes != other.outcomes:
        return f"{mode}: outcomes {other.outcomes}\n    a fresh process for each: {fresh.outcomes}"
    return _between_executions(mode, fresh.executions, other.executions)


def _between_executions(mode: Mode, expected: tuple[ExecutionRecord, ...], got: tuple[ExecutionRecord, ...]) -> str:
    for number, (one, other) in enumerate(zip(expected, got, strict=False)):
        if one != other:
            return f"{mode}: execution {number} is {other}\n    in a fresh process: {one}"
    same = len(expected) == len(got)
    return "" if same else f"{mode}: {len(got)} executions\n    a fresh process for each: {len(expected)}"


def _of_searches(program: Program, fresh: Seen) -> str:
    """The search beside the program, execution by execution. Nothing is patched in it: where libstdc++ is, it has atomic steps."""
    try:
        expected = fresh.executions if program.instrumented and _one_search(fresh) else executions_in(program, FRESH)
        return next(filter(None, (_between_executions(mode, expected, executions_in(program, mode)) for mode in BESIDE)), "")
    except (EngineUnfit, Uncontrolled):  # needs a process for every execution, or cannot be run at all: the verdicts are compared
        return ""


def _of_crew(mode: Mode, fresh: Seen, crew: Seen) -> str:
    """Several processes may run other executions, and find another schedule of the same bug."""
    one, other = (
        (seen.verdict.split(":")[0], {finding[:2] for finding in seen.findings}, [level[:3] for level in seen.levels])
        for seen in (fresh, crew)
    )
    return "" if one == other else f"{mode}: {other}\n    a fresh process for each: {one}"


def _alone(program: Program, fresh: Seen) -> str:
    """What the program prints when nobody controls it is among what all schedules print."""
    if not fresh.whole:
        return ""
    for _ in range(ALONE):
        with tempfile.TemporaryDirectory() as directory:
            run = subprocess.run(
                program.argv, capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE, env={**os.environ, "TMPDIR": directory}
            )
        if run.returncode != 0:
            return f"alone it ends with {run.returncode}: {run.stderr!r}\n    under control: {fresh.verdict}"
        if run.stdout not in {output for output, _ in fresh.outcomes}:
            return f"alone it prints {run.stdout!r}\n    under control: {fresh.outcomes}"
    return ""
