"""The few steps that matter: which ones a reader needs to see, the rest is folded.

Invariant: the last steps with a preemption before them, every step that took a lock held at the end and the last step of every thread
stay, however long the execution was.
"""

from __future__ import annotations

from itertools import groupby

from bpor.protocol.ops import Op
from bpor.report.finding import Finding, FindingKind, ObjectName, Round, SourceStep

SHORT = 24  # steps; shown whole
_ROWS = 32  # about as many rows as a screen holds
_PREEMPTIONS = 12  # the last ones; a livelock has thousands
_TAIL = 6  # steps before the end that are shown in any case
_LIBRARY = ("std::", "core::", "alloc::", "__")  # namespaces of static variables that are not the program's
_PERIODS = (1, 2)  # steps of one round of a loop that waits
_SETTING_UP = frozenset({Op.MUTEX_INIT, Op.COND_INIT, Op.SEM_INIT, Op.DETACH})


def select(finding: Finding) -> frozenset[int]:
    """Positions in `finding.steps`."""
    steps = finding.steps
    if len(steps) <= SHORT:
        chosen = set(range(len(steps))) - _long_creations(finding) - _setting_up(finding)
    else:
        chosen = _needed(finding)
        if finding.kind is not FindingKind.LIVELOCK:  # going round and round, its last steps are as good as any
            _add_about_the_end(finding, chosen)
    # A line that says that one step is left out is no shorter than the step.
    edges = chosen | {-1, len(steps)}
    return frozenset(chosen | {position for position in range(len(steps)) if position - 1 in edges and position + 1 in edges})


def _add_about_the_end(finding: Finding, chosen: set[int]) -> None:
    """Latest first, the steps on the objects that the end is about, and the creations of threads, as long as the screen has room."""
    wanted, rounds = _objects_of_the_end(finding), _rounds(finding.steps)
    for position in reversed(range(len(finding.steps))):
        if len(chosen) >= _ROWS:
            break
        step = finding.steps[position]
        if step.op not in _SETTING_UP and position not in rounds and (wanted.intersection(step.objects) or step.op is Op.SPAWN):
            chosen.add(position)


def _rounds(steps: tuple[SourceStep, ...]) -> set[int]:
    """The inside of a loop that waits (a read, or a read and a yield, over and over): its first and its last round tell enough."""
    looks = [(step.thread, step.op, step.objects, step.value, step.site, step.failed) for step in steps]
    return {
        position
        for period in _PERIODS
        for position in range(period, len(looks) - period)
        if looks[position - period] == looks[position] == looks[position + period] and steps[position].preempted is None
    }


def _setting_up(finding: Finding) -> set[int]:
    """Initialisations, unless they may be what is wrong."""
    if finding.kind is FindingKind.MISUSE:
        return set()
    return {position for position, step in enumerate(finding.steps) if step.op in _SETTING_UP and step.preempted is None}


def _long_creations(finding: Finding) -> set[int]:
    """The inside of a loop that creates threads: its first and last round tell enough."""
    inside: set[int] = set()
    for creator, run in groupby(enumerate(finding.steps), key=lambda item: item[1].thread if item[1].op is Op.SPAWN else None):
        positions = [position for position, step in run if step.preempted is None]
        if creator is not None and len(positions) > 4:
            inside.update(positions[1:-1])
    return inside


def _of_lasso(finding: Finding, round: Round) -> set[int]:
    """The round, as much of it as a screen holds, the creations of threads, and the last steps before it."""
    shown = set(range(max(round.start - _TAIL, 0), min(round.start + max(round.length, 1), round.start + _ROWS)))
    return shown | {position for position, step in enumerate(finding.steps[: round.start]) if step.op is Op.SPAWN}


def _needed(finding: Finding) -> set[int]:
    steps = finding.steps
    if finding.round is not None:
        return _of_lasso(finding, finding.round)
    tail = _TAIL if finding.kind is not FindingKind.LIVELOCK else SHORT // 2
    chosen = set(_last_of_the_program(steps, tail)) | {len(steps) - 1}
    preemptions = [position for position, step in enumerate(steps) if step.preempted is not None]
    for position in preemptions[-_PREEMPTIONS:]:
        chosen.update((position - 1, position))
    chosen.update([position for position, step in enumerate(steps) if step.alternative][-_PREEMPTIONS:])
    last = {step.thread: position for position, step in enumerate(steps)}
    chosen.update(last.values())
    taken = {lock.step.index for thread in finding.threads for lock in thread.held if lock.step is not None}
    chosen.update(position for position, step in enumerate(steps) if step.index in taken)
    return chosen


def _last_of_the_program(steps: tuple[SourceStep, ...], count: int) -> list[int]:
    """The last steps of the program's own lines that matter to another thread: a test framework's report and a library's clean-up come
    after them. Without any, the last ones."""
    users: dict[ObjectName, set[int]] = {}
    for step in steps:
        for name in step.objects:
            users.setdefault(name, set()).add(step.thread)
    mine = [position for position, step in enumerate(steps) if step.site is not None and step.site.line and not step.site.inside]
    met = {name for name, threads in users.items() if len(threads) > 1 and _is_the_programs(name)}
    rounds = _rounds(steps)
    shared = [p for p in mine if p not in rounds and (steps[p].op in (Op.SPAWN, Op.JOIN) or met.intersection(steps[p].objects))]
    return (shared or mine)[-count:] or list(range(max(len(steps) - count, 0), len(steps)))


def _objects_of_the_end(finding: Finding) -> set[ObjectName]:
    """What blocked threads wait for and hold; otherwise what the failing thread touched last that another thread touched, too."""
    blocked = [thread for thread in finding.threads if thread.blocked]
    objects = {name for thread in blocked for name in (*thread.objects, *(lock.object for lock in thread.held))}
    mine = [step for step in finding.steps if step.thread == finding.thread]
    return objects or _shared_with_others(mine, finding.steps)


def _shared_with_others(mine: list[SourceStep], steps: tuple[SourceStep, ...]) -> set[ObjectName]:
    others = {name for step in steps if mine and step.thread != mine[0].thread for name in step.objects}
    others = {name for name in others if _is_the_programs(name)} or others
    shared: set[ObjectName] = set()
    for step in reversed(mine):
        shared.update(others.intersection(step.objects))
        if len(shared) >= 3:
            break
    return shared


def _is_the_programs(name: ObjectName) -> bool:
    """Not a library's own: a static variable of its namespace, or a block that no line of the program allocated."""
    return not name.name.startswith(_LIBRARY) and not name.origin.startswith("on the heap")
