"""random: every enabled thread is equally likely at every step."""

from __future__ import annotations

from bpor.model.plan import Chooser, State
from bpor.model.policy import threads_in
from bpor.search.strategies.draws import Draws
from bpor.search.strategies.sampling import Sampling


class RandomWalk(Sampling):
    kind = "BPOR_SAMPLE_RANDOM"

    def sample(self, draws: Draws) -> Chooser:
        def choose(state: State) -> int:
            enabled = list(threads_in(state.enabled))
            return enabled[draws.below(len(enabled))]

        return choose
