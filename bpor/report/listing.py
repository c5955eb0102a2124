"""An execution as text, nothing folded: every step on a line (`replay --print`), or one state with all its threads (`replay --step`)."""

from __future__ import annotations

from collections.abc import Iterator

from bpor.report.execution import Execution, Stand
from bpor.report.finding import SourceSite, SourceStep
from bpor.report.text_line import Line, TextSpan, fitted
from bpor.report.trace_columns import cell

_CELL = 30
_STAND = 40  # what a thread will do, and what it holds
_PLACE = 22


def all_steps(execution: Execution, width: int) -> Iterator[Line]:
    for step in execution.steps:
        if step.preempted is not None:
            yield [TextSpan(f"       ── preemption: T{step.preempted} could go on; T{step.thread} runs instead ──"[:width], "switch")]
        yield step_line(step, width)
    end = execution.trace.end
    yield [TextSpan(f"  end  {end.outcome.value}" + (f" {end.code}" if end.code else ""), "heading")]


def step_line(step: SourceStep, width: int) -> Line:
    spans = [TextSpan(f"{step.index:5}  ", "faint"), TextSpan(f"T{step.thread:<3} {cell(step):<{_CELL}}", "thread"), *_place(step.site)]
    return fitted(spans, width)


def step_text(step: SourceStep) -> str:
    return f"T{step.thread} {cell(step)}" + (f"  {step.site}  {step.site.source}" if step.site is not None else "")


def state_lines(execution: Execution, index: int, width: int) -> Iterator[Line]:
    """The state before step `index`: who may go on with what, and what each holds. The one who will is marked."""
    steps = execution.steps
    chosen = steps[index].thread if index < len(steps) else None
    title = f"before step {index} of {len(steps)}" if chosen is not None else f"the end, after {len(steps)} steps"
    yield [TextSpan(title, "heading")]
    for stand in execution.state(index):
        yield _stand_line(stand, stand.thread == chosen, width)


def _stand_line(stand: Stand, is_next: bool, width: int) -> Line:
    mark = "=> " if is_next else "   "
    if not stand.next:
        return [TextSpan(f"{mark}T{stand.thread:<3} {stand.after}", "faint")]
    what = stand.next if stand.enabled else f"{stand.next} (blocked)"
    held = f", holds {', '.join(stand.held)}" if stand.held else ""
    return fitted([TextSpan(f"{mark}T{stand.thread:<3} {what + held:<{_STAND}}", "thread"), *_place(stand.site)], width)


def _place(site: SourceSite | None) -> list[TextSpan]:
    return [] if site is None else [TextSpan(f"  {site!s:<{_PLACE}}", "place"), TextSpan(f"  {site.source}", "faint")]
