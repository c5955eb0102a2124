"""The verb mutate: which synchronisation of a program can be removed without any schedule failing?"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from bpor import api
from bpor.cli.arguments import Command
from bpor.errors import UsageError
from bpor.lazy_dataclass import replace
from bpor.mutate.mutants import Fate, Tried, mutants_of, try_mutants
from bpor.mutate.orders import Uses, Weakened, try_weaker
from bpor.report.verdict import VerdictKind
from bpor.settings import Settings
from bpor.suite.scheduler import share_of

EXIT_CODES = {Fate.UNNOTICED: 1, Fate.UNCLEAR: 3}


def mutate(command: Command) -> int:
    argv, settings = command.program, replace(command.settings, state="none")
    if not argv:
        raise UsageError("no program given: bpor-native mutate PROGRAM [arguments]")
    share = _shares(settings)
    original = api.check(argv, replace(settings, max_time=share(2)))
    if original.verdict.kind is not VerdictKind.PASS:
        print(original.verdict.statement)
        raise UsageError("the program must pass before its mutants mean anything: see its verdict above")
    if settings.orders and original.verdict.coverage != "memory":
        raise UsageError(f"--orders needs every module to be built with `bpor-native cc`, and coverage is {original.verdict.coverage}")
    fates: Counter[Fate] = Counter()
    for tried in _tried(argv, settings, share):
        fates[tried.fate] += 1
        print(tried, flush=True)
    limits = _ORDER_LIMITS if settings.orders else _limits(original.verdict.coverage)
    print("mutate: " + ", ".join(f"{fates[fate]} {fate.value}" for fate in Fate) + f"; {limits}")
    return next((code for fate, code in EXIT_CODES.items() if fates[fate]), 0)


def _tried(argv: Sequence[str], settings: Settings, share: Callable[[int], float | None]) -> Iterator[Tried | Weakened]:
    if settings.orders:
        return try_weaker(Uses(argv, settings), argv, settings, share)
    return try_mutants(mutants_of(argv, settings), argv, settings, share)


_ORDER_LIMITS = "each alone, in memory of C11 without load buffering; an order that is not missed is not needed, or no test checks it"


def _limits(coverage: str) -> str:
    """What an unnoticed one may mean beside a missing test."""
    unseen = {"calls": "accesses of memory are not seen, so a lock that only guards data is missed: build with `bpor-native cc`"}
    return f"coverage {coverage}: {unseen.get(coverage, 'memory is seen')}; --orders tries memory orders and fences"


def _shares(settings: Settings) -> Callable[[int], float | None]:
    """--max-time is for all of it."""
    deadline = math.inf if settings.max_time is None else time.monotonic() + settings.max_time

    def share(left: int) -> float | None:
        seconds = share_of(deadline - time.monotonic(), left, 1)
        return None if math.isinf(seconds) else max(seconds, 0.001)

    return share
