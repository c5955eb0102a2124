"""Sampling: base of the searches that draw schedules and never finish. Each execution has its own generator, seeded by (seed, number),
so that any of them repeats without those before it.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from typing import Any

from bpor.model.executor import Executor
from bpor.model.plan import Chooser, Plan
from bpor.model.trace import Trace
from bpor.search.bounds.bound import NONE
from bpor.search.coverage import Level
from bpor.search.engine.history import History
from bpor.search.options import SearchOptions
from bpor.search.tally import Counts, Tally


class Sampling:
    exhausted = False

    def __init__(self, options: SearchOptions, seed: int) -> None:
        self.options = options
        self.tally = Tally(options.distinct_cap)
        self._seed = seed

    @abstractmethod
    def sample(self, generator: random.Random) -> Chooser:
        """Who runs, in one execution."""

    def next_plan(self) -> Plan | None:
        generator = random.Random(f"{self._seed}/{self.tally.executions}")
        return Plan(max_steps=self.options.max_steps, chooser=self.sample(generator))

    def learn(self, trace: Trace) -> None:
        history = History()
        history.begin(trace.initial)
        for step in trace.steps:
            history.push(step)
            self.tally.states.add(history.event_hash)
        self.tally.ended(trace.end.outcome, history.trace_hashes[-1], len(trace.steps), trace)

    @property
    def counts(self) -> Counts:
        return self.tally.counts()

    def levels(self) -> tuple[Level, ...]:
        return (Level(NONE, self.counts, finished=False, refused=0),)

    def save(self) -> dict[str, Any]:
        return {"tally": self.tally.save()}

    def load(self, saved: dict[str, Any], executor: Executor) -> None:
        self.tally.load(saved["tally"])
