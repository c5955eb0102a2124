"""random: every enabled thread is equally likely at every step."""

from __future__ import annotations

import random

from bpor.model.plan import Chooser, State
from bpor.model.policy import threads_in
from bpor.search.strategies.sampling import Sampling


class RandomWalk(Sampling):
    def sample(self, generator: random.Random) -> Chooser:
        def choose(state: State) -> int:
            return generator.choice(list(threads_in(state.enabled)))

        return choose
