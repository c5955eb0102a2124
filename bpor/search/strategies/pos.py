"""pos: partial-order sampling (Yuan, Yang, Gu, CAV 2018). Every pending operation has a random priority, the highest runs, and the
operations that race with it draw again: traces come out far more evenly than from a random walk.
"""

from __future__ import annotations

from bpor.model.operation import dependent
from bpor.model.plan import Chooser, State
from bpor.model.policy import threads_in
from bpor.search.strategies.draws import Draws
from bpor.search.strategies.sampling import Sampling


class PartialOrderSampling(Sampling):
    kind = "BPOR_SAMPLE_POS"

    def sample(self, draws: Draws) -> Chooser:
        priorities: dict[int, int] = {}

        def choose(state: State) -> int:
            for thread in sorted(state.pending):
                if thread not in priorities:
                    priorities[thread] = draws.priority()
            chosen = max(threads_in(state.enabled), key=priorities.__getitem__)
            operation = state.pending[chosen]
            for thread, other in state.pending.items():
                if thread != chosen and dependent(operation.kind, operation.footprint, other.kind, other.footprint):
                    del priorities[thread]
            del priorities[chosen]
            return chosen

        return choose
