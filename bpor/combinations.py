"""Which options go with which searches: what was not shown to be right together is refused, because it was asked for by name.

Loaded only where such an option is given.
"""

from __future__ import annotations

from bpor.errors import UsageError
from bpor.search.bounds import parse_bound
from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.options import ALL, AUTO, OFF
from bpor.search.registry import TRYING
from bpor.settings import STRONG, Settings


def refuse_combinations(settings: Settings, bound: Bound | None, match: str, engine: str) -> None:
    if settings.match not in (OFF, AUTO):
        _check_match(settings, bound)
    _refuse_weak(settings, bound)
    if settings.symmetry != OFF:
        _check_symmetry(settings, bound)
    if settings.retries != ALL:
        _check_retries(settings, bound, engine)
    if settings.faults:
        refuse_alternatives(settings, match, "--faults")
    _refuse_unknown_steps(settings)


def refuse_alternatives(settings: Settings, match: str, what: str) -> None:
    """What would speak for alternatives that it does not try."""
    if settings.search not in TRYING:
        raise UsageError(f"--search {settings.search} does not go with {what}: it would try one alternative of each step only")
    if match != OFF:
        raise UsageError(f"--match={match} does not go with {what}")
    if settings.symmetry != OFF:
        raise UsageError(f"--symmetry does not go with {what}")


def is_optimal_within_a_bound(settings: Settings) -> bool:
    optimal = (settings.search or "").partition(":")[0] == "optimal"
    return optimal and settings.bound is not None and not parse_bound(settings.bound).is_none


def _refuse_unknown_steps(settings: Settings) -> None:
    """Without them it would be bpor, and say that it is not."""
    wrong = {"--no-known-steps": not settings.known_steps, "--trust": bool(settings.trust)}
    option = next((option for option, given in wrong.items() if given), "")
    if option and is_optimal_within_a_bound(settings):
        raise UsageError(f"--search optimal within a bound does not go with {option}: it executes each trace once because steps are known")


def _check_match(settings: Settings, bound: Bound | None) -> None:
    """Refuses what does not go with states that are recognised, because it was asked for by name."""
    other = settings.seal is not None or settings.outcomes or settings.resume or settings.workers > 1
    if (
        other
        or settings.search not in (None, "bpor", "dpor")
        or (bound is not None and bound.kinds - {BoundKind.PREEMPTION, BoundKind.FAIR})
    ):
        message = "goes with bpor and dpor alone, within no bound or preemption and fair ones, without --seal, --outcomes, --resume and -j"
        raise UsageError(f"--match={settings.match} {message}")


def _check_symmetry(settings: Settings, bound: Bound | None) -> None:
    """Refuses what was not shown to lose nothing beside threads that are held back (docs/algorithm.md, section 8)."""
    wrong = {
        f"--search {settings.search}": settings.search not in (None, "bpor", "dpor"),
        f"--bound {settings.bound}": bound is not None and bool(bound.kinds - {BoundKind.PREEMPTION}),
        f"--match={settings.match}": settings.match not in (OFF, AUTO),
        "--seal": settings.seal is not None,
        "--trust": bool(settings.trust),
        "--outcomes": settings.outcomes,
        "--cluster": settings.cluster is not None,
    }
    other = next((option for option, given in wrong.items() if given), "")
    if other:
        raise UsageError(f"--symmetry does not go with {other}")


def _check_retries(settings: Settings, bound: Bound | None, engine: str) -> None:
    """Refuses what was not shown to lose nothing beside threads that go no further (docs/algorithm.md, section 8)."""
    wrong = {
        f"--search {settings.search}": settings.search not in (None, "bpor", "dpor"),
        f"--bound {settings.bound or 'that grows by itself (give --bound none)'}": bound is None or not bound.is_none,
        f"--match={settings.match}": settings.match not in (OFF, AUTO),
        f"--engine={engine}": engine != "native",
        f"-j {settings.workers}": settings.workers > 1,
        "--symmetry": settings.symmetry != OFF,
        "--faults": bool(settings.faults),
        "--seal": settings.seal is not None,
        "--trust": bool(settings.trust),
        "--outcomes": settings.outcomes,
        "--resume": settings.resume,
        "--cluster": settings.cluster is not None,
    }
    other = next((option for option, given in wrong.items() if given), "")
    if other:
        raise UsageError(f"--retries=last does not go with {other}")


def _refuse_weak(settings: Settings, bound: Bound | None) -> None:
    """What weak memory does not go with yet."""
    if settings.memory in STRONG:
        if bound is not None and BoundKind.STALE in bound.kinds:
            raise UsageError("--bound stale:N counts the old values that --memory tso or c11 lets loads see: give one of them")
        return
    if other := against_weak(settings):
        raise UsageError(f"--memory {settings.memory} does not go with {other}")


def against_weak(settings: Settings) -> str:
    """An option that memory weaker than sequential consistency does not go with; empty: there is none."""
    wrong = {
        "--races=off": settings.races == "off",
        f"--search {settings.search}": settings.search not in (None, "bpor", "dpor", "dfs"),
        f"--match={settings.match}": settings.match not in (OFF, AUTO),
        "--symmetry": settings.symmetry != OFF,
        "--retries": settings.retries != ALL,
    }
    return next((option for option, given in wrong.items() if given), "")
