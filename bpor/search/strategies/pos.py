"""pos: partial-order sampling (Yuan, Yang, Gu, CAV 2018). Every pending operation has a random priority, the highest runs, and the
operations that race with it draw again: traces come out far more evenly than from a random walk.
"""

from __future__ import annotations

import random

from bpor.model.operation import dependent
from bpor.model.plan import Chooser, State
from bpor.model.policy import threads_in
from bpor.search.strategies.sampling import Sampling


class PartialOrderSampling(Sampling):
    def sample(self, generator: random.Random) -> Chooser:
        priorities: dict[int, float] = {}

        def choose(state: State) -> int:
            for thread in state.pending:
                if thread not in priorities:
                    priorities[thread] = generator.random()
            chosen = max(threads_in(state.enabled), key=priorities.__getitem__)
            operation = state.pending[chosen]
            for thread, other in state.pending.items():
                if thread != chosen and dependent(operation.kind, operation.footprint, other.kind, other.footprint):
                    del priorities[thread]
            del priorities[chosen]
            return chosen

        return choose
