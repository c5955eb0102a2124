"""pct: probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010).

Random priorities, the highest runs; at `depth` - 1 random steps the running thread falls below all others. A bug that needs `depth`
ordered steps is met with probability at least 1 / (n * k^(depth-1)) per execution, k being the length: here, of the longest seen so far.
A thread that yields falls as well, or a spinning one of high priority would never let go.
"""

from __future__ import annotations

from bpor.model.plan import Chooser, State
from bpor.model.policy import threads_in
from bpor.search.strategies.draws import Draws
from bpor.search.strategies.sampling import Sampling


class Pct(Sampling):
    kind = "BPOR_SAMPLE_PCT"

    def sample(self, draws: Draws) -> Chooser:
        changes = {draws.below(self.longest) for _ in range(self.options.pct_depth - 1)}
        priorities: dict[int, int] = {}
        lowest = 0

        def fall(thread: int) -> None:
            nonlocal lowest
            lowest -= 1
            priorities[thread] = lowest

        def choose(state: State) -> int:
            for thread in threads_in(state.enabled):
                if thread not in priorities:
                    priorities[thread] = draws.priority()
            chosen = max(threads_in(state.enabled), key=priorities.__getitem__)
            if state.index in changes:
                fall(chosen)
                chosen = max(threads_in(state.enabled), key=priorities.__getitem__)
            if state.pending[chosen].kind.yields or (state.step is not None and state.step.cuts and state.step.thread == chosen):
                fall(chosen)
            return chosen

        return choose
