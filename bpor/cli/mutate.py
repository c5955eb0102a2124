"""The verb mutate: which synchronisation of a program does no schedule miss when it is gone?"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from bpor import api
from bpor.cli.arguments import Command
from bpor.errors import UsageError
from bpor.mutate.mutants import Fate, mutants_of, try_mutants
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
    fates: Counter[Fate] = Counter()
    for tried in try_mutants(mutants_of(argv, settings), argv, settings, share):
        fates[tried.fate] += 1
        print(tried, flush=True)
    print("mutate: " + ", ".join(f"{fates[fate]} {fate.value}" for fate in Fate) + f"; {_limits(original.verdict.coverage)}")
    return next((code for fate, code in EXIT_CODES.items() if fates[fate]), 0)


def _limits(coverage: str) -> str:
    """What an unnoticed one may mean beside a missing test."""
    unseen = {"calls": "accesses of memory are not seen, so a lock that only guards data is missed: build with `bpor-native cc`"}
    return f"coverage {coverage}: {unseen.get(coverage, 'memory is seen')}; fences are not tried: executions are sequentially consistent"


def _shares(settings: Settings) -> Callable[[int], float | None]:
    """--max-time is for all of it."""
    deadline = math.inf if settings.max_time is None else time.monotonic() + settings.max_time

    def share(left: int) -> float | None:
        seconds = share_of(deadline - time.monotonic(), left, 1)
        return None if math.isinf(seconds) else max(seconds, 0.001)

    return share
