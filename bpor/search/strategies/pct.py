"""pct: probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010).

Random priorities, the highest runs; at `depth` - 1 random steps the running thread falls below all others. A bug that needs `depth`
ordered steps is met with probability at least 1 / (n * k^(depth-1)) per execution, k being the length: here, of the longest seen so far.
A thread that yields falls as well, or a spinning one of high priority would never let go.
"""

from __future__ import annotations

import random
from typing import Any

from bpor.model.executor import Executor
from bpor.model.plan import Chooser, State
from bpor.model.policy import threads_in
from bpor.model.trace import Trace
from bpor.search.options import SearchOptions
from bpor.search.strategies.sampling import Sampling


class Pct(Sampling):
    def __init__(self, options: SearchOptions, seed: int) -> None:
        super().__init__(options, seed)
        self._longest = 16  # before anything has run

    def learn(self, trace: Trace) -> None:
        super().learn(trace)
        self._longest = max(self._longest, trace.length)

    def sample(self, generator: random.Random) -> Chooser:
        changes = {generator.randrange(self._longest) for _ in range(self.options.pct_depth - 1)}
        priorities: dict[int, float] = {}
        lowest = 0.0

        def fall(thread: int) -> None:
            nonlocal lowest
            lowest -= 1.0
            priorities[thread] = lowest

        def choose(state: State) -> int:
            for thread in threads_in(state.enabled):
                if thread not in priorities:
                    priorities[thread] = generator.random()
            chosen = max(threads_in(state.enabled), key=priorities.__getitem__)
            if state.index in changes:
                fall(chosen)
                chosen = max(threads_in(state.enabled), key=priorities.__getitem__)
            if state.pending[chosen].kind.yields or (state.step is not None and state.step.yields and state.step.thread == chosen):
                fall(chosen)
            return chosen

        return choose

    def save(self) -> dict[str, Any]:
        return {**super().save(), "longest": self._longest}

    def load(self, saved: dict[str, Any], executor: Executor) -> None:
        super().load(saved, executor)
        self._longest = saved["longest"]
