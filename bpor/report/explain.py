"""What happened, in one sentence with names from the source. Written to be read aloud."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence

from bpor.model.trace import RAISED, End
from bpor.report.explain_waits import held_text, wait_text
from bpor.report.finding import Finding, FindingKind, SourceSite, ThreadAtEnd
from bpor.report.names import in_source
from bpor.report.old_values import old_value_words
from bpor.report.taken_words import taken_words

_MOST_NAMED = 4  # threads named in the sentence; the report lists all
_ASSERTION = re.compile(  # glibc's message, or its parts without the words
    r"(?:[^:]+: )?(?P<file>[^:]+):(?P<line>\d+): (?:(?P<function>.+?): )?(?:Assertion `(?P<quoted>.*)' failed\.?|(?P<bare>.*))", re.DOTALL
)
_THROWN = re.compile(r"terminate called after throwing an instance of '(?P<type>[^']*)'(?:\s+what\(\):\s*(?P<what>[^\n]*))?")
_RECURSION = 16  # frames of one function on top of a stack that make a crash a stack overflow
_NEAR_NULL = 4096
_SIGNALS = {
    signal.SIGSEGV: "segmentation fault",
    signal.SIGABRT: "abort",
    signal.SIGFPE: "arithmetic error",
    signal.SIGBUS: "bus error",
    signal.SIGILL: "illegal instruction",
    signal.SIGTRAP: "trap",
}


def explain(finding: Finding) -> str:
    """The sentence for a finding that has everything else."""
    return _what_happened(finding) + taken_words(finding) + old_value_words(finding)


def _what_happened(finding: Finding) -> str:
    end, threads, site = finding.trace.end, finding.threads, finding.site
    place = _place(next((thread.label for thread in threads if thread.number == end.thread), ""), site)
    if finding.failure is not None:
        return finding.failure.headline
    match finding.kind:
        case FindingKind.DEADLOCK:
            return _deadlock(threads, finding.cycle)
        case FindingKind.CRASH:
            return f"{_crash(end)}{_overflow(finding.stack)}{place}"
        case FindingKind.ASSERTION:
            return f"{_asserted(end.message)}{place}"
        case FindingKind.NONLINEARIZABLE:
            return f"{_text(end.message)}{place}"
        case FindingKind.TERMINATE:
            return f"{_terminated(end)}{place}"
        case FindingKind.EXIT:
            return f"the program ended with exit status {end.code}{place}"
    if finding.other_thread is not None:
        return _two_accesses(finding, place)
    return f"{_misused(finding)}{end.message.strip() or 'no details'};{place}" if place else end.message.strip()


def _two_accesses(finding: Finding, place: str) -> str:
    """A race, or an access to what another thread has freed: both places in one sentence."""
    who = next((thread.label for thread in finding.threads if thread.number == finding.other_thread), f"T{finding.other_thread}")
    earlier = f" at {in_source(finding.other_stack).with_function}" if finding.other_stack else ""
    what = f"{finding.object}: " if finding.object is not None else ""
    return f"{what}{finding.trace.end.message.removeprefix('data race: ')}; {place.strip()}, after {who}{earlier}"


def _place(who: str, site: SourceSite | None) -> str:
    at = f" at {site.with_function}" if site is not None else ""
    return f"{at}, thread {who}" if who else at


def _deadlock(threads: Sequence[ThreadAtEnd], cycle: tuple[int, ...]) -> str:
    by_number = {thread.number: thread for thread in threads}
    if cycle:
        ring = [_in_cycle(by_number[number], by_number[cycle[index - 1]]) for index, number in enumerate(cycle)]
        likewise = len(ring) - _MOST_NAMED
        return "; ".join(ring if likewise <= 0 else [*ring[:2], f"{likewise + 1} more likewise", ring[-1]])
    stuck = by_cause(threads)
    parts = [f"{_who(thread)} {_wanted_by_others(thread, stuck)}{wait_text(thread)}" for thread in stuck[:_MOST_NAMED]]
    more = len(stuck) - len(parts)
    if more:
        parts.append("1 other thread waits, too" if more == 1 else f"{more} other threads wait, too")
    return "; ".join(parts) if parts else "no thread can go on"


def by_cause(threads: Sequence[ThreadAtEnd]) -> list[ThreadAtEnd]:
    """The blocked ones; those who wait for another blocked thread are stuck because of it, and come after the rest."""
    blocked = {thread.number: thread for thread in threads if thread.blocked}
    return sorted(blocked.values(), key=lambda thread: any(other in blocked for other in thread.waits_for))


def _wanted_by_others(thread: ThreadAtEnd, stuck: Sequence[ThreadAtEnd]) -> str:
    wanted = {name for other in stuck if thread.number in other.waits_for for name in other.objects}
    held = [lock for lock in thread.held if lock.object in wanted and thread.number not in thread.waits_for]
    return f"holds {held_text(held)} and " if held else ""


def _in_cycle(thread: ThreadAtEnd, waiter: ThreadAtEnd) -> str:
    """One member: the lock that the thread before it in the ring wants, and what it wants itself."""
    wanted = [lock for lock in thread.held if lock.object in waiter.objects and thread.number != waiter.number]
    holds = f"holds {held_text(wanted)} and " if wanted else ""
    return f"{_who(thread)} {holds}{wait_text(thread)}"


def _who(thread: ThreadAtEnd) -> str:
    known = ", ".join(part for part in (thread.name, str(thread.site) if thread.site is not None else "") if part)
    return f"T{thread.number} ({known})" if known else f"T{thread.number}"


def _crash(end: End) -> str:
    try:
        number = signal.Signals(end.code)
        text = f"{_SIGNALS[number]} ({number.name})" if number in _SIGNALS else number.name
    except ValueError:
        text = f"signal {end.code}"
    if end.code in (signal.SIGSEGV, signal.SIGBUS):
        text += f" on address {end.address:#x}{_null(end.address)}"
    return text


def _overflow(stack: Sequence[SourceSite]) -> str:
    top = {site.function for site in stack[:_RECURSION]}
    return f", a stack overflow: {stack[0].function} calls itself," if len(stack) >= _RECURSION and len(top) == 1 else ""


def _null(address: int) -> str:
    if address >= _NEAR_NULL:
        return ""
    return f" (a null pointer + {address})" if address else " (a null pointer)"


def _asserted(message: str) -> str:
    text = _text(message)
    if text.startswith(RAISED):
        return text
    return f"`{text}` is false" if text else "an assertion failed"


def _text(message: str) -> str:
    """Without the place in front of it."""
    match = _ASSERTION.fullmatch(message.strip())
    return (match["quoted"] or match["bare"] or "") if match is not None else message.strip()


def asserted_site(message: str) -> tuple[str, int, str] | None:
    """(file, line, function) of the message itself: exact even where no stack could be read."""
    match = _ASSERTION.fullmatch(message.strip())
    return (match["file"], int(match["line"]), match["function"] or "") if match is not None else None


def _terminated(end: End) -> str:
    """What libstdc++ said on stderr knows more than the call."""
    printed = end.stderr.decode("utf-8", "replace")
    thrown = _THROWN.search(printed)
    if thrown is not None:
        what = f': "{thrown["what"].strip()}"' if thrown["what"] else ""
        return f"nobody caught {thrown['type']}{what}, thrown"
    if "terminate called without an active exception" in printed:
        return "std::terminate was called without an exception (was a joinable std::thread destroyed?)"
    message = end.message.strip()
    return f"the program was terminated: {message}" if message not in ("", "std::terminate") else "std::terminate was called"


def _misused(finding: Finding) -> str:
    """The object of a misuse: that of the failing thread's last step, if it was the call that failed."""
    last = finding.steps[-1] if finding.steps else None
    is_it = (
        last is not None and last.thread == finding.trace.end.thread and last.site == finding.site and finding.kind is FindingKind.MISUSE
    )
    return f"{last.objects[0]}: " if is_it and last is not None and last.objects else ""
