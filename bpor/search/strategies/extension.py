"""extension: first every schedule with at most one preemption, without any reduction; then bounded partial-order reduction.

Reduction takes steps that touch nothing in common for independent, and is as good as what is visible. Of a Python extension not everything
is: state inside the interpreter's own objects may be changed by calls that nobody sees. So the small bound is searched without it. The fair
bound excludes finite schedules (erratum E25), so there it waits until an execution has reached the step limit, as in the default search.
"""

from __future__ import annotations

from bpor.lazy_dataclass import replace
from bpor.model.trace import Outcome, Trace
from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.bounds.rules import rule_for
from bpor.search.bounds.runahead import Everything
from bpor.search.coverage import Level
from bpor.search.engine.beside_tree import AnyTree, plant
from bpor.search.engine.rule import Rule
from bpor.search.options import SearchOptions
from bpor.search.strategies.ladder import Ladder
from bpor.search.tally import Tally

DEFAULT = "fair:2,preemption:2"


class Extension(Ladder):
    def __init__(self, bound: Bound, options: SearchOptions) -> None:
        preemptions = bound.value(BoundKind.PREEMPTION)
        self._first = Bound.of(1 if preemptions is None else min(1, preemptions))
        reduced = () if self._first == bound else bound.levels()
        super().__init__((self._first, *reduced), self._rule, options, self._plant)

    def _plant(self, level: Bound, rule: Rule, options: SearchOptions, total: Tally) -> AnyTree:
        """What an execution has shown is known as far as footprints tell all: where they are not trusted every schedule is run."""
        return plant(level, rule, replace(options, known_steps=False) if level is self._first else options, total)

    def _rule(self, level: Bound) -> Rule:
        return Everything(level.value(BoundKind.PREEMPTION), level.value_fair) if level is self._first else rule_for(level)

    def learn(self, trace: Trace) -> None:
        super().learn(trace)
        spins = trace.end.outcome is Outcome.STEP_LIMIT
        if spins and not self._finished and self._first.value_fair is None:
            self._first = Bound.of(self._first.value(BoundKind.PREEMPTION), self._options.fair_start)
            self._tree = self._tree_for(self._first, self._rule(self._first), self._options, self.total)

    def levels(self) -> tuple[Level, ...]:
        first, *rest = super().levels()
        return replace(first, every=True), *rest


def extension(bound: Bound, options: SearchOptions, seed: int) -> Extension:
    return Extension(bound, options)
