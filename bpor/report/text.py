"""A finding as text: what happened, where everybody stands, how it came about, how to see it again.

Written for somebody tired: the sentence first, the command that replays near the end, one line to grep last. Fits 100 columns,
except for the replay command, which must survive being pasted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from bpor.model.trace import Outcome
from bpor.protocol.ops import Op
from bpor.report.beliefs import stale_beliefs
from bpor.report.counted import counted
from bpor.report.explain import by_cause
from bpor.report.explain_waits import wait_text
from bpor.report.finding import Finding, FindingKind, Held, LivelockLook, ObjectName, Round, SourceSite, ThreadAtEnd, Why
from bpor.report.symbols_source import printable, without_escapes
from bpor.report.text_line import Line, TextSpan, clip, coloured, fitted, in_ascii, plain, wrapped
from bpor.report.trace_columns import cell, trace_columns
from bpor.report.trace_columns_select import select

WIDTH = 100
_OUTPUT_LINES = 12
_BEFORE = 2  # lines before the one in which a framework names the failed check
_STACK_FRAMES = 12
_THREADS = 16
_CALLERS = 3
_PLACES = 56  # the column where places stand


def text_report(finding: Finding, *, width: int = WIDTH, colour: bool = False, ascii_only: bool = False) -> str:
    lines = list(_report(finding, width))
    text = coloured(lines) if colour else plain(lines)
    return in_ascii(text) if ascii_only else text


def _report(finding: Finding, width: int) -> Iterator[Line]:
    head, *rest = wrapped(printable(str(finding)), width, "    ")
    yield [TextSpan(head, "bad")]
    yield from ([TextSpan(line, "bad")] for line in rest)
    yield from ([TextSpan(line)] for line in wrapped(f"  {how_hard(finding)}", width, "  "))
    yield from _section("One round, over and over", _round(finding.round, width) if finding.round is not None else [])
    yield from _section("Where each thread stands" if finding.kind is FindingKind.DEADLOCK else "Locks held", _threads(finding, width))
    yield from _section(stack_title(finding.threads, finding.thread), _stack(finding.stack, width))
    yield from _section(stack_title(finding.threads, finding.other_thread) + ", which came first", _stack(finding.other_stack, width))
    yield from _section("How it came about", trace_columns(finding, width))
    yield from _section("", _legend(finding, width))
    yield from _section("What a thread believed, and what was true", _beliefs(finding, width))
    end = finding.trace.end
    yield from _section("What the program printed to stdout in this execution", _output(end.stdout, finding, width))
    yield from _section("What the program printed to stderr in this execution", _output(end.stderr, finding, width))
    if finding.why is not None:
        yield from _section("What makes the difference", _why(finding.why, width))
    if finding.remedy:
        yield from _section("What order would help", [[TextSpan(line)] for line in wrapped(f"  {finding.remedy}", width, "  ")])
    yield from _section("The two orders of the accesses", [[TextSpan(f"  {command}")] for command in finding.orders])
    if finding.replay:
        yield from _section("See it again", [[TextSpan(f"  {finding.replay}", "heading")]])
    yield []
    yield [TextSpan(f"SUMMARY: bpor-native: {finding.summary}", "bad")]


def _section(title: str, lines: Sequence[Line]) -> Iterator[Line]:
    if lines:
        yield []
        if title:
            yield [TextSpan(title, "heading")]
        yield from lines


def how_hard(finding: Finding) -> str:
    """What it takes, in a sentence."""
    if finding.round is not None:
        lasting = "goes on for ever" if finding.is_proved else "looks the same again and again, up to the step limit"
        return f"{_steps(finding.round.start)} lead to a round of {_steps(finding.round.length)} that {lasting}."
    steps = _steps(len(finding.schedule))
    if finding.preemptions == 0:
        return f"It fails without any preemption, in {steps}{_exit_status(finding)}."
    return f"It takes {finding.preemptions} preemption{'s' if finding.preemptions > 1 else ''} and {steps}{_exit_status(finding)}."


def _exit_status(finding: Finding) -> str:
    """Where the headline is the program's own: how the process ended."""
    end = finding.trace.end
    return f"; the program then ends with exit status {end.code}" if finding.failure is not None and end.outcome is Outcome.EXIT else ""


def _steps(number: int) -> str:
    return f"{number} step{'' if number == 1 else 's'}"


# ---- rounds ----


def _round(round: Round, width: int) -> list[Line]:
    """Each thread's loop, what it asks for there, and who undoes it."""
    lines: list[Line] = []
    for thread in round.threads[:_THREADS]:
        lines.append(
            fitted(
                [TextSpan(f"  {thread.label}", "thread"), TextSpan(f"  goes round {', '.join(thread.places)}" * bool(thread.places))], width
            )
        )
        lines += [_aligned("      ", text, site, width) for look in thread.looks for text, site in _look(look)]
    if more := len(round.threads) - _THREADS:
        lines += [[TextSpan(f"  … and {more} more", "faint")]] if more > 0 else []
    if round.blocked:
        lines.append([TextSpan(clip(f"  {', '.join(f'T{number}' for number in round.blocked)}: waiting meanwhile", width), "faint")])
    return lines


def _look(look: LivelockLook) -> Iterator[tuple[str, SourceSite | None]]:
    yield cell(look.step), look.step.site
    if (by := look.undone_by) is None:
        yield "  nobody else ever changed it", None
    else:
        when = "in each round" if look.in_round else f"in step {by.index}, before the round"
        yield f"  T{by.thread} changes it {when}: {cell(by)}" if look.in_round else f"  T{by.thread} changed it {when}", by.site


# ---- threads ----


def _threads(finding: Finding, width: int) -> list[Line]:
    """Unfinished threads: the ones in the cycle first, then causes before those who wait for them."""
    if finding.kind is not FindingKind.DEADLOCK:
        return _held_elsewhere(finding, width)
    ring = {number: place for place, number in enumerate(finding.cycle)}
    causes = {thread.number: place for place, thread in enumerate(by_cause(finding.threads))}
    unfinished = (t for t in finding.threads if t.pending is not None or t.held)
    open_threads = sorted(unfinished, key=lambda t: (ring.get(t.number, len(ring)), causes.get(t.number, len(causes))))
    lines = [line for thread in open_threads[:_THREADS] for line in _thread(thread, width)]
    if len(finding.cycle) > 1:
        ring_text = " → ".join(f"T{number}" for number in (*finding.cycle, finding.cycle[0]))
        lines.append([TextSpan(clip(f"  Each waits for the next: {ring_text}.", width))])
    more = len(open_threads) - _THREADS
    return [*lines, [TextSpan(f"  … and {more} more", "faint")]] if more > 0 else lines


def _thread(thread: ThreadAtEnd, width: int) -> Iterator[Line]:
    holders = ", ".join(f"T{number}" for number in thread.waits_for) if thread.pending is not Op.JOIN and not thread.remark else ""
    what = wait_text(thread, brief=True) + (f", held by {holders}" if holders else "")
    if len(f"  {thread.label} {what}") <= width:
        yield _aligned(f"  {thread.label} ", what, thread.site, width)
    else:  # a narrow terminal: what it waits for is not to be cut off
        place = f" ({thread.site})" if thread.site is not None else ""
        yield from ([TextSpan(line, "thread")] for line in wrapped(f"  {thread.label} {what}{place}", width, "      "))
    if len(thread.stack) > 1:
        callers = ", ".join(f"{site.function or '?'} ({site})" if site.line else str(site) for site in thread.stack[1 : 1 + _CALLERS])
        more = f" and {len(thread.stack) - 1 - _CALLERS} more" if len(thread.stack) - 1 > _CALLERS else ""
        yield [TextSpan(clip(f"      in {thread.stack[0].function or thread.stack[0]}, called from {callers}{more}", width), "faint")]
    if thread.remark and not thread.waits_for:
        yield from ([TextSpan(f"      {line}")] for line in wrapped(thread.remark, width - 6))
    for lock in thread.held:
        yield _aligned("      ", _held(lock), lock.step.site if lock.step is not None else None, width)


def _held(lock: Held) -> str:
    return f"holds `{lock.object.name}`" + (f" since step {lock.step.index}" if lock.step is not None else "")


def _held_elsewhere(finding: Finding, width: int) -> list[Line]:
    """A crash or failed assertion: the locks held are what a reader looks for next."""
    return [
        _aligned(f"  {thread.label} ", _held(lock), lock.step.site if lock.step is not None else None, width)
        for thread in finding.threads
        for lock in thread.held
    ]


def _aligned(who: str, what: str, site: SourceSite | None, width: int) -> Line:
    """Text at the left, its place and source from one column on (or after the text if that is longer)."""
    spans = [TextSpan(who, "thread"), TextSpan(what.ljust(_PLACES - len(who)))]
    if site is not None:
        spans += [TextSpan(f"  {site}", "place"), TextSpan(f"  {site.source}", "faint")]
    return fitted(spans, width)


def _why(why: Why, width: int) -> list[Line]:
    text = str(why)
    lines: list[Line] = [[TextSpan(line)] for line in wrapped(f"  {text[0].upper()}{text[1:]}.", width, "  ")]
    if why.orderings > 1:
        lines.append(
            [TextSpan(f"  ({why.orderings - 1} other ordering{'s change' if why.orderings > 2 else ' changes'} with it.)", "faint")]
        )
    return [*lines, [TextSpan(f"  {why.replay}", "faint")]]


# ---- stack, names, output ----


def stack_title(threads: Sequence[ThreadAtEnd], number: int | None) -> str:
    who = next((thread.label for thread in threads if thread.number == number), "the thread")
    return f"Stack of {who}"


def _stack(stack: tuple[SourceSite, ...], width: int) -> list[Line]:
    """One frame alone is the place that the report has named already. A recursion is shown once."""
    if len(stack) < 2:
        return []
    lines: list[Line] = []
    number = 0
    for site, run in groupby(stack):
        count = len(list(run))
        if len(lines) >= _STACK_FRAMES:
            lines.append([TextSpan(f"  … {len(stack) - number} more", "faint")])
            break
        where = f" at {site}" if site.line else f" ({site.file})" if site.file else ""
        times = f" ({count} times)" if count > 1 else ""
        frame = f"  #{number:<2} {site.function or '?'}{where}{times}"
        lines.append(fitted([TextSpan(frame.ljust(_PLACES)), TextSpan(f"  {site.source}", "faint")], width))
        number += count
    return lines


def _legend(finding: Finding, width: int) -> list[Line]:
    """Objects without a variable's name that the report speaks of: where they come from."""
    seen: dict[ObjectName, None] = {}
    told = [finding.steps[position].objects for position in sorted(select(finding))]
    for objects in (*told, *(thread.objects for thread in finding.threads)):
        seen.update(dict.fromkeys(name for name in objects if name.origin))
    return [[TextSpan(clip(f"  {name.name}: {name.origin}", width), "faint")] for name in list(seen)[:_OUTPUT_LINES]]


def _beliefs(finding: Finding, width: int) -> list[Line]:
    found = stale_beliefs(finding.steps) if finding.round is None else ()
    return [[TextSpan(line)] for belief in found for line in wrapped(f"  {belief.text}.", width, "      ")]


def _output(data: bytes, finding: Finding, width: int) -> list[Line]:
    """The end of it, because what was printed last was printed nearest to the fault; or what a test framework said about the failure."""
    lines = without_escapes(data.decode("utf-8", "replace")).splitlines()
    first = max(len(lines) - _OUTPUT_LINES, 0)
    failure = finding.failure
    if failure is not None and failure.line:
        place = re.compile(rf"{re.escape(os.path.basename(failure.file))}[:(]{failure.line}\b")
        said = next((number for number, line in enumerate(lines) if place.search(line)), len(lines))
        first = min(first, max(said - _BEFORE, 0))
    later = len(lines) - first - _OUTPUT_LINES
    return [
        *([[TextSpan(f"  … {counted(first, 'earlier line')} …", "faint")]] if first else []),
        *([TextSpan(clip(f"  | {printable(line)}", width))] for line in lines[first : first + _OUTPUT_LINES]),
        *([[TextSpan(f"  … {counted(later, 'later line')} …", "faint")]] if later > 0 else []),
    ]
