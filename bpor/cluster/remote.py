"""RemoteMember: a member of the search on a worker, seen from the client. A crew treats it like a process of its own machine.

Invariant: an answer of a member is accepted only if it is plausible: its counts add up and never decrease. Otherwise the member counts as
lost, like one that does not answer, and the search goes on from what was last saved (recovering.py). Whether a plausible answer is true is
checked by a jury (jury.py).
"""

from __future__ import annotations

import contextlib
import pickle
import time
from typing import Any

from bpor.cluster.asked import Comparing
from bpor.cluster.connection import GONE, Connection, cannot_run
from bpor.cluster.jury import Jury, Session
from bpor.cluster.member import Answer, Lacking, Opening, Unable
from bpor.cluster.parcel import Packed
from bpor.cluster.testimony import is_sure, said
from bpor.errors import MemberLost, TooSlow, Uncontrolled
from bpor.knobs.values import process_states
from bpor.lazy_dataclass import replace
from bpor.model.deadline import Deadline
from bpor.model.exploration import Batch, Exploration, Graph, Hashes, Told, TreeTold
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.target.loaded import Loaded

MOST_LOSSES = 200  # in one search; each is made up for
_SLOWER = 10  # times as long as beside the client: a message takes milliseconds
_STOP_EVERY = 1.0  # seconds: whoever had not begun yet has not heard it
_OF_THE_MACHINE = frozenset({"files", "streams"})  # states of a process that have other names on each
_PATIENCE = 30.0  # seconds beyond what an execution may take


class RemoteMember:
    def __init__(
        self,
        connection: Connection,
        packed: Packed,
        opening: Opening,
        deadline: Deadline,
        name: str,
        places: dict[int, str],
        losses: list[str],
        jury: Jury | None,
        comparing: Comparing,
    ) -> None:
        """`places`: where each member of the crew is, shared by all, as are the losses, in words. `jury`: None: it is believed."""
        self._connection, self._packed, self._opening, self._deadline, self._name = connection, packed, opening, deadline, name
        self._places, self._losses, self._jury, self._comparing = places, losses, jury, comparing
        self._session: Session | None = None  # the jury listens
        self._host: Any = None
        self._changes: list[tuple[str, tuple[Any, ...]]] = []  # a member that takes a lost one's place hears of them too
        self._told = 0  # executions
        self._since = self._begun = 0.0  # when it was opened, and when it was given what it does; 0: it does nothing
        self._asked_to_stop = 0.0  # when, in this batch
        self._seconds = 0.0  # that it may last
        self.loaded = Loaded()

    def run(self, plan: Plan) -> Trace:
        exploration = plan.exploration
        if exploration is not None:
            self._seconds = max(min(exploration.seconds * _SLOWER, self._deadline.left), 0.001)
            plan = replace(plan, exploration=replace(exploration, seconds=self._seconds))
            if exploration.begin_total and _begins(exploration):
                self._begin_counts()
        self._asked_to_stop = 0.0
        self._begun = time.monotonic()
        with contextlib.suppress(Exception):  # the scheduler is gone, and whoever asks a worker will hear so
            self._connection.stay_awake(self._name)
        try:
            trace: Trace = self._ask("run", plan)
        finally:
            self._begun = 0.0
        if trace.batch is None:
            return trace
        self._believe(trace.batch)
        return replace(trace, batch=self._looked_up(trace.batch))

    def widen(self, *change: Any) -> None:
        self._change("widen", change)

    def infer(self, polling: tuple[int, ...]) -> None:
        self._change("infer", (polling,))

    def __str__(self) -> str:
        """`worker tls://10.0.0.7:41023: 12,480 executions, 1,020/s, searches since 0.4 s`."""
        now, place = time.monotonic(), self._places.get(self._opening.number, "none yet")
        rate = self._told / (now - self._since) if self._since and now > self._since else 0.0
        doing = f"searches since {now - self._begun:.1f} s" if self._begun else "waits for a part"
        return f"worker {place}: {self._told:,} execution{'s' * (self._told != 1)}, {rate:,.0f}/s, {doing}"

    @property
    def executions(self) -> int:
        return self._told

    def stop_soon(self) -> None:
        if self._host is not None and time.monotonic() - self._asked_to_stop > _STOP_EVERY:
            self._asked_to_stop = time.monotonic()
            with contextlib.suppress(Exception):  # it is gone, and whoever waits for it will hear so
                self._host.stop()

    def close(self) -> None:
        host, self._host = self._host, None
        self._leave_jury()
        if host is not None:
            with contextlib.suppress(Exception):
                host.end().result(timeout=_PATIENCE)

    def _begin_counts(self) -> None:
        self._told = 0
        if self._places.get(self._opening.number) in self._connection.excluded:
            self.close()
        if self._host is None:
            self._open()
        self._leave_jury()
        if self._jury is None:
            return
        if self._shares_files():
            self._jury.passed_over = True
        else:
            self._session = self._jury.listen(self._places[self._opening.number], self._opening, self._changes)

    def _shares_files(self) -> bool:
        """Files are known by their inodes, which are others on each machine, and now and then the order of a search follows them: whoever
        repeats it would say something else, and both tell the truth."""
        states = self._opening.settings.process_state, *(change[1] for name, change in self._changes if name == "widen")
        return any(_OF_THE_MACHINE & set(process_states(text)) for text in states)

    def _leave_jury(self) -> None:
        if self._session is not None:
            self._session.close()
        self._session = None

    def _change(self, name: str, arguments: tuple[Any, ...]) -> None:
        self._changes = [change for change in self._changes if change[0] != name] + [(name, arguments)]
        if self._host is not None:
            self._ask(name, *arguments)

    # ---- the conversation ----

    def _ask(self, name: str, *arguments: Any) -> Any:
        if self._host is None:
            self._open()
        value = self._heard("ask", pickle.dumps((name, arguments), protocol=5))
        if self._session is not None:
            if not is_sure(value):
                self._leave_jury()
            else:
                self._session.add(said(name, arguments, value))
        return value

    def _open(self) -> None:
        number = self._opening.number
        self._places.pop(number, None)
        try:
            self._host, self._places[number] = self._connection.host(self._packed, self._name, list(self._places.values()))
        except MemberLost as error:
            raise self._note_loss(str(error)) from None
        self._since = time.monotonic()
        left = None if self._deadline.endless else self._deadline.left
        self._heard("open", replace(self._opening, seconds=left))
        for name, arguments in self._changes:
            self._ask(name, *arguments)

    def _heard(self, method: str, message: Any) -> Any:
        patience = min(self._deadline.left, self._opening.settings.watchdog + self._seconds) + _PATIENCE
        try:
            answer: Answer = pickle.loads(getattr(self._host, method)(message).result(timeout=patience))
        except Lacking as error:
            answer = Answer(error=error)
        except Exception as error:  # whatever dask, the network and a process that dies throw
            raise self._lost(f"{type(error).__name__}: {error}") from None
        place = self._places[self._opening.number]
        if isinstance(answer.error, Unable):
            raise Uncontrolled(cannot_run(place, answer.error))
        if isinstance(answer.error, (TooSlow, Lacking)):  # others may be less busy, or have more room
            raise self._connection.given_up(place, answer.error) or self._lost(str(answer.error))
        if answer.error is not None:
            raise answer.error
        self._connection.trust(place)
        self.loaded |= answer.loaded
        self._compare(answer)
        return answer.value

    def _compare(self, answer: Answer) -> None:
        if why := self._comparing.other(answer.asked, answer.asked_more):
            raise Uncontrolled(cannot_run(self._places.get(self._opening.number, "?"), why))

    def _lost(self, why: str) -> MemberLost:
        place, host, self._host = self._places.pop(self._opening.number, "?"), self._host, None
        self._connection.suspect(place)
        with contextlib.suppress(Exception):
            host.end()  # one that lies, or hangs, may still be there; nobody waits for it
        return self._note_loss(f"the worker at {place} was lost ({why.splitlines()[0]})")

    def _note_loss(self, line: str) -> MemberLost:
        self._leave_jury()
        if self._connection.client.status != "running":
            raise Uncontrolled(GONE)
        if len(self._losses) >= MOST_LOSSES:
            raise Uncontrolled(f"the cluster loses its workers one after the other; the last time, {line}")
        self._losses.append(line)
        return MemberLost(line)

    # ---- what it tells ----

    def _believe(self, batch: Batch) -> None:
        tallies = [batch.total, *(tree.tally for tree in batch.trees)]
        wrong = any(told.executions < 0 or sum(told.ended.values()) > told.executions for told in tallies)
        if wrong or batch.executions < 0 or batch.total.executions < self._told:
            raise self._lost("it tells counts that cannot be")
        self._told = batch.total.executions

    def _looked_up(self, batch: Batch) -> Batch:
        """With what the member looks up when it is asked, before its next batch."""
        first, second = (self._tree(number, tree) for number, tree in enumerate(batch.trees))
        return replace(batch, total=self._tally(None, batch.total), trees=(first, second))

    def _tree(self, number: int, tree: TreeTold) -> TreeTold:
        def save() -> dict[str, Any]:
            saved: dict[str, Any] = self._ask("save", number)
            return saved

        def graph() -> Graph | None:
            found: Graph | None = self._ask("graph", number)
            return found

        return replace(tree, tally=self._tally(number, tree.tally), save=save, graph=graph)

    def _tally(self, tree: int | None, told: Told) -> Told:
        def table(which: str, hashes: Hashes) -> Hashes:
            return replace(hashes, table=lambda: self._ask("table", tree, which)) if hashes.used else hashes

        return replace(told, traces=table("traces", told.traces), states=table("states", told.states))


def _begins(exploration: Exploration) -> bool:
    """Every tree that takes part does. Not so after a batch that was ended before its first execution: counts begin once more then."""
    return all(begun is not None for asked, begun in zip(exploration.trees, exploration.begin, strict=True) if asked)
