"""Which of the beginnings that wait at a state comes next. Only `dfs`, the order they were found in, is optimal (JACM 2017): in another
order some traces are run more than once, because what an earlier beginning finds for one taken too soon is run again. None misses a trace.

bit-reversal    far apart first: threads by their number with its bits reversed
round-robin     the thread after the one taken last at this state
stride          every so-many-th thread, by a step that shares no factor with the number of threads
conflict-first  the beginning whose first step conflicts with most of the others
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bpor.search.optimal.wakeup import WakeupBranch

Order = Callable[[Sequence[WakeupBranch], int], int]  # (the beginnings, the thread taken last at this state or -1) -> position of the next

_BITS = 8
_RING = 257  # a prime beyond the number of threads
_STRIDE = 97


def dfs(branches: Sequence[WakeupBranch], last: int) -> int:
    return 0


def bit_reversal(branches: Sequence[WakeupBranch], last: int) -> int:
    return _least(branches, lambda thread: int(f"{thread:0{_BITS}b}"[::-1], 2))


def round_robin(branches: Sequence[WakeupBranch], last: int) -> int:
    return _least(branches, lambda thread: (thread - last - 1) % _RING)


def stride(branches: Sequence[WakeupBranch], last: int) -> int:
    return _least(branches, lambda thread: (thread * _STRIDE) % _RING)


def conflict_first(branches: Sequence[WakeupBranch], last: int) -> int:
    def conflicts(position: int) -> int:
        item = branches[position].item
        return sum(item.depends_on(other.item) for other in branches if other.item.thread != item.thread)

    return max(range(len(branches)), key=lambda position: (conflicts(position), -position))


def _least(branches: Sequence[WakeupBranch], key: Callable[[int], int]) -> int:
    return min(range(len(branches)), key=lambda position: (key(branches[position].item.thread), position))


ORDERS: dict[str, Order] = {
    "dfs": dfs,
    "bit-reversal": bit_reversal,
    "round-robin": round_robin,
    "stride": stride,
    "conflict-first": conflict_first,
}
