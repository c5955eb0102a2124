"""Sampling: base of the searches that draw schedules and never finish. Each execution has its own draws, of (seed, number), so that any of
them repeats without those before it. Beside the program they are the same, in C (csrc/runtime/sample.c).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from bpor.model.executor import Executor
from bpor.model.exploration import Sample
from bpor.model.plan import Chooser, Plan
from bpor.model.trace import Trace
from bpor.protocol import wire
from bpor.search.bounds.bound import NONE
from bpor.search.coverage import Level
from bpor.search.engine.beside_samples import BesideSamples
from bpor.search.engine.history import History
from bpor.search.options import SearchOptions
from bpor.search.strategies.draws import Draws
from bpor.search.tally import Counts, Tally


class Sampling:
    exhausted = False
    kind = "BPOR_SAMPLE_NONE"  # what it is called in C

    def __init__(self, options: SearchOptions, seed: int) -> None:
        self.options = options
        self.tally = Tally(options.distinct_cap)
        self.longest = 16  # execution so far, in steps; before anything has run
        self._seed = seed
        self._beside: BesideSamples | None = None  # once it has begun, if that is where it is

    @abstractmethod
    def sample(self, draws: Draws) -> Chooser:
        """Who runs, in one execution."""

    def next_plan(self) -> Plan | None:
        if self.options.engine != "native":
            return Plan(max_steps=self.options.max_steps, chooser=self.sample(Draws(self._seed, self.tally.executions)))
        if self._beside is None:
            kind, number = wire.constant(self.kind), self.tally.executions
            sample = Sample(kind, self._seed, self.options.pct_depth, number, self.longest)
            self._beside = BesideSamples(sample, self.options, self.tally)
        return self._beside.next_plan()

    def learn(self, trace: Trace) -> None:
        if self._beside is not None:
            self._beside.learn(trace)
            self.longest = self._beside.longest
            return
        history = History()
        history.begin(trace.initial)
        for step in trace.steps:
            history.push(step)
            self.tally.states.add(history.event_hash)
        self.tally.ended(trace.end.outcome, history.trace_hashes[-1], len(trace.steps), trace)
        self.longest = max(self.longest, trace.length)

    @property
    def counts(self) -> Counts:
        return self.tally.counts()

    def levels(self) -> tuple[Level, ...]:
        return (Level(NONE, self.counts, finished=False, refused=0),)

    def save(self) -> dict[str, Any]:
        return {"tally": self.tally.save(), "longest": self.longest}

    def load(self, saved: dict[str, Any], executor: Executor) -> None:
        self.tally.load(saved["tally"])
        self.longest = saved["longest"]
