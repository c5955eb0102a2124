"""Which calls synchronise in a program's executions. An observer of some executions, whole ones.

Invariant: a lock and the unlock that ended it, in any execution, belong together: they can only be left out together.
"""

from __future__ import annotations

from bpor.model.plan import Plan
from bpor.model.step import Step
from bpor.model.trace import Trace
from bpor.protocol.ops import Op
from bpor.search.explorer import Explorer

LOCKS = frozenset(
    {
        Op.MUTEX_LOCK,
        Op.MUTEX_TRYLOCK,
        Op.MUTEX_TIMEDLOCK,
        Op.RWLOCK_RDLOCK,
        Op.RWLOCK_WRLOCK,
        Op.RWLOCK_TRYRDLOCK,
        Op.RWLOCK_TRYWRLOCK,
        Op.RWLOCK_TIMEDRDLOCK,
        Op.RWLOCK_TIMEDWRLOCK,
        Op.SPIN_LOCK,
        Op.SPIN_TRYLOCK,
    }
)
UNLOCKS = frozenset({Op.MUTEX_UNLOCK, Op.RWLOCK_UNLOCK, Op.SPIN_UNLOCK})
SINGLE = {
    Op.COND_WAIT: "wait",
    Op.COND_SIGNAL: "signal",
    Op.COND_BROADCAST: "broadcast",
    Op.SEM_WAIT: "semaphore wait",
    Op.SEM_POST: "post",
    Op.BARRIER_ARRIVE: "barrier",
    Op.JOIN: "join",
}


class Sites:
    def __init__(self) -> None:
        self.single: dict[int, Op] = {}  # call site -> what it does there
        self.waited_in: set[int] = set()  # locks held when a condition was waited for with them
        self._parent: dict[int, int] = {}  # union-find over the call sites of locks and unlocks

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        if trace.first == 0:
            self.learn(trace)

    def learn(self, trace: Trace) -> None:
        held: dict[tuple[int, int], list[int]] = {}
        for step in trace.steps:
            kind, site = step.operation.kind, step.operation.site
            if not site:
                continue
            if kind in SINGLE:
                self.single.setdefault(site, kind)
            if kind is Op.COND_WAIT:
                self.waited_in.update(lock for thing in _objects(step) for lock in held.get((step.thread, thing), ()))
            if kind in LOCKS and not step.failed and not step.timed_out:
                self._find(site)
                for thing in _objects(step):
                    held.setdefault((step.thread, thing), []).append(site)
            elif kind in UNLOCKS:
                for thing in _objects(step):
                    for lock in held.get((step.thread, thing), [])[-1:]:
                        self._parent[self._find(site)] = self._find(lock)
                        held[step.thread, thing].pop()

    @property
    def sections(self) -> list[frozenset[int]]:
        """The call sites of each critical section: every lock and unlock that ever belonged together."""
        groups: dict[int, set[int]] = {}
        for site in self._parent:
            groups.setdefault(self._find(site), set()).add(site)
        return [frozenset(group) for _, group in sorted((min(group), group) for group in groups.values())]

    def _find(self, site: int) -> int:
        self._parent.setdefault(site, site)
        while self._parent[site] != site:
            site = self._parent[site]
        return site


def _objects(step: Step) -> list[int]:
    return [access.object for access in step.operation.footprint]
