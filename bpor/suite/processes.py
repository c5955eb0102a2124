"""A program whose tests run in processes of their own, one after the other (libcheck, home-made runners): each becomes a case.

How many there are, a first look at the whole program tells. Invariant: a process that some case has seen has a case of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bpor.lazy_dataclass import replace
from bpor.report.checked import Checked
from bpor.suite.case import Case
from bpor.suite.scheduler import Scheduler

_MARK = ":process-"


def program_of(name: str) -> str:
    """The case of which this one is a process; else itself."""
    return re.sub(rf"{_MARK}\d+$", "", name)


def run_each(scheduler: Scheduler, cases: Sequence[Case]) -> Iterator[tuple[Case, Checked]]:
    """Every case with what came of it; one that is several processes comes as those."""
    waiting, by_name = list(cases), {case.name: case for case in cases}
    while waiting:
        results = scheduler.run(waiting)
        waiting = []
        for tested in results:
            case = by_name[tested.name]
            more = _not_yet(case, tested, by_name)
            by_name |= {one.name: one for one in more}
            waiting += more
            if not more or case.settings.process:
                yield case, tested


def _not_yet(case: Case, tested: Checked, known: dict[str, Case]) -> list[Case]:
    """The processes of its program that have no case."""
    turns = tested.result.turns
    if turns < 2 or tested.result.findings or tested.expected == "uncontrolled":
        return []
    base = program_of(case.name)
    cases = [
        replace(case, name=f"{base}{_MARK}{number}", settings=replace(case.settings, process=number)) for number in range(1, turns + 1)
    ]
    return [one for one in cases if one.name not in known]
