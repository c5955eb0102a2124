"""The default search: unbounded reduction and growing preemption bounds take turns, execution by execution.

Bugs with few preemptions come first, and if the unbounded tree turns out to be small it is finished and says everything. The fair
bound excludes finite schedules (erratum E25), so it is switched on only once an execution has reached the step limit; then both searches
begin again within fair:2, and when the unbounded one is finished the fair bound is doubled, while it still refuses somebody.
Invariant: a level that was ever finished stays in levels(); the statement is the strongest of them.
"""

from __future__ import annotations

from bpor.model.plan import Plan
from bpor.model.trace import Outcome, Trace
from bpor.search.bounds.bound import Bound
from bpor.search.bounds.rules import rule_for
from bpor.search.coverage import Level
from bpor.search.engine.tree import Tree
from bpor.search.options import SearchOptions
from bpor.search.tally import Counts, Tally


class Widening:
    def __init__(self, options: SearchOptions) -> None:
        self.total = Tally(options.distinct_cap)
        self.exhausted = False
        self._options = options
        self._past: list[Level] = []
        self._begin(None)

    def _begin(self, fair: int | None) -> None:
        self._fair = fair
        self._whole = self._tree(Bound.of(fair=fair))
        self._step = self._tree(Bound.of(preemption=0, fair=fair))
        self._preemptions = 0
        self._turn = self._step
        self._spent_on_steps = 0  # executions of all preemption levels since the fair bound last changed

    def _tree(self, bound: Bound) -> Tree:
        return Tree(bound, rule_for(bound), self._options, self.total)

    def next_plan(self) -> Plan | None:
        while not self.exhausted:
            bounded = self._spent_on_steps <= self._whole.tally.executions
            self._turn = self._step if bounded else self._whole
            plan = self._turn.next_plan()
            if plan is not None:
                return plan
            if bounded:
                self._finish_step()
            else:
                self._finish_whole()
        return None

    def learn(self, trace: Trace) -> None:
        self._turn.learn(trace)
        if self._turn is self._step:
            self._spent_on_steps += 1
        if trace.end.outcome is Outcome.STEP_LIMIT and self._fair is None:
            self._past += [self._step.level(), self._whole.level()]
            self._begin(self._options.fair_start)

    def _finish_step(self) -> None:
        level = self._step.level()
        self._past.append(level)
        if level.whole:
            self.exhausted = True
            return
        self._preemptions += 1
        self._step = self._tree(Bound.of(self._preemptions, self._fair))

    def _finish_whole(self) -> None:
        """Nothing is left without a preemption bound. A larger fair bound shows more, unless the step limit is what cut it."""
        level = self._whole.level()
        self._past.append(level)
        ceiling = self._options.fair_ceiling
        larger = None if self._fair is None else self._fair * 2
        if level.whole or not level.complete or larger is None or (ceiling is not None and larger > ceiling):
            self.exhausted = True
            return
        self._begin(larger)

    @property
    def counts(self) -> Counts:
        return self.total.counts()

    def levels(self) -> tuple[Level, ...]:
        return tuple(self._past) if self.exhausted else (*self._past, self._step.level(), self._whole.level())
