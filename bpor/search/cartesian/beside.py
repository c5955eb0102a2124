"""BesideWalk: the same search as StateWalk, beside the program (csrc/engine/cartesian).

Several processes share the states: each looks at those that are its own (csrc/engine/cartesian/share.c), and sends the others on. A search
that is over soon is the first one's alone.
"""

from __future__ import annotations

from bpor.lazy_dataclass import replace
from bpor.model.exploration import Exploration, TreeOrder
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.protocol import wire
from bpor.search.bounds.bound import NONE
from bpor.search.bounds.rules import rule_for
from bpor.search.engine.beside_tree import BesideTree
from bpor.search.options import OFF, SearchOptions
from bpor.search.tally import Tally

SHARED_AFTER = 1_000  # executions
_ALL_OTHERS = wire.constant("BPOR_ALL_OTHERS")
_COVERED = 8 * wire.constant("BPOR_COVERED_WORDS")
_ROOM = 8 * wire.constant("BPOR_HANDED_WORDS")  # bytes that can be handed over at once


class _Post:
    """Records for one process that it has not got yet."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._handed = 0  # of those, with the order that is being carried out

    @property
    def has_states(self) -> bool:
        """Not only word of what others have covered."""
        return any(len(record) > _COVERED for record in self._waiting)

    def add(self, record: bytes) -> None:
        self._waiting.append(record)

    def hand(self) -> bytes:
        self._handed = size = 0
        for record in self._waiting:
            if size + len(record) > _ROOM:
                break
            self._handed, size = self._handed + 1, size + len(record)
        return b"".join(self._waiting[: self._handed])

    def arrived(self) -> None:
        del self._waiting[: self._handed]
        self._handed = 0


class BesideWalk(BesideTree):
    def __init__(self, options: SearchOptions, identify: bool = True) -> None:
        self._identify = identify
        self.identified = False  # states had identities
        self.unidentified = ""  # why states had no identity, if some had none
        super().__init__(NONE, rule_for(NONE), replace(options, known_steps=False, match=OFF), Tally(options.distinct_cap), leads=False)
        self.tally = self.total
        self._post = [_Post() for _ in self._workers]
        self._shared = False

    @property
    def _order(self) -> TreeOrder:
        return TreeOrder(
            limits=self.rule.limits, max_steps=self._options.max_steps, sleep_sets=False, cartesian=True, identify=self._identify
        )

    @property
    def _saves(self) -> bool:
        return False

    # ---- who does what ----

    @property
    def finished(self) -> bool:
        return self._started and not any(map(self._is_busy, range(len(self._workers))))

    def _is_busy(self, number: int) -> bool:
        worker = self._workers[number]
        return self._post[number].has_states or (not worker.told.finished if worker.joined else number == 0)

    def share_out(self) -> None:
        self._started = True
        self._shared = self._shared or (len(self._workers) > 1 and self.total.executions >= SHARED_AFTER)

    def part(self, number: int) -> tuple[TreeOrder | None, int] | None:
        return (None if self._workers[number].joined else self._order, 0) if self._is_busy(number) else None

    def next_plan(self) -> Plan | None:
        plan = super().next_plan()
        if plan is None or plan.exploration is None:
            return plan
        first = self._with_post(0, plan.exploration)
        others = tuple(self._with_post(number, other) for number, other in enumerate(plan.exploration.others, 1))
        return replace(plan, exploration=replace(first, others=others))

    def _with_post(self, number: int, part: Exploration) -> Exploration:
        return replace(part, worker=(number, len(self._workers) if self._shared else 1), handed=self._post[number].hand())

    # ---- what came of it ----

    def learn(self, trace: Trace) -> None:
        assert trace.batch is not None
        batches = [one.batch for one in (trace, *trace.batch.others)]
        for number, batch in enumerate(batches):
            if batch is not None and batch.ran:
                worker = self._workers[number]
                worker.told, worker.joined = batch.trees[self.place], True
                self._post[number].arrived()
                self._send(number, worker.told.given)
                self.unidentified = self.unidentified or (batch.unidentified if self._identify else "")
        self.begun = True
        self.total.tell([batch.total for batch in batches if batch is not None])
        self.identified = self._identify and not self._workers[0].told.unidentified

    def _send(self, sender: int, given: bytes) -> None:
        """Each record says in its first word whose it is, and how long."""
        words, at = memoryview(given).cast("Q"), 0
        others = self._post[:sender] + self._post[sender + 1 :]
        while at < len(words):
            owner, size = words[at] >> 48, words[at] >> 24 & 0xFFFFFF
            for post in others if owner == _ALL_OTHERS else (self._post[owner],):
                post.add(given[8 * at : 8 * (at + size)])
            at += size

    @property
    def endless_shown(self) -> bool:
        return any(worker.told.most_nodes for worker in self._workers)

    @property
    def states(self) -> int:
        return sum(worker.told.states for worker in self._workers)
