"""The default policy after a plan's prefix: the bound's Initialize (BPOR 2013, Alg. 3 and 4, with our definition of free switches).

Invariant: a function of the plan and of the steps taken, told by `took` from the first step on; the C runtime computes the same.
Enabled sets are masks (bit t = thread t); `timed` holds the threads enabled by their timeout alone, and a state is idle iff it is not
empty. Sleeping threads count as enabled for the fair cost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise

from bpor.model.operation import Footprint, Operation, conflict
from bpor.model.plan import Limits
from bpor.model.trace import Outcome

_NO_LIMITS = Limits()


def threads_in(mask: int) -> Iterator[int]:
    """The threads of a mask, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def normalised(yields: tuple[int, ...], live: int, fair: int) -> tuple[int, ...]:
    """Counts of yields that say the same of who is kept waiting by a fair bound, and of which there are finitely many.

    Threads that ended count 0, the smallest count of a live one becomes 0, and a gap between neighbouring counts that is larger than
    fair + 1 becomes fair + 1.
    """
    counts = sorted({yields[thread] if thread < len(yields) else 0 for thread in threads_in(live)})
    level = 0
    levels = {counts[0]: 0} if counts else {}
    for lower, upper in pairwise(counts):
        level += min(upper - lower, fair + 1)
        levels[upper] = level
    return tuple(levels[count] if live >> thread & 1 else 0 for thread, count in enumerate(yields))


def passed_over(enabled: int, last: int | None, thread: int) -> int:
    """Mask of the enabled threads that come before `thread` in the rotation: from the last thread on, by number, wrapping round."""
    head = last or 0
    below_thread = (1 << thread) - 1
    below_head = (1 << head) - 1
    if thread >= head:
        return enabled & below_thread & ~below_head
    return enabled & (~below_head | below_thread)


class Policy:
    """`choose` for every state after the prefix, `took` for every step, the prefix included."""

    def __init__(
        self,
        limits: Limits = _NO_LIMITS,
        sleep: tuple[tuple[int, Footprint], ...] = (),
        wake_next: bool = False,
        prefix_length: int = 0,
    ) -> None:
        self.limits = limits
        self.sleep: dict[int, Footprint] = dict(sleep)
        self.wake_next = wake_next
        self.steps_before_sleep = prefix_length - 1  # `sleep` belongs to the state before the last step of the prefix
        self.steps = 0
        self.preemptions = 0
        self.spent = 0  # context switches or delays, if they are bounded
        self.refused = 0  # states after the prefix in which the bound refused an enabled thread
        self.yields: defaultdict[int, int] = defaultdict(int)  # Y: yields done, per thread
        self.circling = 0  # mask: their last yield was at a place where they had been before
        self.last: int | None = None
        self.last_cut = False  # the last step was a yield or a voluntary switch

    # ---- what the bound says of a state ----

    def is_idle(self, ready: int, waiters: int) -> bool:
        """May the timed `waiters` time out? Yes if nobody is `ready`, or everybody who is is fair-blocked beside them."""
        if not waiters:
            return False
        return all(self.fair_blocked(thread, ready | waiters) for thread in threads_in(ready))

    def fair_cost(self, thread: int, enabled: int) -> int:
        return self.yields[thread] - min(self.yields[other] for other in threads_in(enabled))

    def fair_blocked(self, thread: int, enabled: int) -> bool:
        if self.limits.fair is None or not self.circling >> thread & 1:
            return False
        return self.fair_cost(thread, enabled) > self.limits.fair

    def preempts(self, thread: int, enabled: int, timed: int) -> bool:
        """Does choosing `thread` here take the processor away from a thread that wanted to go on?"""
        last = self.last
        if last is None or last == thread or self.last_cut or timed or not enabled >> last & 1:
            return False
        return not self.fair_blocked(last, enabled)

    def charge(self, thread: int, enabled: int) -> int:
        """What choosing `thread` here costs, in context switches or in delays."""
        if self.limits.context is not None:
            return self.last is not None and self.last != thread
        if self.limits.delta is None:
            return 0
        return sum(not self.fair_blocked(other, enabled) for other in threads_in(passed_over(enabled, self.last, thread)))

    def within(self, thread: int, enabled: int, timed: int) -> bool:
        """Is `thread`, enabled here, within all bounds?"""
        if self.fair_blocked(thread, enabled):
            return False
        limits = self.limits
        if limits.preemption is not None:
            return self.preemptions + self.preempts(thread, enabled, timed) <= limits.preemption
        most = limits.context if limits.context is not None else limits.delta
        return most is None or self.spent + self.charge(thread, enabled) <= most

    def refuses(self, enabled: int, timed: int) -> bool:
        if self.limits == _NO_LIMITS:
            return False
        return not all(self.within(thread, enabled, timed) for thread in threads_in(enabled))

    # ---- the policy ----

    def choose(self, enabled: int, timed: int) -> int | Outcome:
        """The thread to run in a state after the prefix (`enabled` is not empty), or why the execution ends here."""
        self.refused += self.refuses(enabled, timed)
        awake = [thread for thread in threads_in(enabled) if thread not in self.sleep]
        if not awake:
            return Outcome.REDUNDANT
        if self.last in awake and self.within(self.last, enabled, timed):
            return self.last
        candidates = [thread for thread in awake if self.within(thread, enabled, timed)]
        if not candidates:
            return Outcome.OVER_BOUND
        if self.limits.delta is not None:
            return min(candidates, key=lambda thread: passed_over(enabled, self.last, thread).bit_count())
        if self.limits.fair is None:
            return candidates[0]
        return min(candidates, key=lambda thread: self.fair_cost(thread, enabled))  # min keeps the first: ties by id

    def took(
        self,
        thread: int,
        enabled: int,
        timed: int,
        footprint: Footprint,
        yields: bool,
        cuts: bool,
        following: Operation | None,
        circles: bool | None = None,
        created: Iterable[int] = (),
        waits_timed: bool = False,
    ) -> None:
        """A step was taken in a state: `footprint` is the executed one, `following` what `thread` will do next (None: finished).

        A thread that it created has yielded as often as its creator (erratum E30). `circles`: see Step; None: every yield does.
        `waits_timed`: is what somebody will do next one that may end by a timeout?
        """
        self.preemptions += self.preempts(thread, enabled, timed)
        self.spent += self.charge(thread, enabled)
        if self.sleep and self.steps >= self.steps_before_sleep:
            self.sleep.pop(thread, None)
            self._wake(footprint, following)
            if waits_timed and (self.limits.fair is not None or self.limits.delta is not None):
                self.sleep = {}  # errata E48, E62
        self.yields[thread] += yields
        if yields:
            self.circling = self.circling & ~(1 << thread) | (circles is not False) << thread
        for child in created:
            self.yields[child] = self.yields[thread]
        self.last, self.last_cut = thread, yields or cuts
        self.steps += 1

    def normalise(self, live: int) -> None:
        """Counts yields as searches do that recognise states; after each step, told who has not ended."""
        if self.limits.fair is not None:
            threads = live.bit_length()
            counts = normalised(tuple(self.yields[thread] for thread in range(threads)), live, self.limits.fair)
            self.yields = defaultdict(int, enumerate(counts))
            self.circling &= live

    def _wake(self, footprint: Footprint, following: Operation | None) -> None:
        def wakes(watch: Footprint) -> bool:
            if conflict(watch, footprint):
                return True
            return self.wake_next and following is not None and (following.kind.ends or conflict(watch, following.footprint))

        self.sleep = {sleeper: watch for sleeper, watch in self.sleep.items() if not wakes(watch)}
