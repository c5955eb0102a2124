"""The interleaving as a table: one column per thread, time downwards, place and source at the right.

Invariant: no line is longer than the width asked for. Many threads get one narrow lane each instead of a column.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from bpor.lazy_dataclass import dataclass
from bpor.protocol.ops import Op
from bpor.report.finding import Finding, FindingKind, SourceSite, SourceStep, ThreadAtEnd
from bpor.report.text_line import Line, TextSpan, clip, fitted, wrapped
from bpor.report.trace_columns_select import select

_GAP = "  "
_LEAST_TITLE = 8
_LEAST_SOURCE = 12  # columns for the source line, below which lanes are used
_WIDEST_PLACE = 28
_WIDEST_PAIR = 44  # of places in two languages
_LANE = 3
_MOST_LANES = 12
_WIDEST_CELL = 24
_MOST_STUCK = 5


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of the table: a step, or what a thread is stopped before (`label` instead of a number)."""

    label: str
    thread: int
    cell: str
    site: SourceSite | None
    style: str = ""


def trace_columns(finding: Finding, width: int) -> list[Line]:
    rows = list(_rows(finding))
    cells = [row for row in rows if isinstance(row, _Row)]
    if not cells:
        return []
    threads = sorted({row.thread for row in cells})
    table = _Columns(finding, threads, cells, width)
    lines: list[Line] = [table.header()]
    for row in rows:
        lines += [table.line(row)] if isinstance(row, _Row) else _between(row, width)
    return lines


def _between(text: str, width: int) -> list[Line]:
    """What is said between two steps, in as many lines as it takes."""
    style = "faint" if "…" in text else "switch"
    margin = " " * (len(text) - len(text.lstrip()))
    whole = text.strip().replace(" ──", "\u00a0──").replace(" …", "\u00a0…")  # what closes a line does not stand on one of its own
    return [[TextSpan(margin + line.replace("\u00a0", " "), style)] for line in wrapped(whole, width - len(margin), "   ")]


def _rows(finding: Finding) -> Iterator[_Row | str]:
    chosen = select(finding)
    preemptions = {step.index: number for number, step in enumerate((s for s in finding.steps if s.preempted is not None), 1)}
    margin = " " * 6
    for is_chosen, group in groupby(enumerate(finding.steps), key=lambda item: item[0] in chosen):
        steps = [step for _, step in group]
        if not is_chosen:
            yield f"{margin}… {_folded(steps)} …"
            continue
        for step in steps:
            if finding.round is not None and step.index == finding.round.start:
                yield f"{margin}── from here on round and round: the next {finding.round.length} steps, for ever ──"
            if step.preempted is not None and not _in_round(finding, step):
                left = f"T{step.preempted} is left{_left_at(finding, step)}{_next_of(finding, step)}"
                yield f"{margin}── preemption {preemptions[step.index]}: {left}; T{step.thread} runs ──"
            yield _Row(str(step.index), step.thread, cell(step), step.site)
    yield from _last_rows(finding)


def _in_round(finding: Finding, step: SourceStep) -> bool:
    """There whoever runs is as good as another: the round is the same from wherever one looks at it."""
    return finding.round is not None and step.index >= finding.round.start


def _folded(steps: list[SourceStep]) -> str:
    threads = sorted({step.thread for step in steps})
    who = ", ".join(f"T{thread}" for thread in threads) if len(threads) <= 6 else f"{len(threads)} threads"
    kinds = {step.op for step in steps}
    what = f": {steps[0].op.text}" if len(kinds) == 1 and len(steps) > 1 else ""
    hidden = sum(step.preempted is not None for step in steps)
    preemptions = f", {hidden} preemption{'s' if hidden > 1 else ''}" if hidden else ""
    return f"{len(steps)} step{'s' if len(steps) > 1 else ''} of {who}{what}{preemptions}"


def _left_at(finding: Finding, step: SourceStep) -> str:
    """Where the preempted thread was when it was left."""
    before = next((s for s in reversed(finding.steps[: _position(finding, step)]) if s.thread == step.preempted), None)
    return f" after {before.site.brief}" if before is not None and before.site is not None else ""


def _position(finding: Finding, step: SourceStep) -> int:
    return step.index - finding.steps[0].index


def _next_of(finding: Finding, step: SourceStep) -> str:
    """What it was about to do: its next step, or what it is stopped before at the end."""
    later = next((s for s in finding.steps[_position(finding, step) + 1 :] if s.thread == step.preempted), None)
    if later is not None:
        return f", before {'create' if later.op is Op.SPAWN else cell(later)}{_where(later.site)}"
    stopped = next((t for t in finding.threads if t.number == step.preempted and t.pending is not None), None)
    return f", before {stopped_cell(stopped)}{_where(stopped.site)}" if stopped is not None else ""


def _where(site: SourceSite | None) -> str:
    return f" at {site.brief}" if site is not None else ""


def _last_rows(finding: Finding) -> Iterator[_Row]:
    if finding.kind is FindingKind.DEADLOCK:
        blocked = [thread for thread in finding.threads if thread.blocked]
        if len(blocked) <= _MOST_STUCK:  # the report has already said where each stands; with few, the picture is worth it
            for thread in blocked:
                yield _Row("stuck", thread.number, stopped_cell(thread), thread.site, "bad")
    elif finding.round is None and finding.thread is not None and not (finding.steps and finding.steps[-1].op.ends):
        yield _Row("end", finding.thread, str(finding.kind), finding.site, "bad")


def _age(step: SourceStep) -> str:
    """Of what weak memory gave an access; a store may come before one that is newer."""
    if not step.alternative:
        return ""
    return " (before a newer one)" if step.op is Op.WRITE else " (old)"


def cell(step: SourceStep) -> str:
    """`lock a`, `create T1`, `read x = 3`, `trylock a: busy`."""
    text = step.op.text
    if step.op is Op.FAULT:
        return f"{step.call} {step.effect}".rstrip()
    if step.op is Op.CHOOSE and step.value is not None:
        return f"{text} {step.value}"
    if step.op in (Op.SPAWN, Op.JOIN) and step.target is not None:
        text += f" T{step.target}"
    elif step.objects:
        text += f" {step.objects[0].name}"
    if step.value is not None:
        text += f" = {step.value_text}" + _age(step)
    if step.timed_out:
        text += ": timed out"
    elif step.failed:
        text += ": failed"
    return text + (" (yields)" if step.inferred else "")


def stopped_cell(thread: ThreadAtEnd) -> str:
    if thread.pending is None:
        return ""
    target = f" T{thread.waits_for[0]}" if thread.pending is Op.JOIN and thread.waits_for else ""
    return thread.pending.text + (target or (f" {thread.objects[0].name}" if thread.objects else ""))


def clip_place(site: SourceSite, width: int) -> str:
    """The line number is worth more than the end of a long file name."""
    text = str(site)
    name, colon, line = text.rpartition(":")
    return clip(name, width - len(line) - 1) + colon + line if len(text) > width and colon else clip(text, width)


def _widest_place(rows: list[_Row]) -> int:
    return _WIDEST_PAIR if any(row.site is not None and row.site.via for row in rows) else _WIDEST_PLACE


class _Columns:
    """The layout: a column per thread where they fit, a lane per thread with one common column otherwise."""

    def __init__(self, finding: Finding, threads: list[int], rows: list[_Row], width: int) -> None:
        self._threads = threads
        self._width = width
        names = {thread.number: thread.name for thread in finding.threads}
        self._titles = {thread: f"T{thread} {names.get(thread, '')}".rstrip() for thread in threads}
        self._label = max(5, *(len(row.label) for row in rows))
        self._place = min(max((len(str(row.site)) for row in rows if row.site is not None), default=0), _widest_place(rows))
        texts = {thread: max(len(row.cell) for row in rows if row.thread == thread) for thread in threads}
        self._cells = {thread: min(max(texts[thread], len(self._titles[thread])), _WIDEST_CELL) for thread in threads}
        if not self._fits():  # a name may be cut, what the thread does may not
            self._cells = {thread: min(max(texts[thread], _LEAST_TITLE), _WIDEST_CELL) for thread in threads}
        self.is_wide = self._fits()
        self._common = min(max(len(f"T{row.thread} {row.cell}") for row in rows), 40)
        lanes = self._label + len(_GAP) + _LANE * len(threads) + self._common + _LEAST_SOURCE
        self._has_lanes = len(threads) <= _MOST_LANES and lanes <= width

    def _fits(self) -> bool:
        columns = sum(len(_GAP) + cell for cell in self._cells.values())
        return self._label + columns + 2 * len(_GAP) + self._place + _LEAST_SOURCE <= self._width

    def header(self) -> Line:
        label = TextSpan("step".rjust(self._label), "faint")
        if not self.is_wide:
            lanes = "".join(f"{thread}".rjust(_LANE) for thread in self._threads) if self._has_lanes else ""
            return [label, TextSpan(f"{_GAP}{lanes}", "faint")]
        titles = {thread: clip(self._titles[thread], self._cells[thread]).ljust(self._cells[thread]) for thread in self._threads}
        return [label, *(TextSpan(_GAP + titles[thread], "heading") for thread in self._threads)]

    def line(self, row: _Row) -> Line:
        spans = [TextSpan(row.label.rjust(self._label), row.style or "faint")]
        spans += self._columns(row) if self.is_wide else self._lanes(row)
        if row.site is not None:
            spans.append(TextSpan(_GAP + clip_place(row.site, self._place).ljust(self._place), "place"))
            spans.append(TextSpan(_GAP + row.site.source, "faint"))
        return fitted(spans, self._width)

    def _columns(self, row: _Row) -> list[TextSpan]:
        spans = []
        for thread in self._threads:
            width = self._cells[thread]
            text = clip(row.cell, width) if thread == row.thread else ""
            spans.append(TextSpan(_GAP + text.ljust(width), row.style or "thread"))
        return spans

    def _lanes(self, row: _Row) -> list[TextSpan]:
        lanes = ""
        if self._has_lanes:
            lanes = "".join(("●" if thread == row.thread else "·").rjust(_LANE) for thread in self._threads) + _GAP
        text = clip(f"T{row.thread} {row.cell}", self._common).ljust(self._common)
        return [TextSpan(_GAP + lanes, "faint"), TextSpan(text, row.style or "thread")]
