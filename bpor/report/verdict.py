"""Verdict: what a run may claim, in one line, and the exit code that goes with it.

Invariant: a pass is said only of a search that ran every schedule of its bound or proved it equivalent to one that ran, with nothing
cut and something that passed; where not every access was seen the line begins with that; it always carries the bound, the coverage and
the assumptions, and one that could say more ends with the next command to type.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from bpor.knobs.durations import duration_text
from bpor.knobs.values import visible_places
from bpor.lazy_dataclass import dataclass, field, replace
from bpor.model.fault import NOTHING_OFFERED, Offered, injected_words
from bpor.model.operation import ORDERS, SEQ_CST
from bpor.model.trace import DROPPED, KEPT, OFFERED, End, Outcome
from bpor.model.trust import trust_words
from bpor.report.counted import counted, estimated, every_execution
from bpor.report.finding import Finding, SourceSite
from bpor.report.next_command import MORE, command_line, next_command
from bpor.report.unseen import doubtful_race, in_doubt, may_be_ordered, one_schedule, pass_of_calls, remedy
from bpor.search.bounds.bound import NONE
from bpor.search.budget import SearchStop
from bpor.search.coverage import Level
from bpor.search.options import FAIR_ENOUGH, OFF
from bpor.search.result import SearchResult
from bpor.settings import STRONG, Settings, to_arguments
from bpor.target.census import Unseen
from bpor.target.python import NO_GIL

if TYPE_CHECKING:
    from bpor.search.lasso.found import Polling

SKIPPED = 77  # what automake and meson take for "this test was skipped"


class VerdictKind(Enum):
    PASS = "pass"
    BUG = "bug"
    USAGE = "usage"
    INCONCLUSIVE = "inconclusive"
    UNCONTROLLED = "uncontrolled"
    NONDETERMINISTIC = "nondeterministic"
    INTERNAL = "internal"


_EXIT_CODES = {
    VerdictKind.PASS: 0,
    VerdictKind.BUG: 1,
    VerdictKind.USAGE: 2,
    VerdictKind.INCONCLUSIVE: 3,
    VerdictKind.UNCONTROLLED: 4,
    VerdictKind.NONDETERMINISTIC: 5,
    VerdictKind.INTERNAL: 99,
}
_BY_CODE = {code: kind for kind, code in _EXIT_CODES.items()}


@dataclass(frozen=True, slots=True)
class Verdict:
    kind: VerdictKind
    reason: str  # without the word of the kind
    coverage: str = "calls"
    assumptions: tuple[str, ...] = ()
    next: str = ""  # the command to type
    opening: str = ""  # in place of the word of the kind, where that alone would say too much

    @property
    def statement(self) -> str:
        following = f"; next: {self.next}" if self.next else ""
        return f"{f'{self.opening};' if self.opening else f'{self.kind.value}:'} {self.reason}{following}"

    def after(self, what: str, next: str) -> Verdict:
        """The same verdict of a search that began again because of this, which is not to be typed again."""
        return replace(self, reason=f"{self.reason}; {what}", next=next if self.next else "")

    def exit_code(self, settings: Settings) -> int:
        if self.kind is VerdictKind.INCONCLUSIVE and settings.inconclusive == "pass":
            return 0
        if self.kind is VerdictKind.UNCONTROLLED and settings.uncontrolled == "skip":
            return SKIPPED
        return _EXIT_CODES[self.kind]

    def __str__(self) -> str:
        return self.statement


def of_error(exit_code: int, message: str) -> Verdict:
    """The verdict of a run that one of our own faults ended (bpor.errors)."""
    return Verdict(_BY_CODE.get(exit_code, VerdictKind.INTERNAL), message)


_MODELS = {
    "tso": "x86, if the compiler keeps the order",
    "c11": "C11, without load buffering",
}
_EXPLORED = (
    "data races at {places} explored as operations, which real memory does not promise",
    # a plain move may be an atomic one of the source, and a pointer to an object of Python may be guarded where the object is not
    "accesses of {places} explored as operations, whether or not they are data races",
)
_NOBODY_TOLD = "no instrumented code ran in the explored part"
_ORDERS = "all orders of these calls"
_OF_WHAT_WAS_SEEN = "all schedules of what was seen"
_NO_RACES, _NO_ATOMICS, _NO_USE_OF_ATOMICS = "no data races", "no inline atomics", "nothing ordered by inline atomics"


def _explored(settings: Settings) -> str:
    """What has no bytes is an instruction, or, with suppressions, a misuse that is known."""
    visible = visible_places(settings.visible)
    places = sum(size > 0 for _, size in visible)
    sites = 0 if settings.suppressions is not None else len(visible) - places
    by = f" and by {sites} instruction{'s' * (sites > 1)}" if sites else ""
    return f"{places} place{'s' * (places > 1)}{by}" if places else ""


def _memory_words(model: str, weak: int) -> str:
    """What loads were let see (Trace.weak says whether it made a difference, and whether all of it was tried)."""
    if not weak & (OFFERED | DROPPED):
        return f"memory of {_MODELS[model]}, which makes no difference here"
    most = "some" if weak & DROPPED else "all"
    return f"{most} values that loads may see in memory of {_MODELS[model]}"


def _strong_memory(settings: Settings, coverage: str, orders: Collection[int], weak: int, matched: bool) -> list[str]:
    """Of executions in sequentially consistent memory. They are all that C11 allows if nothing weaker was ever on offer; not so where
    states were recognised, because what is on offer depends on the way to a state."""
    if coverage == "machine" or {0, SEQ_CST}.issuperset(orders):  # machine code has no orders to tell
        return []
    weaker = ", ".join(ORDERS[order] for order in sorted(orders) if order not in (0, SEQ_CST))
    looked = settings.memory == "auto" and coverage == "memory" and weak & KEPT and not matched
    if looked and not weak & (OFFERED | DROPPED):
        return [_memory_words("c11", 0)]
    more = ", and more may happen in weaker memory (--memory c11)" if looked and weak & OFFERED else ""
    return [f"sequentially consistent memory, though the program uses {weaker}{more}"]


def assumptions(
    settings: Settings,
    coverage: str,
    inferred: Sequence[SourceSite] = (),
    orders: Collection[int] = (),
    atomics: int = 0,
    weak: int = 0,
    matched: bool = False,
) -> tuple[str, ...]:
    """What was taken for granted. Each is a way in which a program could fail although we said pass."""
    unseen = _NO_USE_OF_ATOMICS if atomics else _NO_ATOMICS
    assumed = {"calls": [_NO_RACES, unseen], "machine": [], "atomics": [_NO_RACES], "memory": []}[coverage]
    assumed.append("timeouts only when idle" if settings.timeouts == "idle" else "every timeout at any time")
    if settings.signal == "fifo":
        assumed.append("a signal wakes the oldest waiter")
    if not settings.spurious:
        assumed.append("no spurious wake-ups")
    if places := _explored(settings):
        unsure = coverage == "machine" or settings.gil == "off" or settings.search == "extension"
        assumed.append(_EXPLORED[unsure].format(places=places))
    if settings.memory in STRONG:
        assumed += _strong_memory(settings, coverage, orders, weak, matched)
    elif coverage == "memory":
        assumed.append(_memory_words(settings.memory, weak))
    else:
        blind = f"memory of {_MODELS[settings.memory]}, blind to what other code orders"
        where = blind if weak & KEPT else "sequentially consistent memory"
        assumed.append(f"{where}: --memory {settings.memory} needs every module to be built with `bpor-native cc`")
    if settings.process_state == "off":
        assumed.append("threads tell each other nothing through files, the environment or libc's own data")
    if inferred:
        assumed.append(f"yields inferred at {', '.join(dict.fromkeys(map(str, inferred)))}")
    return tuple(assumed)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was seen beside the search's own numbers."""

    coverage: str = "calls"
    cuts: dict[Outcome, int] = field(default_factory=dict)  # executions that were cut short, by why
    inferred: tuple[SourceSite, ...] = ()  # yields that the program does not spell out
    stack: tuple[SourceSite, ...] = ()  # of the thread that left our control, innermost first
    orders: frozenset[int] = frozenset()  # of atomic accesses (Operation.order)
    suppressed: Mapping[str, int] = field(default_factory=dict)  # lines of --suppressions, and the executions that known bugs ended
    sealed: tuple[str, ...] = ()  # code that --seal kept from being preempted, by name
    excused: bool = False  # accesses that the program's annotations kept from being checked
    lost_at: tuple[SourceSite, ...] = ()  # where a thread yielded that the fair bound kept waiting though it was getting on
    assumed: tuple[str, ...] = ()  # what is taken for granted about a target of its kind
    reset: str = ""  # how the program started anew, where that is worth a word
    unseen: Unseen = field(default_factory=Unseen)  # what could order threads out of our sight
    turns: int = 1  # processes that made threads one after the other
    counting_at: tuple[SourceSite, ...] = ()  # where one yielded that was kept waiting in a loop that only counts its rounds
    polling: tuple[tuple[SourceSite, Polling], ...] = ()  # loops that end only if the scheduler is fair, and where they are
    machine: str = ""  # of coverage machine: which accesses were seen, and which were not
    contradicted_at: tuple[SourceSite, ...] | None = None  # where a thread did something else than its causal past had told; None: none did
    told: bool = True  # instrumented code did something in the explored part of some execution
    weak: int = 0  # Trace.weak
    strong: str = ""  # what was completed in sequentially consistent memory, before this search of a weaker one
    doubtful: bool = False  # nothing was found but races that may be synchronisation, which could not be explored
    offered: Offered = NOTHING_OFFERED  # Trace.offered
    saved: bool = False  # the search can be gone on with (--resume)
    long_thread: int = 0  # of an execution that met the step limit: who was busy at its end
    long_at: tuple[SourceSite, ...] = ()  # and where
    blind: bool = False  # calls reached what threads may share, and were no steps; the assumptions name them
    interchanged: int = 0  # Trace.interchanged


def decide(search: SearchResult, findings: Sequence[Finding], argv: Sequence[str], settings: Settings, seen: Evidence) -> Verdict:
    """The verdict of a search that ran under control; `findings` were reproduced."""
    taken = assumptions(settings, seen.coverage, seen.inferred, seen.orders, seen.unseen.atomics, seen.weak, bool(search.counts.matched))
    taken = *taken, *_alternatives(search, settings, seen.offered)
    assumed = (*taken, *_trusted(settings, seen), *seen.assumed, *_counting(search, seen), *_contradicted(seen), *_polling(seen))

    def verdict(kind: VerdictKind, *parts: str, next: str = "", opening: str = "") -> Verdict:
        return Verdict(kind, "; ".join(parts), seen.coverage, assumed, next, opening)

    conditions = "; ".join(filter(None, (_conditions(seen.coverage, assumed, seen.machine), seen.reset)))
    if may_be_ordered(findings, seen.unseen, settings.races):
        strict = command_line([], to_arguments(replace(settings, races="strict")), argv)
        return verdict(VerdictKind.INCONCLUSIVE, in_doubt(findings[0], seen.unseen, argv[0]), _extent(search), conditions, next=strict)
    if findings and not any(finding.is_proved for finding in findings):
        further = command_line([], to_arguments(replace(settings, max_steps=settings.max_steps * MORE)), argv)
        return verdict(VerdictKind.INCONCLUSIVE, unproved(findings[0], settings), _extent(search), conditions, next=further)
    if seen.doubtful:
        return verdict(VerdictKind.INCONCLUSIVE, doubtful_race(findings[0]), _extent(search), conditions)
    if findings:
        return verdict(VerdictKind.BUG, _bug(findings), _extent(search), conditions)
    if search.uncontrolled is not None:
        each = command_line(["suite"], [], argv) if seen.turns > 1 and not settings.process else ""
        return verdict(VerdictKind.UNCONTROLLED, out_of_control(search.uncontrolled.trace.end, seen.stack, settings), next=each)
    level = search.strongest
    if search.exhausted and search.counts.passed and level is not None and _answered(search, settings):
        covered = _covered(search, level)
        if not seen.told and search.counts.threads > 1:
            orders = covered.replace(NONE.statement(), _ORDERS)
            if settings.gil == "off" or NO_GIL in seen.assumed:
                return verdict(VerdictKind.INCONCLUSIVE, f"{_NOBODY_TOLD}, and without the GIL that is what a test is about", conditions)
            return verdict(VerdictKind.PASS, orders, _shorter(conditions), opening=f"pass of the library calls only: {_NOBODY_TOLD}")
        if seen.blind:
            covered = covered.replace(NONE.statement(), _OF_WHAT_WAS_SEEN)
        if seen.coverage == "calls" and search.counts.threads > 1:  # one thread alone has nobody to be ordered with
            opening, more = pass_of_calls(seen.unseen, argv[0]), remedy(seen.unseen, argv[0])
            if seen.unseen.atomics and search.counts.distinct_traces == 1 and not search.counts.matched:
                machine = command_line([], to_arguments(replace(settings, machine_code="auto")), argv)
                patched = more if settings.machine_code != "off" or seen.unseen.told else machine
                return verdict(VerdictKind.INCONCLUSIVE, one_schedule(seen.unseen, argv[0]), conditions, next=patched)
            return verdict(VerdictKind.PASS, covered, _shorter(conditions), next=more, opening=opening)
        return verdict(VerdictKind.PASS, covered, conditions)
    if search.exhausted and not search.counts.passed and seen.suppressed:
        unsuppressed = next_command(search, argv, replace(settings, suppressions=None))
        return verdict(VerdictKind.INCONCLUSIVE, _nothing_behind(search, seen.suppressed), conditions, next=unsuppressed)
    if search.stop is SearchStop.EXHAUSTED and search.counts.assumed and not search.counts.complete:
        return verdict(VerdictKind.INCONCLUSIVE, _nothing_assumed(search.counts.executions), conditions)
    from bpor.report.why_stopped import is_helpless, why_stopped  # a pass does not need it

    why = why_stopped(search, settings, seen)
    following = "" if is_helpless(search, seen) else next_command(search, argv, settings, saved=seen.saved)
    before = [f"{seen.strong} in sequentially consistent memory"] if seen.strong else []
    return verdict(VerdictKind.INCONCLUSIVE, *before, _progress(level), why, conditions, next=following)


def _alternatives(search: SearchResult, settings: Settings, offered: Offered) -> list[str]:
    """Inputs that were tried, executions that were not counted, and what was let fail."""
    away, every = search.counts.assumed, search.exhausted and not search.failures
    return [
        *(["every value of bpor_choose"] if offered.inputs and every else []),
        *([f"{counted(away, 'execution')} assumed away"] if away else []),
        *injected_words(settings.faults, offered, every),
    ]


def unproved(finding: Finding, settings: Settings) -> str:
    """A round that looks like the one before as far as anybody looked."""
    round = finding.round
    assert round is not None
    how = f"alike except {', '.join(round.counters)}" if round.counters else f"states {round.nature}"
    return f"{finding.summary}: {how}, up to --max-steps {settings.max_steps}"


def _polling(seen: Evidence) -> list[str]:
    return list(dict.fromkeys(_polls(site, loop) for site, loop in seen.polling))


def _polls(site: SourceSite, loop: Polling) -> str:
    """An unfair round is never a bug and never silence."""
    where = f"`{site.function}`, {site}," if site.function and site.line else str(site)
    if loop.in_step:
        return f"{where} takes locks by std::lock, which backs off: it ends unless the scheduler keeps its threads in step for ever"
    if loop.guessed:
        return f"{where} goes round without yielding, and is taken to wait"
    return f"{where} polls {'and yields' if loop.yields else 'without yielding'}: it ends only if the scheduler is fair"


def _answered(search: SearchResult, settings: Settings) -> bool:
    """Every bound that was asked for; one within which nothing ends is part of the larger one that was completed."""
    return settings.bound is None or all(level.passed or level.vacuous for level in search.levels)


def _nothing_assumed(executions: int) -> str:
    return f"nothing was tested: {every_execution(executions)} {'were' if executions > 1 else 'was'} assumed away"


def _nothing_behind(search: SearchResult, suppressed: Mapping[str, int]) -> str:
    lines = ", ".join(f"`{line}`" for line in suppressed)
    return f"nothing was tested behind {lines}: {every_execution(search.counts.complete)} ended there"


def _shorter(conditions: str) -> str:
    """Without what the line of a pass of calls begins with."""
    return conditions.replace(f" and {_NO_ATOMICS}", "").replace(f" and {_NO_USE_OF_ATOMICS}", "")


def _trusted(settings: Settings, seen: Evidence) -> list[str]:
    """What the user said to leave aside, in options or in the program."""
    sealed = ", ".join(seen.sealed) or f"nothing that --seal {settings.seal} names"
    return [
        *(["no data races where annotations of the program excuse them"] if seen.excused else []),
        *([f"no preemption inside {sealed}"] if settings.seal is not None else []),
        *trust_words(settings.trust),
        *([_interchanged_words(seen.interchanged, settings.symmetry)] if settings.symmetry != OFF else []),
        *(["of looks in vain the last ones only, library functions in between leave nothing behind"] if settings.retries == "last" else []),
        *([f"process {settings.process} of {seen.turns} that make threads, the others in their first schedule"] if seen.turns > 1 else []),
        *(f"known bug {line}, {_ended(count)}" for line, count in seen.suppressed.items()),
    ]


def _interchanged_words(threads: int, symmetry: str) -> str:
    named = ", ".join(f"T{thread}" for thread in range(threads.bit_length()) if threads >> thread & 1)
    but = ", but for their arguments" if symmetry == "any" else ""
    return f"{named}, started alike{but}, taken as interchangeable" if named else "no threads that were started alike"


def out_of_control(end: End, stack: Sequence[SourceSite], settings: Settings) -> str:
    """Which call we refuse, or where the thread is that came to no scheduling point."""
    from bpor.report.names import in_source  # a pass does not need it

    where = f" at {in_source(stack).with_function}" if stack else ""
    if end.outcome is not Outcome.WATCHDOG:
        return f"{end.message or end.outcome.value}{where and f' ({where.strip()})'}"
    who = "a thread" if end.thread is None else f"T{end.thread}"
    limit = duration_text(settings.watchdog)
    return f"{who} runs or blocks out of our sight{where}: no scheduling point within --watchdog {limit}"


def _conditions(coverage: str, assumed: tuple[str, ...], machine: str = "") -> str:
    """`coverage calls: assumes no data races and no inline atomics; timeouts only when idle`."""
    memory = [text for text in assumed if text in (_NO_RACES, _NO_ATOMICS, _NO_USE_OF_ATOMICS)]
    rest = [text for text in assumed if text not in memory]
    more = f": sequentially consistent, {machine}" if coverage == "machine" else f": assumes {' and '.join(memory)}" if memory else ""
    return "; ".join([f"coverage {coverage}{more}", *rest])


def _bug(findings: Sequence[Finding]) -> str:
    first = findings[0]
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    switches = {0: "fails without any preemption", 1: "with 1 preemption"}.get(first.preemptions, f"with {first.preemptions} preemptions")
    return f"{first.summary}{more}; {switches if first.round is None else first.round.nature}"


def _extent(search: SearchResult) -> str:
    """Of a search that has seen every schedule, which of its trees came to the end first does not matter."""
    bounded = bool(search.levels) and not search.levels[-1].bound.is_none and not any(level.whole for level in search.levels)
    bound = f" within {search.levels[-1].bound}" if bounded else ""
    counts = search.counts
    if counts.matched or not counts.distinct_traces:
        return f"found in {counted(search.executions, 'execution')}{bound}"
    traces = f"{estimated(counts.distinct_traces, counts.traces_error)} trace{'s' * (counts.distinct_traces != 1)}"
    return f"found in {traces}{bound}"


def _covered(search: SearchResult, level: Level) -> str:
    if search.counts.threads <= 1:
        return "nothing to interleave: only one thread ever ran"
    run = [other.statement() for other in search.levels if other.every and other.passed and other is not level and not level.whole]
    return ", and ".join([*run, level.statement()])


def _progress(level: Level | None) -> str:
    if level is None:
        return "no bound was completed"
    statement = level.statement()
    counted = "all schedules with ≤ "
    return f"complete up to {statement.removeprefix(counted)}" if statement.startswith(counted) else f"complete: {statement}"


def _counting(search: SearchResult, seen: Evidence) -> list[str]:
    """What was taken for granted of a loop that counts its rounds, which a fair bound kept waiting (csrc/loops/circle.c)."""
    if not search.counts.counting_at:
        return []
    loop = f"the loop at {seen.counting_at[0].with_function}" if seen.counting_at else "a loop"
    return [f"{loop}, which went round {FAIR_ENOUGH // 2} times alone, only waits"]


def _contradicted(seen: Evidence) -> list[str]:
    """A search with known steps begins anew without them when an execution contradicts them; that shows something of the program."""
    if seen.contradicted_at is None:
        return []
    where = f" after {seen.contradicted_at[0].with_function}" if seen.contradicted_at else ""
    return [f"known steps given up: what a thread does{where} depends on more than its causal past (a data race, a clock or an address)"]


def _ended(executions: int) -> str:
    return f"which ended {counted(executions, 'execution')}" if executions else "behind which executions went on"
