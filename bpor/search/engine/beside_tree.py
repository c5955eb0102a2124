"""BesideTree: a tree that is searched beside the program, by the executor itself (csrc/engine). To a strategy the same as Tree, but a plan
of it is many executions, by as many processes of the program as there are workers.

Invariant: with one worker it runs the executions that Tree would, in the same order, and its numbers are the same; with several, the same
traces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from bpor.lazy_dataclass import replace
from bpor.model.exploration import BATCH_SECONDS, Exploration, Told, TreeOrder, TreeTold
from bpor.model.plan import Limits, Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Trace
from bpor.search.bounds.bound import Bound
from bpor.search.bounds.runahead import RunAhead
from bpor.search.coverage import Level
from bpor.search.engine.limb import Branch
from bpor.search.engine.patchwork import Patchwork
from bpor.search.engine.rule import Rule
from bpor.search.engine.tree import Tree
from bpor.search.engine.trunk import Trunk
from bpor.search.estimate import Estimate
from bpor.search.options import MEMORY, OFF, SearchOptions
from bpor.search.tally import Tally

if TYPE_CHECKING:
    from bpor.search.cycles.explored import Explored
    from bpor.search.engine.library_tree import LibraryTree

_LARGEST_TABLE = 1 << 20  # hashes; the tables beside the program are not larger
_SHORT = BATCH_SECONDS / 5  # while somebody waits for work
_LEADING = RunAhead()  # the rule of a tree that leads: nobody has yielded yet where there is a fair bound
_NO_STACK: dict[str, Any] = {"schedule": [], "hash": 0, "frames": []}


class _TreeWorker:
    """One process of the program, as far as one tree is concerned."""

    def __init__(self) -> None:
        self.branch: Branch | None = None
        self.told = TreeTold()
        self.begins = False  # its branch: it has not heard of it yet
        self.joined = False  # it has explored some part of this tree: its counts are of this tree
        self.past_executions = 0  # before its branch

    def order(self, order: TreeOrder) -> TreeOrder | None:
        return replace(order, goes_on=self.joined) if self.begins else None

    @property
    def executions(self) -> int:
        return self.told.tally.executions if self.joined else 0


class BesideTree:
    def __init__(self, bound: Bound, rule: Rule, options: SearchOptions, total: Tally, place: int = 0, leads: bool = True) -> None:
        self.bound = bound
        self.rule = rule
        self.place = place  # of the two that may take turns
        self.tally = Tally(options.distinct_cap)
        self.total = total
        self.begun = False
        self.trunk = Trunk(rule, options)
        self._workers = [_TreeWorker() for _ in range(options.workers)]
        self._options = options
        self._leads = leads
        self._loaded_refused = 0
        self._started = False
        self._livelocks: int | None = None  # once it is finished

    @property
    def _match(self) -> str:
        """Where states are recognised: not within bounds other than of preemptions and of yields. One worker does it all: what it knows
        of states is its own."""
        limits = self.rule.limits
        return self._options.match if limits == Limits(limits.preemption, limits.fair) and self.rule.reduces else OFF

    @property
    def recognises(self) -> bool:
        """Are states recognised by their memory?"""
        return self._match == MEMORY

    @property
    def identifies(self) -> bool:
        """Has every state so far had an identity?"""
        return not self._workers[0].told.unidentified

    @property
    def _saves(self) -> bool:
        """Is its stack one that another process, or another search, can go on with?"""
        return self._match == OFF

    @property
    def splits(self) -> bool:
        """May several workers have parts of it?"""
        return self._match == OFF

    @property
    def finished(self) -> bool:
        return self._started and self.trunk.finished

    @property
    def refused(self) -> int:
        return self._loaded_refused + self.trunk.refused + sum(worker.told.refused for worker in self._workers if worker.joined)

    def next_plan(self) -> Plan | None:
        return None if self.finished else explore((self,), (0,) * self._options.workers)

    # ---- who does what ----

    def share_out(self) -> None:
        """Gives every worker a part, as far as there are parts."""
        free = [worker for worker in self._workers if worker.branch is None]
        for worker in free:
            branch = self._next_branch()
            if branch is None:
                break
            worker.branch, worker.begins = branch, True
            worker.past_executions = worker.executions

    def _next_branch(self) -> Branch | None:
        if not self._started:
            self._started = True
            return self.trunk.whole()
        branch = self.trunk.pick(deepest=len(self._workers) == 1)
        if branch is None and self._split_somebody():
            branch = self.trunk.pick(deepest=False)
        return branch

    def _split_somebody(self) -> bool:
        """The largest part first, but only those who have been at it for a whole batch."""
        if not self.splits:
            return False
        busy = [worker for worker in self._workers if worker.branch is not None and not worker.begins and worker.told.begun]
        for worker in sorted(busy, key=lambda one: one.told.estimate[1], reverse=True):
            assert worker.branch is not None
            saved = worker.told.save()
            if self.trunk.split(worker.branch, saved["schedule"], saved["frames"]):
                return True
        return False

    def part(self, number: int) -> tuple[TreeOrder | None, int] | None:
        """What a worker begins (None: it goes on), and how many states of its stack are not its own; None: it has nothing to do."""
        worker = self._workers[number]
        if worker.branch is None:
            return None
        return worker.order(replace(self._order, below=self.trunk.subtree(worker.branch))), worker.branch.root

    @property
    def _in_parts(self) -> bool:
        return (self._options.workers > 1 and self.splits) or bool(self.trunk.limbs)

    @property
    def _order(self) -> TreeOrder:
        options = self._options
        return TreeOrder(
            limits=self.rule.limits,
            max_steps=options.max_steps,
            known_steps=options.known_steps,
            in_parts=self._in_parts,
            leads=self._leads,
            sleep_sets=options.sleep_sets and self.rule.sleeps,
            transitive_reduction=options.transitive_reduction,
            bound_optimisation=options.bound_optimisation,
            release_optimisation=options.release_optimisation and (self.rule.release_optimisation or self._leads),
            any_order=options.any_order,
            everything=not self.rule.reduces,
            match=self._match,
            match_limit=options.match_limit,
        )

    # ---- what came of it ----

    def learn(self, trace: Trace) -> None:
        assert trace.batch is not None
        batches = [one.batch for one in (trace, *trace.batch.others)]
        for worker, batch in zip(self._workers, batches, strict=True):
            if worker.branch is not None and batch is not None and batch.ran:
                self._hear(worker, worker.branch, batch.trees[self.place])
        self.begun = self.begun or any(worker.told.begun for worker in self._workers)
        if any(worker.told.left_bound for worker in self._workers if worker.branch is not None) and self._in_parts:
            self._begin_within_bound()
        joined = [worker.told.tally for worker in self._workers if worker.joined]
        if joined:  # else the other tree had all turns since this one was planted
            self.tally.tell(joined)
        self.total.tell([Told() if batch is None else batch.total for batch in batches])
        if self.total.executions == self.tally.executions:  # all of them within this tree: what is distinct need not be counted twice
            self.total.traces, self.total.states = self.tally.traces, self.tally.states

    def _hear(self, worker: _TreeWorker, branch: Branch, told: TreeTold) -> None:
        worker.told, worker.begins, worker.joined = told, False, True
        self.trunk.rule = _LEADING if told.leads else self.rule
        branch.executions = worker.executions - worker.past_executions
        branch.estimate = told.estimate
        self.trunk.tell(branch, told.above)
        if told.finished:
            worker.branch = None
            self.trunk.end(branch)

    def _begin_within_bound(self) -> None:
        """The parts so far were those of a search without the preemption bound, which goes on only while every trace lies within it."""
        self.trunk, self._leads, self._started, self.begun = Trunk(self.rule, self._options), False, False, False
        for worker in self._workers:
            worker.branch, worker.begins, worker.told = None, False, TreeTold(tally=worker.told.tally)

    # ---- for a later process ----

    def save(self) -> dict[str, Any]:
        """Whoever goes on with it loads it (tree_state.py); a single stack is saved as Tree saves its own. The stack of a tree that leads
        is not that of a search within the bound, so only one that leads goes on with it; to others it has not begun. That of one that
        recognises states, which only it knows, is not saved, nor that of an optimal search."""
        leads = any(worker.told.leads for worker in self._workers)
        stacks = self._stacks() if self._saves and not self.finished else _NO_STACK
        begun = self.finished or (not leads and bool(limbs_in(stacks)))
        facts = {"begun": begun, "finished": self.finished, "refused": self.refused, "tally": self.tally.save()}
        return facts | (_NO_STACK | {"leading": limbs_in(stacks)} if leads and not self.finished else stacks)

    def _stacks(self) -> dict[str, Any]:
        """Of the only worker, or those of all below their limbs."""
        stacks = [(worker.branch, worker.told.save()) for worker in self._workers if worker.branch is not None and not worker.begins]
        if not self.trunk.limbs:
            saved = stacks[0][1] if stacks else _NO_STACK
            return {key: saved[key] for key in _NO_STACK}
        return {"limbs": self.trunk.save([(branch, saved["schedule"], saved["frames"]) for branch, saved in stacks])}

    def load(self, saved: dict[str, Any]) -> None:
        leading = saved.get("leading") if self._leads and self._options.known_steps else None
        limbs = leading or limbs_in(saved)
        self._leads = bool(leading) or (self._leads and not saved["begun"])
        self.begun = self._started = saved["finished"] or bool(limbs)  # without either there is all to do
        self._loaded_refused = saved["refused"]
        self.tally.load(saved["tally"])
        self.trunk.rule = _LEADING if leading else self.rule
        self.trunk.load(limbs)

    def level(self) -> Level:
        counts = self.tally.counts()
        refused = self.refused if self.rule.limits.fair is None else max(self.refused, counts.refused_states)
        level = Level(self.bound, counts, self.finished, refused, self.estimate())
        told = self._workers[0].told
        if not self.finished or self._match != MEMORY or told.unidentified:
            return level
        if self._livelocks is None:
            self._livelocks = len(self.explored().livelocks())
        return replace(level, states=told.states, livelocks=self._livelocks)

    def explored(self) -> Explored:
        """The graph of states that executions have shown, where they are recognised."""
        from bpor.search.cycles.explored import Explored  # few searches recognise states

        explored = Explored(rounds_yield=self.rule.limits.fair is None)
        graph = self._workers[0].told.graph() if self._match == MEMORY and self.begun else None
        for state, enabled in enumerate(graph.enabled if graph is not None else (), 1):
            explored.state(state, enabled)
        for before, thread, after in graph.edges if graph is not None else ():
            explored.step(before, thread, after, yields=False)
        return explored

    def lassos(self) -> Iterator[Schedule]:
        """An endless fair schedule for each livelock that shows by now."""
        explored = self.explored()
        for component in explored.livelocks():
            lasso = explored.lasso(component, 1)
            if lasso is not None:
                yield Schedule(tuple(lasso[0]), tuple(lasso[1]))

    def rounds_alone(self) -> Iterator[Schedule]:
        """Endless schedules in which one thread alone goes round."""
        return (Schedule(tuple(stem), tuple(round_)) for stem, round_ in self.explored().rounds_alone(1))

    def estimate(self) -> Estimate:
        if self.finished:
            return Estimate(*[self.tally.executions] * 3)
        if not self.trunk.limbs and self.trunk.branches:
            return Estimate(*self.trunk.branches[0].estimate)
        return self.trunk.estimate()


def explore(trees: Sequence[BesideTree | None], leads: Sequence[int], weight: int = 1) -> Plan:
    """One plan for one tree, or for two that take turns beside the program, weighed so; `leads`: of each worker."""
    by_place: list[BesideTree | None] = [None, None]
    for tree in trees:
        if tree is not None and not tree.finished:
            tree.share_out()
            by_place[tree.place] = tree
    one = next(tree for tree in by_place if tree is not None)
    parts = [_exploration(by_place, number, lead) for number, lead in enumerate(leads)]
    first = replace(
        parts[0],
        begin_total=one.total.executions == one.total.loaded,
        weight=weight,
        distinct_cap=one._options.distinct_cap,
        narrowed=one._options.narrowed,
        states_cap=one._options.states_cap,
        seconds=_SHORT if any(part.idle for part in parts) and any(tree.splits for tree in by_place if tree is not None) else BATCH_SECONDS,
        others=tuple(parts[1:]),
    )
    return Plan(limits=one.rule.limits, max_steps=one._options.max_steps, exploration=first)


def _exploration(trees: Sequence[BesideTree | None], number: int, lead: int) -> Exploration:
    one, other = (None if tree is None else tree.part(number) for tree in trees)
    return Exploration(
        trees=(one is not None, other is not None),
        begin=(None if one is None else one[0], None if other is None else other[0]),
        roots=(0 if one is None else one[1], 0 if other is None else other[1]),
        lead=lead,
    )


def limbs_in(saved: dict[str, Any]) -> list[dict[str, Any]]:
    """What was saved, as a trunk loads it: perhaps a single stack."""
    if "limbs" in saved:
        return list(saved["limbs"])
    schedule = saved["schedule"]
    return [dict(values, parent=index - 1, thread=schedule[index - 1] if index else None) for index, values in enumerate(saved["frames"])]


def plant(
    bound: Bound, rule: Rule, options: SearchOptions, total: Tally, place: int = 0, leads: bool = True
) -> Tree | BesideTree | LibraryTree:
    """A tree where the options want it, and where it can be."""
    if options.engine == "library" and rule.beside and not options.check_postconditions:
        from bpor.search.engine.library_tree import LibraryTree  # it loads a library that searches of native programs do not need

        return LibraryTree(bound, rule, options, total)
    fits = max(options.distinct_cap, options.states_cap) <= _LARGEST_TABLE
    if options.engine == "native" and rule.beside and fits and not options.check_postconditions:
        return BesideTree(bound, rule, options, total, place, leads)
    limits = rule.limits
    if options.match == MEMORY and rule.reduces and limits == Limits(limits.preemption, limits.fair):
        from bpor.search.cycles.rule import Recognising
        from bpor.search.cycles.tree import MatchingTree

        return MatchingTree(bound, Recognising(limits.preemption, limits.fair), options, total)
    return Tree(bound, rule, options, total)


AnyTree: TypeAlias = "Tree | BesideTree | LibraryTree | Patchwork"
PlantTree: TypeAlias = "Callable[[Bound, Rule, SearchOptions, Tally], AnyTree]"
