"""ExploringExecutor: an executor whose target searches trees by itself (csrc/engine), answering in batches.

The trees lie in memory that outlives the target: one that dies, needs another mode or a larger pool is started again, and the search goes
on with the execution that was running. Invariant: nothing is counted twice, and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from bpor.errors import Contradicted, Damaged, Diverged, EngineUnfit, InternalError, UnfitForSeveral
from bpor.lazy_dataclass import asdict, replace
from bpor.model.deadline import LATEST
from bpor.model.exploration import (
    Above,
    Batch,
    ExecutionRecord,
    Exploration,
    Graph,
    Hashes,
    Ranking,
    Shelved,
    Subtree,
    Told,
    TreeOrder,
    TreeTold,
)
from bpor.model.plan import Limits, Plan
from bpor.model.trace import End, Outcome, Trace
from bpor.protocol import wire
from bpor.target.channel import END, TargetGone, TargetSilent
from bpor.target.conversation import COURTESY
from bpor.target.endings import OUTCOMES, end_of, interchanged_in, offered_by, weak_seen
from bpor.target.executor import NativeExecutor, Unfit
from bpor.target.launch import Target
from bpor.target.mode import Mode
from bpor.target.saved_tree import saved_frames, saved_watch
from bpor.target.shelf import Shelf

_NONE, _NOTABLE, _TROUBLE, _LITTER, _CONTRADICTED, _NAMES, _SHELF = (
    wire.constant(f"BPOR_STOP_{name}") for name in ("NONE", "NOTABLE", "TROUBLE", "LITTER", "CONTRADICTED", "NAMES", "SHELF")
)
_OBJECT = wire.constant("BPOR_NAMED_OBJECT")
_ENDED = {
    **OUTCOMES,
    wire.constant("BPOR_OUTCOME_EXIT"): Outcome.EXIT,
    wire.constant("BPOR_TALLY_PASSED"): Outcome.PASSED,
    wire.constant("BPOR_TALLY_KILLED"): Outcome.KILLED,
}
_FOREVER = (1 << 64) - 1
_PATIENCE = 2.0  # seconds for the running execution to end after Ctrl-C


class ExploringExecutor(NativeExecutor):
    explores = True
    _interrupted = False
    _ranking: Ranking | None = None  # of the best-first search that runs

    @cached_property
    def _shelf(self) -> Shelf:
        return Shelf()

    def _start(self) -> Target:
        target = super()._start()
        if self.mode.family:
            raise EngineUnfit("an execution is all processes of the program")
        return target

    def run(self, plan: Plan) -> Trace:
        if self._interrupted:
            self._interrupted = False
            raise KeyboardInterrupt
        return super().run(plan) if plan.exploration is None else self._explore(plan.exploration)

    def _explore(self, exploration: Exploration) -> Trace:
        search = self._memory.search
        before = _told(search.total, search.order)
        _write_order(search, exploration)
        if exploration.begin_total:
            before = Told()
        self._ranking = next((tree.ranking for tree in exploration.begin if tree is not None), self._ranking)
        self._carry_out()
        while search.answer.stop in (_NAMES, _SHELF):
            if search.answer.stop == _NAMES:
                self._answer_names(search.names)
            else:
                self._shelf.answer(search.shelf, self._memory.bytes)
            self._carry_out()
        self._take_output()
        self._note_told(self._memory.shared)
        self._note_code(self._memory.shared)
        self._note_asked(self._memory.shared)
        stop = int(search.answer.stop)
        plan = _notable_plan(search) if stop == _NOTABLE else None
        batch = replace(_batch(search, before, plan, self.save_tree, self._graph), unidentified=self._unidentified(self._memory.shared))
        if plan is None:
            shared = self._memory.shared
            end = End(Outcome.STOPPED, excused=bool(shared.excused), shared_state=self._shared_state(shared))
            first = int(search.tree[search.answer.tree].depth)
            return Trace(
                end,
                (),
                first=first,
                batch=batch,
                weak=weak_seen(shared),
                offered=offered_by(shared),
                interchanged=interchanged_in(shared),
            )
        return self._look_again(plan, _ENDED[int(search.answer.outcome)], batch)

    def _answer_names(self, names: Any) -> None:
        """Best-first search wants to know which objects and stacks have the names that the user gave."""
        for number in range(names.count):
            name = names.name[number]
            frames = tuple(name.frame[0 : name.frames])
            name.marks = 0 if self._ranking is None else self._ranking.marks(int(name.id) if name.kind == _OBJECT else None, frames)
        names.answered = 1

    def _carry_out(self) -> None:
        """Until there is an answer, by one target after another if need be."""
        search, deaths = self._memory.search, 0
        while True:
            at = int(search.answer.executions)
            try:
                target = self._target or self._start()
                if not target.channel.shared.config.search_bytes:
                    raise EngineUnfit("the program may not have as much memory as the search beside it maps (ulimit -v)")
                self._converse(target)
                self._clean_up()
                if search.answer.stop == _NONE:
                    raise Damaged
                if search.answer.stop == _TROUBLE:
                    self._raise_unusable(target.channel.shared.end, Plan(prefix=_schedule(search, running=True)))
                if search.answer.stop == _CONTRADICTED:
                    raise Contradicted(next(int(tree.contradicted_site) for tree in search.tree if tree.contradicted))
                if search.answer.stop != _LITTER or search.answer.executions >= search.order.executions:
                    return
            except Unfit as unfit:
                self._change_mode(unfit.better, unfit.reason)
            except (TargetGone, TargetSilent) as trouble:
                if any(search.tree[number].learning for number in range(2)):
                    raise EngineUnfit("the target was killed while its search was being changed") from None
                deaths = deaths + 1 if search.answer.executions == at else 1
                self._bury_target(trouble, again=deaths > 1)

    def _converse(self, target: Target) -> None:
        try:
            target.channel.send_order()
            kind = self._answer(target)
        except KeyboardInterrupt:
            kind = self._stop_now(target)
        except BaseException:
            self._drop_target()
            raise
        if kind != END:
            raise InternalError(f"unexpected message {kind} from the target")

    def _asked_to_save(self, target: Target, number: int) -> int:
        """Between two batches. A question that is interrupted would leave its answer in the pipe, where the next one finds it."""
        try:
            target.channel.ask_to_save(number)
            return self._answer(target, LATEST)
        except BaseException:
            self._drop_target()
            raise

    def _answer(self, target: Target, courtesy: float = COURTESY) -> int:
        """The kind of the next message."""
        talk = self._talk(target)
        kind, _, _ = talk.receive(talk.until(courtesy))
        return kind

    def _clean_up(self) -> None:
        shared = self._worker and self._workspace.changes.any
        super()._clean_up()
        if shared:
            raise UnfitForSeveral("executions change files outside TMPDIR, which several at once would have in common")

    def _change_mode(self, mode: Mode, reason: str) -> None:
        if mode.exec:
            raise EngineUnfit(f"every execution needs a process of its own: {reason}")
        super()._change_mode(mode, reason)

    def stop_soon(self) -> None:
        """The execution that runs is the last one of this batch. From any thread."""
        self._memory.search.stop_now = 1

    def _stop_now(self, target: Target) -> int:
        """Ctrl-C: the execution that runs is the last one; what was learned is told before the interruption takes effect. A second one or a
        target that does not answer: it goes, lest its answer be taken for another's."""
        self._memory.search.stop_now = 1
        try:
            kind, _, _ = target.channel.receive(_PATIENCE)
        except (TargetGone, TargetSilent, KeyboardInterrupt):
            self._drop_target()
            raise KeyboardInterrupt from None
        self._interrupted = True
        return kind

    def save_tree(self, number: int) -> dict[str, Any]:
        """Between two batches."""
        search, target = self._memory.search, self._target or self._start()
        facts, answer = search.tree[number], search.answer
        kind = self._asked_to_save(target, number)
        if kind != END or not answer.saved:
            raise InternalError("the search beside the program is too large to be saved")
        words = memoryview(wire.bytes_of(search.log, 8 * int(answer.saved))).cast("Q")
        frames, step_hash = saved_frames(words, running=bool(facts.running))
        return {
            "begun": bool(facts.begun),
            "finished": bool(facts.finished),
            "refused": int(facts.refused),
            "schedule": list(facts.schedule[0 : max(len(frames) - 1, 0)]),
            "hash": step_hash,
            "frames": frames,
        }

    def _graph(self, number: int) -> Graph | None:
        """Between two batches. None: it is too large to be told."""
        search, target = self._memory.search, self._target or self._start()
        kind = self._asked_to_save(target, number + len(search.tree))
        if kind != END or not search.answer.saved:
            return None
        words = memoryview(wire.bytes_of(search.log, 8 * int(search.answer.saved))).cast("Q").tolist()
        states, edges = words[0], words[3 + words[0] :]
        ways = zip(edges[::2], edges[1::2], strict=True)
        return Graph(tuple(words[3 : 3 + states]), tuple((way >> 32, thread, way & 0xFFFFFFFF) for way, thread in ways))

    def _look_again(self, plan: Plan, outcome: Outcome, batch: Batch) -> Trace:
        """The notable execution once more, with its events. One that the watchdog ended would take as long again: it is as it was told."""
        if outcome is Outcome.WATCHDOG:
            end = end_of(self._memory.shared.end, self._output(), excused=False, shared_state=())
            return Trace(end, (), first=len(plan.prefix), batch=batch)
        trace = super().run(plan)
        if trace.end.outcome is not outcome:
            raise Diverged(trace.length, f"{outcome.value} again", trace.end.outcome.value, "something outside the program has changed")
        return replace(trace, batch=batch)


def _write_order(search: Any, exploration: Exploration) -> None:
    order, answer = search.order, search.answer
    order.trees = exploration.trees[0] | exploration.trees[1] << 1
    order.begin_total = exploration.begin_total
    order.begin = 0
    for number, tree in enumerate(exploration.begin):
        if tree is not None:
            order.begin |= 1 << number
            _write_tree(order.tree[number], tree)
            _write_subtree(order.tree[number], search.tree[number], tree.below)
    order.flags = (
        wire.constant("BPOR_ORDER_STOP_AT_BUG") * exploration.stop_at_bug
        | wire.constant("BPOR_ORDER_STOP_AT_STEP_LIMIT") * exploration.stop_at_step_limit
        | wire.constant("BPOR_ORDER_STOP_AT_SHARED_STATE") * exploration.stop_at_shared_state
        | wire.constant("BPOR_ORDER_RECORD") * exploration.record
    )
    order.distinct_cap = max(exploration.distinct_cap, 16)
    order.narrowed = exploration.narrowed
    order.states_cap = max(exploration.states_cap, 16)
    order.milliseconds = max(1, int(exploration.seconds * 1000))
    order.executions = _FOREVER if exploration.executions is None else exploration.executions
    answer.executions = answer.records = answer.stop = 0
    answer.lead, order.weight = exploration.lead, exploration.weight
    order.worker, order.workers = exploration.worker
    order.taken, order.handed = 1, len(exploration.handed) // 8
    wire.put_bytes(search.tree[0].handed, exploration.handed)
    for number, root in enumerate(exploration.roots):
        if exploration.begin[number] is None and exploration.trees[number]:
            search.tree[number].root = root
    search.stop_now = 0


def _write_tree(order: Any, tree: TreeOrder) -> None:
    order.flags = (
        wire.constant("BPOR_TREE_KNOWN_STEPS") * tree.known_steps
        | wire.constant("BPOR_TREE_IN_PARTS") * tree.in_parts
        | wire.constant("BPOR_TREE_LEADS") * tree.leads
        | wire.constant("BPOR_TREE_SLEEP_SETS") * tree.sleep_sets
        | wire.constant("BPOR_TREE_TRANSITIVE_REDUCTION") * tree.transitive_reduction
        | wire.constant("BPOR_TREE_BOUND_OPTIMISATION") * tree.bound_optimisation
        | wire.constant("BPOR_TREE_RELEASE_OPTIMISATION") * tree.release_optimisation
        | wire.constant("BPOR_TREE_ANY_ORDER") * tree.any_order
        | wire.constant("BPOR_TREE_EVERYTHING") * tree.everything
        | wire.constant("BPOR_TREE_GOES_ON") * tree.goes_on
        | wire.constant("BPOR_TREE_MATCH") * (tree.match == "memory")
        | wire.constant("BPOR_TREE_MATCH_CAUSAL") * (tree.match == "happens-before")
        | wire.constant("BPOR_TREE_OPTIMAL") * (tree.wakeups is not None)
        | wire.constant("BPOR_TREE_BEST_FIRST") * (tree.ranking is not None)
        | wire.constant("BPOR_TREE_GRAPHS") * tree.graphs
        | wire.constant("BPOR_TREE_CARTESIAN") * tree.cartesian
        | wire.constant("BPOR_TREE_IDENTIFY") * tree.identify
    )
    if tree.ranking is not None:
        order.priorities, order.sample_seed = len(tree.ranking.priorities), tree.ranking.seed & _FOREVER
        order.priority[0 : len(tree.ranking.priorities)] = tree.ranking.priorities
    order.wakeup_order = tree.wakeups or 0
    order.sample = 0 if tree.sample is None else tree.sample.kind
    if tree.sample is not None:
        order.sample_depth, order.sample_longest = tree.sample.depth, tree.sample.longest
        order.sample_seed, order.sample_number = tree.sample.seed & _FOREVER, tree.sample.number
    for name, limit in asdict(tree.limits).items():
        setattr(order, f"{name}_bound", wire.UNBOUNDED if limit is None else limit)
    order.max_steps = tree.max_steps
    order.match_limit = tree.match_limit


def _write_subtree(order: Any, facts: Any, below: Subtree | None) -> None:
    order.below, order.below_hash = (len(below.schedule), below.hash) if below is not None else (0, 0)
    if below is None:
        return
    facts.schedule[0 : len(below.schedule)] = below.schedule
    words, sleepers = [0], 0
    for thread, footprint in below.sleep:
        told = [thread, len(footprint), *(word for access in footprint for word in (access.object, access.size, access.write))]
        if len(words) + len(told) <= wire.constant("BPOR_HANDED_WORDS"):  # who is not told of does not sleep, which is never wrong
            words += told
            sleepers += 1
    words[0] = sleepers
    facts.handed[0 : len(words)] = words


def _schedule(search: Any, running: bool) -> tuple[int, ...]:
    """Of the last execution that was learned, or the prefix of the one that runs."""
    facts = search.tree[search.answer.tree]
    drawn = search.order.tree[search.answer.tree].sample  # nothing is chosen before it runs
    length = int(facts.depth) + (running and bool(facts.begun) and not drawn)
    return tuple(facts.schedule[0:length])


def _notable_plan(search: Any) -> Plan:
    """Repeats it; the very first execution of a whole tree is repeated as it was planned, without a prefix."""
    number = int(search.answer.tree)
    order, first = search.order.tree[number], int(search.answer.first)
    limits = Limits(**{name: _bound(getattr(order, f"{name}_bound")) for name in asdict(Limits())})
    chosen = order.below or order.sample or search.tree[number].tally.executions > 1
    prefix = _schedule(search, running=False) if chosen else ()
    return Plan(prefix=prefix, limits=limits, max_steps=int(order.max_steps), report_from=first)


def _bound(value: int) -> int | None:
    return None if value == wire.UNBOUNDED else int(value)


def _batch(
    search: Any, before: Told, plan: Plan | None, save: Callable[[int], dict[str, Any]], graph: Callable[[int], Graph | None]
) -> Batch:
    answer = search.answer
    total = _told(search.total, search.order)
    return Batch(
        executions=int(answer.executions),
        ended={outcome: count - before.ended.get(outcome, 0) for outcome, count in total.ended.items()},
        lead=int(answer.lead),
        total=total,
        trees=(
            _tree_told(search.tree[0], search.order, partial(save, 0), partial(graph, 0)),
            _tree_told(search.tree[1], search.order, partial(save, 1), partial(graph, 1)),
        ),
        plan=plan,
        inferred=tuple(answer.site[0 : answer.inferred]),
        orders=frozenset(order for order in range(8) if answer.orders >> order & 1),
        records=tuple(_record(search.record[number]) for number in range(answer.records)),
    )


def _tree_told(facts: Any, order: Any, save: Callable[[], dict[str, Any]], graph: Callable[[], Graph | None]) -> TreeTold:
    estimate = float(facts.low), float(facts.expected), float(facts.high)
    above = _above(facts) if facts.root and facts.begun else None
    contradicted_at = int(facts.contradicted_site) if facts.contradicted else None
    return TreeTold(
        begun=bool(facts.begun),
        finished=bool(facts.finished),
        refused=int(facts.refused),
        estimate=estimate,
        tally=_told(facts.tally, order),
        leads=bool(facts.leads),
        left_bound=bool(facts.left_bound),
        above=above,
        contradicted_at=contradicted_at,
        longest=int(facts.longest),
        nodes=int(facts.nodes),
        most_nodes=int(facts.most_nodes),
        shelved=Shelved(int(facts.shelved), int(facts.written), int(facts.written_bytes), int(facts.plain_bytes)),
        given=wire.bytes_of(facts.handed, 8 * int(facts.given)),
        states=int(facts.states),
        unidentified=int(facts.unidentified),
        graph=graph,
        save=save,
    )


def _above(facts: Any) -> Above:
    words = memoryview(wire.bytes_of(facts.wanted, 16 * int(facts.root))).cast("Q")
    wanted = tuple((words[at], words[at + 1]) for at in range(0, len(words), 2))
    return Above(wanted, bool(facts.exceeded), saved_watch(facts.handed), int(facts.alternatives), bool(facts.refuses))


def _told(tally: Any, order: Any) -> Told:
    return Told(
        executions=int(tally.executions),
        steps=int(tally.steps),
        refused=int(tally.refused),
        threads=int(tally.threads),
        ended={outcome: int(tally.ended[number]) for number, outcome in _ENDED.items() if tally.ended[number]},
        traces=_hashes(tally.traces, order.distinct_cap),
        states=_hashes(tally.states, order.states_cap),
        lost=int(tally.lost),
        lost_at=int(tally.lost_at),
        counting_at=int(tally.counting_at),
        walked=int(tally.walked),
        checked=int(tally.checked),
        asked=int(tally.asked),
        made=int(tally.made),
    )


def _hashes(distinct: Any, cap: int) -> Hashes:
    bits = int(distinct.bits)
    table = lambda: wire.bytes_of(distinct.slot[distinct.half], 8 << bits)  # noqa: E731
    return Hashes(int(distinct.level), int(distinct.used), bool(distinct.zero), bits, table, int(cap))


def _record(record: Any) -> ExecutionRecord:
    return ExecutionRecord(int(record.schedule), _ENDED[int(record.outcome)], int(record.hash), int(record.steps))
