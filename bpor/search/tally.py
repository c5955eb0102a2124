"""Tally counts executions by how they ended; Counts is what it says at one moment, a value.

Invariant: distinct_traces counts executions that ended by themselves, never redundant, over-bound or cut ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bpor.lazy_dataclass import dataclass, field, replace
from bpor.model.exploration import Told
from bpor.model.trace import Outcome, Trace
from bpor.search.distinct import Distinct, united


@dataclass(frozen=True, slots=True)
class Counts:
    executions: int = 0
    redundant: int = 0  # every enabled thread slept: equivalent to an execution that was run
    over_bound: int = 0  # nobody who was awake could go on within the bound: not an execution of the bound
    cut: int = 0  # by a step or output limit, by a kill, by a stop
    steps: int = 0  # steps that were new, without replayed prefixes ...
    made: int = field(default=0, compare=False)  # ... and with them, in this process: what is resumed does not tell
    distinct_traces: int = 0
    local_states: int = 0
    traces_estimated: bool = False
    states_estimated: bool = False
    traces_error: float = 0.0  # of an estimate: two standard deviations, as a part of it
    states_error: float = 0.0
    threads: int = 0  # the most that any execution created
    asked: int = 0  # beside those, executions that only told the search what a thread does in some state: no trace comes of them
    refused_states: int = 0  # as the runtime counted them: states in which the bound kept an enabled thread from running
    lost: int = 0  # of these, where the fair bound kept one from running that got on with something: schedules were lost
    lost_at: int = 0  # call site of the first yield after which one waited
    counting_at: int = 0  # likewise, of one in a loop that only counts its rounds, which is taken for waiting
    passed: int = 0  # executions that ended by themselves and without a bug
    walked: int = 0  # runs of the search that needed no execution: all their steps were known, and none of them is counted elsewhere
    checked: int = 0  # executions whose steps were known too: spot checks
    assumed: int = 0  # an assumption of the test did not hold in them: they say nothing
    matched: int = 0  # ended at a state whose future was known; `distinct_traces` means nothing if there are any

    @property
    def complete(self) -> int:
        """Executions that ended by themselves and were not assumed away."""
        return self.executions - self.redundant - self.over_bound - self.cut - self.matched - self.assumed

    @property
    def repeated(self) -> int:
        """Of these, those of a trace that another execution had shown: how many depends on the order of executions, and so on the number
        of workers. Distinct traces do not."""
        return max(self.complete - self.distinct_traces, 0) if self.distinct_traces and not self.matched else 0


class Tally:
    def __init__(self, cap: int) -> None:
        self._ended: dict[Outcome, int] = {}
        self._steps = self._made = 0
        self._threads = 0
        self._refused = 0
        self._lost = self._lost_at = self._counting_at = 0
        self._walked = self._checked = 0
        self.executions = 0
        self.asked = 0
        self.traces: Distinct = Distinct(cap)
        self.states: Distinct = Distinct(cap)
        self._cap = cap
        self._loaded = Told()  # what an earlier process had counted

    def ended(self, outcome: Outcome, trace_hash: int | None, steps: int, trace: Trace) -> None:
        """One execution is over. `trace_hash` None: a search that does not identify traces. What a bound did to it says `trace`, so that
        no search can forget to count it."""
        self.executions += 1
        self._ended[outcome] = self._ended.get(outcome, 0) + 1
        self._steps += steps
        self._made += trace.length
        self._threads = max(self._threads, trace.threads)
        self._refused += trace.refused_by_bound
        self._lost, self._lost_at = self._lost + trace.lost, self._lost_at or trace.lost_at
        self._counting_at = self._counting_at or trace.counting_at
        if trace_hash is not None and outcome.is_complete and outcome is not Outcome.ASSUMED:
            self.traces.add(trace_hash)

    def stopped_on_the_way(self, steps: int) -> None:
        """An execution that the search stopped to look where it goes, and goes on with in another."""
        self.asked += 1
        self._steps += steps

    def refused_states(self, count: int) -> None:
        """Of a search that looks for itself in which states the bound refused somebody."""
        self._refused += count

    @property
    def made(self) -> int:
        """Steps, with those of replayed prefixes."""
        return self._made

    @property
    def loaded(self) -> int:
        """Executions of an earlier process."""
        return self._loaded.executions

    def tell(self, counted: Sequence[Told]) -> None:
        """Others counted, and count on: this is what there is by now, beside what was loaded."""
        parts = [*([self._loaded] if self.loaded else []), *counted]
        self.executions = sum(part.executions for part in parts)
        self._steps, self._made = sum(part.steps for part in parts), sum(part.made for part in parts)
        self._refused = sum(part.refused for part in parts)
        self._lost = sum(part.lost for part in parts)
        self._lost_at = next((part.lost_at for part in parts if part.lost_at), 0)
        self._counting_at = next((part.counting_at for part in parts if part.counting_at), 0)
        self._walked, self._checked = sum(part.walked for part in parts), sum(part.checked for part in parts)
        self.asked = sum(part.asked for part in parts)
        self._threads = max(part.threads for part in parts)
        self._ended = {}
        for part in parts:
            for outcome, count in part.ended.items():
                self._ended[outcome] = self._ended.get(outcome, 0) + count
        self.traces = united([part.traces for part in parts], self._cap)
        self.states = united([part.states for part in parts], self._cap // 8)

    @property
    def cut(self) -> int:
        proper = sum(count for outcome, count in self._ended.items() if outcome.is_complete)
        return self.executions - proper - sum(map(self._count, (Outcome.REDUNDANT, Outcome.OVER_BOUND, Outcome.MATCHED)))

    def counts(self) -> Counts:
        return Counts(
            executions=self.executions,
            redundant=self._count(Outcome.REDUNDANT),
            over_bound=self._count(Outcome.OVER_BOUND),
            cut=self.cut,
            steps=self._steps,
            made=self._made,
            distinct_traces=self.traces.count,
            local_states=self.states.count,
            traces_estimated=self.traces.estimated,
            states_estimated=self.states.estimated,
            traces_error=self.traces.error,
            states_error=self.states.error,
            threads=self._threads,
            asked=self.asked,
            refused_states=self._refused,
            lost=self._lost,
            lost_at=self._lost_at,
            counting_at=self._counting_at,
            passed=self._count(Outcome.PASSED),
            assumed=self._count(Outcome.ASSUMED),
            walked=self._walked,
            checked=self._checked,
            matched=self._count(Outcome.MATCHED),
        )

    def save(self) -> dict[str, Any]:
        """For a later process (resume.py)."""
        return {
            "executions": self.executions,
            "asked": self.asked,
            "ended": {outcome.value: count for outcome, count in self._ended.items()},
            "steps": self._steps,
            "threads": self._threads,
            "refused": self._refused,
            "lost": [self._lost, self._lost_at, self._counting_at],
            "known": [self._walked, self._checked],
            "traces": self.traces.save(),
            "states": self.states.save(),
        }

    def load(self, saved: dict[str, Any]) -> None:
        self.executions, self.asked = saved["executions"], saved["asked"]
        self._ended = {Outcome(text): count for text, count in saved["ended"].items()}
        self._steps, self._threads, self._refused = saved["steps"], saved["threads"], saved["refused"]
        self._lost, self._lost_at, self._counting_at = saved["lost"]
        self._walked, self._checked = saved["known"]
        self.traces.load(saved["traces"])
        self.states.load(saved["states"])
        told = replace(self.traces.told(), cap=0), replace(self.states.told(), cap=0)  # those of whoever counts on leave hashes out
        plain = self.executions, self._steps, self._refused, self._threads, dict(self._ended)
        self._loaded = replace(Told(*plain, *told, *saved["lost"], *saved["known"]), asked=self.asked)

    def _count(self, outcome: Outcome) -> int:
        return self._ended.get(outcome, 0)
