"""`replay --gdb`: the schedule once, to know its steps; then under gdb, which stops before any of them."""

from __future__ import annotations

from bpor import api
from bpor.cli.run import show
from bpor.model.choice import choice_of
from bpor.model.schedule import Schedule
from bpor.report.listing import step_text
from bpor.report.text_line import TextSpan
from bpor.settings import Settings


def debug(schedule: Schedule, argv: tuple[str, ...], settings: Settings) -> int:
    result = api.replay_schedule(schedule, argv, settings)
    if result.execution is None:
        show([[TextSpan(result.verdict.statement)]])
        return result.exit_code
    steps = [step_text(step) for step in result.execution.steps]
    executed = schedule if schedule.round else Schedule.of(choice_of(step.thread, step.alternative) for step in result.execution.steps)
    printed = api.debug(executed, argv, settings, steps)
    if printed:
        print(f"the program printed:\n{printed}")
    show([[TextSpan(result.verdict.statement)]])
    return result.exit_code
