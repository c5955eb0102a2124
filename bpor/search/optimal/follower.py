"""Follower: follows the rest of a beginning step by step, because its steps may turn out differently, and then goes on as an executor would
by itself.

A reversed step sees another past, so it may end the process, or leave a thread waiting that could go on before. What then cannot be
followed is left out: the races of the execution that comes of it tell what else is to be run.
"""

from __future__ import annotations

from collections.abc import Sequence

from bpor.model.operation import Footprint, conflict
from bpor.model.plan import State
from bpor.model.policy import threads_in
from bpor.model.step import Step
from bpor.search.optimal.span import Span


class Follower:
    """A chooser. `sleep` is the sleep set of the state before the first step that it is told of; the `spans` among it wake by their own
    rule."""

    def __init__(self, threads: Sequence[int], sleep: tuple[tuple[int, Footprint], ...], spans: dict[int, Span]) -> None:
        self._threads = list(threads)
        self._sleep = dict(sleep)
        self._spans = spans

    def __call__(self, state: State) -> int | None:
        if state.step is not None:
            step = state.step
            self._sleep.pop(step.thread, None)
            self._sleep = {thread: watch for thread, watch in self._sleep.items() if not self._wakes(thread, watch, step)}
        if self._threads:
            thread = self._threads.pop(0)
            if state.enabled >> thread & 1:
                return thread
            self._threads.clear()
        awake = [thread for thread in threads_in(state.enabled) if thread not in self._sleep]
        if not awake:
            return None
        return state.last if state.last in awake else awake[0]

    def _wakes(self, thread: int, watch: Footprint, step: Step) -> bool:
        return self._spans[thread].is_woken_by(step) if thread in self._spans else conflict(watch, step.footprint)
