"""The command to type next after a search that did not finish: the same question with more room, or a question that can be answered."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from bpor.lazy_dataclass import replace
from bpor.model.schedule import Schedule
from bpor.search.bounds import parse_bound
from bpor.search.bounds.bound import Bound, BoundKind, Term
from bpor.search.budget import SearchStop
from bpor.search.options import FAIR_ENOUGH
from bpor.search.result import SearchResult
from bpor.settings import Settings, to_arguments

MORE = 4  # enough to tell whether it converges


def command_line(verb: Sequence[str], arguments: Sequence[str], argv: Sequence[str]) -> str:
    """One line a shell takes as it is. The `--` keeps the program's own options its own."""
    return shlex.join(["bpor-native", *verb, *arguments, "--", *argv])


def replay_command(schedule: Schedule, argv: Sequence[str], settings: Settings) -> str:
    return command_line(["replay", str(schedule)], to_arguments(settings, semantic=True), argv)


def next_command(search: SearchResult, argv: Sequence[str], settings: Settings, *, saved: bool = False) -> str:
    """`saved`: what was searched is kept, so a search that only ran out of room need not begin again."""
    following = widened(search, settings)
    goes_on = (
        saved and search.stop in (SearchStop.MAX_TIME, SearchStop.MAX_EXECUTIONS, SearchStop.INTERRUPTED) and not search.counts.matched
    )
    workers = following.workers if following.cluster is None else 1  # which a cluster has as many of as it has
    return command_line([], to_arguments(replace(following, resume=following.resume or goes_on, workers=workers)), argv)


def widened(search: SearchResult, settings: Settings) -> Settings:
    """What to ask next."""
    match search.stop:
        case SearchStop.MAX_TIME if settings.max_time is not None:
            return replace(settings, max_time=settings.max_time * MORE)
        case SearchStop.MAX_EXECUTIONS if settings.max_executions is not None:
            return replace(settings, max_executions=settings.max_executions * MORE)
        case SearchStop.INTERRUPTED:
            return settings
    if settings.bound is not None and search.levels and all(level.vacuous for level in search.levels):
        return replace(settings, bound=str(_larger(parse_bound(settings.bound))))
    if lossy := [level.bound for level in search.levels if level.counts.lost]:
        return replace(settings, bound=str(_fairer(lossy[-1] if settings.bound is None else parse_bound(settings.bound))))
    if search.starvation is not None:
        return replace(settings, bound=_fair(settings.bound))
    if any(level.counts.cut for level in search.levels):
        return replace(settings, max_steps=settings.max_steps * MORE)
    return replace(settings, search=None, bound=settings.bound or "preemption:2")  # a search by chance: ask systematically


def _larger(bound: Bound) -> Bound:
    return Bound(tuple(Term(term.kind, max(term.high, 1) * MORE, max(term.high, 1) * MORE) for term in bound.terms))


def _fairer(bound: Bound) -> Bound:
    """Threads may yield more often before they are kept waiting: so often that a loop which only counts its rounds shows it."""
    most = max((bound.value_fair or 0) * MORE, FAIR_ENOUGH)
    return Bound(tuple(Term(term.kind, most, most) if term.kind is BoundKind.FAIR else term for term in bound.terms))


def _fair(bound: str | None) -> str:
    """The same bound with the fair one, which keeps a spinning thread from starving the one that would end it."""
    if bound is None or bound == "none":
        return "fair:2"
    return bound if "fair:" in bound else f"fair:2,{bound}"
