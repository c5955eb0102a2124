"""Processor time of one execution beside the program: the target's own, rollback and search included, after a warm-up.

It does not depend on who else uses the machine, but for caches; so take the least of several tries and compare within one run.
"""

from __future__ import annotations

import os
from pathlib import Path

from bpor.model.exploration import Exploration, TreeOrder
from bpor.model.plan import Limits, Plan
from bpor.target.exploring import ExploringExecutor
from bpor.target.options import TargetOptions

TICK = 1 / os.sysconf("SC_CLK_TCK")
MOST_STEPS = 1_100_000


def processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def seconds_per_execution(argv: list[str], seconds: float, options: TargetOptions | None = None) -> float:
    """The whole tree of a program with few schedules, again and again until `seconds` of processor time are spent."""
    plan = Plan(exploration=Exploration((True, False), (TreeOrder(Limits(), max_steps=MOST_STEPS), None), begin_total=True, seconds=60))
    with ExploringExecutor(argv, options) as executor:
        for _ in range(2):
            executor.run(plan)
        assert executor.mode.rollback and executor._target is not None
        process, executions = executor._target.process.pid, 0
        before = processor_seconds(process)
        while (spent := processor_seconds(process) - before) < seconds:
            batch = executor.run(plan).batch
            assert batch is not None and batch.trees[0].finished
            executions += batch.executions
    return spent / executions
