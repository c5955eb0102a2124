"""Programs of atomic accesses, run natively under a memory model: what their loads gave, to be compared with simulated memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from bpor.simulate.notation import parse
from tests.native.compiled import compiled
from tests.native.tool import run_inside
from tests.property.weak_trial import Outcome_, reach

_ATTACHED = re.compile(r"\b(RMW|CAS|SWAP|R|W)([a-z])(?=[. ;|]|$)")


@dataclass(frozen=True, slots=True)
class Ran:
    outcomes: set[Outcome_]
    executions: int
    statement: str
    traces: int = 0
    beside: bool = False  # searched beside the program
    complete: int = 0  # executions that ran to their end


def run_natively(
    text: str,
    memory: str,
    bound: str = "none",
    engine: str = "",
    program: Path | None = None,
    workers: int = 1,
    budget: int | None = None,
    state: Path | None = None,
) -> Ran:
    """By default with every outcome, which only the controller's own engine looks at. `program`: another than the one in C. `state`: where
    a search was left that goes on, for so many executions altogether."""
    program = program or compiled(Path(__file__).parent / "atomics.c", instrumented=True)
    spaced = _ATTACHED.sub(r"\1 \2", text)
    options = ["--bound", bound, "--memory", memory, *([f"--engine={engine}"] if engine else ["--outcomes"]), "-j", str(workers)]
    if state is not None:
        options += ["--state", str(state), "--resume", "--max-executions", str(budget)]
    run = run_inside(program, [spaced], options)
    assert run.exit_code == 0 or (budget and run.exit_code == 3), (text, run.stdout, run.stderr)
    report = run.report
    outcomes = {_outcome(one["stdout"]) for one in report.get("outcomes", ())}
    counts = report["executions"], report["statement"], report["distinct_traces"], report["engine"]["beside_the_program"]
    return Ran(outcomes, *counts, complete=report["executions"] - report["redundant"])


def _outcome(printed: str) -> Outcome_:
    *threads, memory = printed.strip("\n").split("|")
    values = (word.split("=") for word in memory.split())
    return tuple(tuple(map(int, reads.split())) for reads in threads), frozenset((name, int(value)) for name, value in values)


def simulated(text: str, memory: str, bound: str = "none") -> Ran:
    """The same by bpor.simulate.weak."""
    found = reach(parse(text), memory, bound)
    return Ran(found.outcomes, found.result.executions, "")
