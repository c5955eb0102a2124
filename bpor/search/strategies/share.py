"""Share: the part of a large search that is drawn (pct), not searched for.

A search goes through the orders of the last steps first, so a bug that needs the first steps in another order comes late in a wide program,
or never; drawing finds it with a probability that does not depend on where it lies (Burckhardt et al., ASPLOS 2010). Invariant: what was
drawn is part of no statement, and a search that ends before `AFTER` executions draws nothing.
"""

from __future__ import annotations

from typing import Any

from bpor.lazy_dataclass import replace
from bpor.model.exploration import Sample
from bpor.model.plan import Plan
from bpor.model.trace import Outcome, Trace
from bpor.protocol import wire
from bpor.search.options import SearchOptions
from bpor.search.strategies.draws import Draws
from bpor.search.strategies.pct import Pct
from bpor.search.tally import Counts

AFTER = 4_096  # executions of the search
EVERY = 16  # one is drawn for so many of the search's, ...
ROW = 16  # ... and no more of them between two batches of it, in which an execution costs a twentieth of one that is drawn


class Share:
    def __init__(self, options: SearchOptions) -> None:
        self._pct = Pct(replace(options, engine="python"), 0)
        self._native = options.engine == "native"
        self._drawn = self._passed = self._cut = self._steps = 0
        self._waits = False  # an execution is being run
        self._row, self._seen = 0, -1  # how many were drawn since the search had so many executions

    def is_due(self, executions: int) -> bool:
        """After so many of the search's own. One that does not end ends this: the search has better means against it."""
        if executions != self._seen:
            self._row, self._seen = 0, executions
        return not self._cut and self._row < ROW and executions >= AFTER + EVERY * self._drawn

    def plan(self) -> Plan:
        options, self._waits = self._pct.options, True
        if not self._native:
            return Plan(max_steps=options.max_steps, chooser=self._pct.sample(Draws(0, self._drawn)))
        return Plan(
            max_steps=options.max_steps,
            sample=Sample(wire.constant("BPOR_SAMPLE_PCT"), 0, options.pct_depth, self._drawn, self._pct.longest),
        )

    def takes(self, trace: Trace) -> bool:
        """Was it one of these? Then it is counted."""
        waited, self._waits = self._waits, False
        if not waited:
            return False
        outcome = trace.end.outcome
        self._drawn += 1
        self._row += 1
        self._steps += len(trace.steps)
        self._passed += outcome is Outcome.PASSED
        self._cut += not outcome.is_complete
        self._pct.longest = max(self._pct.longest, trace.length)
        return True

    def with_drawn(self, counts: Counts) -> Counts:
        return replace(
            counts,
            executions=counts.executions + self._drawn,
            steps=counts.steps + self._steps,
            made=counts.made + self._steps,
            passed=counts.passed + self._passed,
            cut=counts.cut + self._cut,
        )

    def save(self) -> dict[str, Any]:
        return {"drawn": [self._drawn, self._passed, self._cut, self._steps], "longest": self._pct.longest}

    def load(self, saved: dict[str, Any]) -> None:
        self._drawn, self._passed, self._cut, self._steps = saved["drawn"]
        self._pct.longest = saved["longest"]
