"""The default search: unbounded reduction and growing preemption bounds take turns, execution by execution.

Bugs with few preemptions come first, and if the unbounded tree turns out to be small it is finished and says everything. Once an execution
is long and was seen to come back to a state, both begin again and recognise states (`match` auto): endless loops end there. After many
executions the unbounded one alone does so, on trial: it goes on with that if most of its executions come to a known state, or some of
them where it would be far from its end without; else it begins again as it was, along steps that are known by then. Whatever it does, every
second execution is within a bound; nearly all of them are, once the unbounded search has taken long and is seen to be far from its end; and
none is while that end is seen to be near, because then nothing else says as much as soon.
The fair bound excludes finite schedules (erratum E25), so it is switched on only if the step limit is reached in spite of that, by a
program with infinitely many states or whose states cannot be told apart; then both searches begin again within fair:2, and when the
unbounded one is finished the fair bound is doubled, while it still refuses somebody; and raised at once to where nothing is lost, if at its
ceiling schedules still are. If a preemption bound takes long, and a few executions show that it is much smaller within fair:2, the bounds
go on within fair:2 alone, and the unbounded search joins them when it takes long, too, or when a further preemption adds nothing. Those few
are neighbours, which differ in their last steps: so a bound that goes on to take long is compared again, by more executions.
A loop that waits makes more schedules the longer it may go on, and the fair bound leaves out those in which a thread only waits; what it
leaves out besides is counted (Counts.lost), so the statement is weaker, and it is tried only where the other one is far away.
Where memory is weak, the number of old values is bounded beside that of preemptions, and grows with it.
A search that is still not finished after some thousand executions draws a few (share.py).
Invariant: a level that was ever finished stays in levels(); the statement is the strongest of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bpor.lazy_dataclass import replace
from bpor.model.executor import Executor
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Outcome, Trace
from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.bounds.rules import rule_for
from bpor.search.coverage import Level, load_level, save_level
from bpor.search.engine.beside_tree import AnyTree, BesideTree, explore, plant
from bpor.search.engine.tree import Tree
from bpor.search.engine.tree_state import load_tree, save_tree
from bpor.search.options import AUTO, FAIR_ENOUGH, MEMORY, OFF, SearchOptions
from bpor.search.strategies.share import Share
from bpor.search.tally import Counts, Tally

_STEP, _WHOLE = 0, 1  # places of the two trees beside the program
_LONG = 2_000  # steps of an execution, after which somebody should look whether it goes round
_MANY = 1_000  # executions, after which it may pay to recognise states, ...
_WORTH = 4_000  # ... if at least so many are left
_TRIAL = 16  # executions that show whether it does, or whether a fair bound makes a tree small, for the first time; ...
_MORE = 16  # ... so many times as many for the next
_SMALL = 16  # such a tree has so many times less left
_RESET = 100  # steps that an execution costs beside its own
_SPENT = 100_000  # steps of a tree within a preemption bound that takes long, ...
_SPENT_RECOGNISING = 8_000  # ... of one that recognises states, each of which costs several times as much, ...
_SPENT_WHOLE = 1_000_000  # ... and of the unbounded tree
_FAR = 1_000  # times as much as was done is left: that tree is not for now, ...
_WEIGHT = 8  # ... and has one execution for so many within a bound; ...
_WEIGHT_RECOGNISING = 2  # ... one that recognises states in its place, whose executions take longer, for so many
_NEAR = 10_000_000  # steps in all of an unbounded tree that is finished soon, ...
_SURE = 300  # ... so many executions of which tell what it is expected to take, ...
_BATCHES = 100  # ... and no more than so many batches, each of which takes a tenth of a second at most


class Widening:
    def __init__(self, options: SearchOptions) -> None:
        self.total = Tally(options.distinct_cap)
        self.exhausted = False
        self._options = options
        self._past: list[Level] = []
        self._batch = 0  # executions of the largest one
        self._share = Share(options)
        self.short = options.match == AUTO and options.max_steps > _LONG  # is the step limit lower than it was asked for?
        self._long = False  # an execution has reached that one, and nobody saw it go round
        self._tries = options.match == AUTO  # recognising states was not tried yet, though nothing goes round,
        self._try_at = _MANY  # nor is before so many executions
        self._on_trial = False  # it is, by the unbounded search, which has those turns
        self._alone = False  # the unbounded search has all turns, because its end is near
        self._was_far = False  # without them that search was far from its end
        self._waits = False  # somebody waits in a loop, so that a fair bound makes a tree small
        self._fair_trial = _TRIAL  # executions that are to show it next ...
        self._unfair_left = 0.0  # ... beside what is left without it
        self._begin(None, options.match if options.match != AUTO else OFF)

    def _begin(self, fair: int | None, match: str = OFF) -> None:
        self._fair, self._match = fair, match
        self._step_fair = fair  # of the bounded tree
        self._tries_fair = False  # that tree is one that shows whether a fair bound makes it small
        self._preemptions = self._last_traces = 0  # the latter: within one preemption less
        self._turn = self._planted_step()
        self._step: AnyTree | None = self._turn
        self._whole: AnyTree | None = self._tree(Bound.of(fair=fair), _WHOLE)
        self._on_trial = False
        # Executions with a preemption bound minus those without, by weight, since the fair bound last changed, while both took part:
        # of each worker.
        self._leads = [0] * self._options.workers

    def _next_step(self) -> Bound:
        """Of the bounded tree. Nearly all that weak memory shows takes one old value (docs/atomics.md), so that is where it begins."""
        return Bound.of(self._preemptions, self._step_fair, max(1, self._preemptions) if self._options.weak else None)

    @property
    def _lead(self) -> int:
        return sum(self._leads)

    def _planted_step(self) -> AnyTree:
        return self._tree(self._next_step(), _STEP, OFF if self._step_fair is not None else None)

    def _tree(self, bound: Bound, place: int, match: str | None = None) -> AnyTree:
        steps = _LONG if self.short else self._options.max_steps
        options = replace(self._options, match=self._match if match is None else match, max_steps=steps)
        return plant(bound, rule_for(bound), options, self.total, place, leads=False)  # the unbounded tree does

    def next_plan(self) -> Plan | None:
        if self._long:
            self.short = self._long = False
            self._begin(None)
        self._alone = self._is_near()
        if not (self.exhausted or self._alone) and self._fair is None and self._share.is_due(self.total.executions):
            return self._share.plan()
        while not self.exhausted:
            if isinstance(self._whole, BesideTree) and self._whole.finished:  # perhaps on trial, when the turn is the other's
                self._finish_whole(self._whole.level())
                continue
            if self._step is not None and not self._alone and (self._whole is None or self._lead <= 0):
                self._turn = self._step
                finish = self._finish_step
            elif self._whole is not None:
                self._turn = self._whole
                finish = self._finish_whole
            else:  # both were cut: nothing that is left to run would complete a statement
                self.exhausted = True
                break
            if isinstance(self._turn, BesideTree) and not self._turn.finished:
                return self._together()
            plan = self._turn.next_plan()
            if plan is not None:
                return plan
            finish(self._turn.level())
        return None

    def _together(self) -> Plan:
        """Beside the program, both take turns within one plan."""
        step, whole = self._step, self._whole
        assert isinstance(step, BesideTree | None) and isinstance(whole, BesideTree | None)
        if self._alone:
            step = None
        if whole is not None and self._may_try:
            return _at_most(explore((step, whole), self._leads, self._weight), max(self._try_at - self.total.executions, 1))
        if whole is not None and self._on_trial:
            return _at_most(explore((whole,), self._leads), _TRIAL)
        together = explore((step, whole), self._leads, self._weight)
        return _at_most(together, 2 * self._fair_trial) if self._tries_fair else together

    @property
    def _may_try(self) -> bool:
        return self._tries and self._match == OFF and self._fair is None

    def _is_near(self) -> bool:
        """Is all of the unbounded tree expected to take a moment? Whatever the estimate says, one that has taken longer is not."""
        tree = self._whole
        if tree is None or tree.tally.executions < _SURE:
            return False
        executions, spent = tree.tally.executions, tree.tally.made + _RESET * tree.tally.executions
        if spent > _NEAR:  # which is asked first, because an estimate takes time
            return False
        left = _left(tree)
        return spent * (1 + left / executions) <= _NEAR and (self._batch == 0 or left <= _BATCHES * self._batch)

    def _try_states(self) -> None:
        """After many executions: would most of them come to a known state?"""
        whole = self._whole
        if not isinstance(whole, BesideTree) or whole.finished:
            return
        if self._may_try and self.total.executions >= self._try_at:
            if _left(whole) < _WORTH or self._is_near():
                self._try_at = 2 * self.total.executions
                return
            self._tries, self._was_far = False, _is_far(whole)
            self._whole = self._tree(Bound.of(), _WHOLE, MEMORY)
            self._on_trial = self._whole.recognises
        elif self._on_trial and whole.tally.executions >= _TRIAL:
            self._on_trial = False
            matched = 4 * whole.tally.counts().matched
            if not whole.identifies or matched < (1 if self._was_far else 3) * whole.tally.executions:
                self._whole = self._tree(Bound.of(), _WHOLE)

    def learn(self, trace: Trace) -> None:
        if self._share.takes(trace):
            return
        if trace.batch is None:
            self._turn.learn(trace)
            self._leads[0] += 1 if self._turn is self._step else -self._weight * (not self._alone)
        else:
            for tree in (self._step, self._whole):
                if tree is not None:
                    tree.learn(trace)
            batches = [one.batch for one in (trace, *trace.batch.others) if one.batch is not None]
            self._leads = [batch.lead for batch in batches]
            self._batch = max(self._batch, sum(batch.executions for batch in batches))
            self._try_states()
        if self._fair is None and _met_step_limit(trace):
            self._go_round()
        elif self._fair is None and self._options.match in (AUTO, OFF):
            self._lose_patience()

    @property
    def _weight(self) -> int:
        """Of an execution of the unbounded tree, in those of the other one."""
        whole = self._whole
        if whole is None:
            return 1
        if getattr(whole, "recognises", False):  # how much is left of it nobody can tell
            return _WEIGHT_RECOGNISING if self._was_far else 1
        return _WEIGHT if _is_spent(whole) and _is_far(whole) else 1

    def _lose_patience(self) -> None:
        step, whole = self._step, self._whole
        if step is not None and self._tries_fair:
            if step.tally.executions >= self._fair_trial:
                self._end_fair_trial(waits=_SMALL * _left(step) <= self._unfair_left)
        elif step is not None and self._step_fair is None and self._may_be_smaller(step):
            self._past.append(step.level())
            self._unfair_left = _left(step)
            self._step_fair = self._options.fair_start
            self._tries_fair = not self._waits and self._match == OFF  # else a state was seen to come back: somebody waits
            self._waits = not self._tries_fair
            self._step = self._planted_step()
        elif whole is not None and self._step_fair is not None and _is_spent(whole, unbounded=True):
            self._join()

    def _may_be_smaller(self, step: AnyTree) -> bool:
        """Is it time to look? Not again where most is done: to look is to begin again."""
        is_first = self._fair_trial == _TRIAL
        return _is_spent(step, times=self._fair_trial // _TRIAL) and (is_first or _left(step) >= _SMALL * step.tally.executions)

    def _end_fair_trial(self, waits: bool) -> None:
        """Where somebody waits, the tree that has shown it goes on."""
        self._tries_fair, self._waits = False, waits
        if not waits:
            self._fair_trial *= _MORE
            self._step_fair = None
            self._step = self._planted_step()

    def _join(self) -> None:
        """The unbounded search goes on within the fair bound of the other one."""
        if self._whole is not None and self._whole.begun:
            self._past.append(self._whole.level())
        self._fair, self._on_trial = self._step_fair, False
        self._whole = self._tree(Bound.of(fair=self._fair), _WHOLE, OFF)

    def _go_round(self) -> None:
        """An execution has reached the step limit."""
        if self.short:
            self._long = True
            return
        self._past += self._open()
        if self._options.match == AUTO and self._match == OFF:
            self._begin(None, MEMORY)
        else:
            self._begin(self._options.fair_start)

    def _finish_step(self, level: Level) -> None:
        if self._tries_fair:
            self._end_fair_trial(waits=True)
        self._past.append(level)
        if level.whole:
            self.exhausted = True
        elif level.complete:
            self._climb(level.counts.distinct_traces)
        else:
            self._step = None  # what cut this level cuts those above it

    def _climb(self, traces: int) -> None:
        """To one more preemption."""
        adds_nothing = self._fair is None and self._step_fair is not None and traces == self._last_traces
        self._preemptions, self._last_traces = self._preemptions + 1, traces
        if adds_nothing:
            self._join()
        self._step = self._planted_step()

    def _finish_whole(self, level: Level) -> None:
        self._past.append(level)
        self._on_trial = False
        if not level.complete:
            self._whole = None
            return
        larger = self._fairer(level)
        if level.whole or larger is None:
            self.exhausted = True
        else:
            self._begin(larger)

    def _fairer(self, level: Level) -> int | None:
        """The next fair bound. At the ceiling that is the last one, unless schedules were lost: then one that a loop which only counts
        its rounds needs to show that."""
        if self._fair is None:
            return None
        larger, ceiling = self._fair * 2, self._options.fair_ceiling
        if ceiling is None or larger <= ceiling:
            return larger
        return FAIR_ENOUGH if level.counts.lost and self._fair < FAIR_ENOUGH else None

    def done(self) -> tuple[Level, ...]:
        """Levels that a later search may rely on: livelocks of states that were recognised are judged by the search that has them."""
        return tuple(level for level in self._past if level.passed and not level.states)

    def follow(self, given_up: Widening, clean: Sequence[Level] = ()) -> None:
        """That search of the same program has seen what threads wait for; what is known of loops need not be found out again, and levels
        that are `clean` need not be searched again."""
        self._past = list(clean)
        if given_up._fair is not None or given_up._waits:
            self.short = given_up.short
            self._begin(given_up._fair and self._options.fair_start, given_up._match if self._options.match == AUTO else OFF)
        if given_up._waits:
            self._waits, self._step_fair = True, self._options.fair_start
        self._preemptions = self._next_preemptions()
        self._turn = self._step = self._planted_step()

    def _next_preemptions(self) -> int:
        """The first bound of the bounded tree that is not completed."""
        done = [level.bound for level in self._past if level.bound.value_fair in (None, self._step_fair)]
        most = (bound.value(BoundKind.PREEMPTION) for bound in done)
        return max((preemptions + 1 for preemptions in most if preemptions is not None), default=0)

    def expect_loops(self) -> None:
        """The program was seen to come back to a state."""
        if self.short:
            self.short = self._long = False
            self._begin(None, MEMORY)

    @property
    def recognises(self) -> bool:
        """Are states recognised, or will they be as soon as an endless loop is met?"""
        return self._fair is None and self._options.match != OFF

    def lassos(self) -> Iterator[Schedule]:
        """Endless fair schedules, where states are recognised."""
        for tree in (self._whole, self._step):
            if isinstance(tree, Tree | BesideTree):
                yield from tree.lassos()

    def _open(self) -> list[Level]:
        return [tree.level() for tree in (self._step, self._whole) if tree is not None and tree.begun]

    @property
    def counts(self) -> Counts:
        return self._share.with_drawn(self.total.counts())

    def open_trees(self) -> tuple[AnyTree, ...]:
        return tuple(tree for tree in (self._step, self._whole) if tree is not None and tree.begun)

    def levels(self) -> tuple[Level, ...]:
        return tuple(self._past) if self.exhausted else (*self._past, *self._open())

    def save(self) -> dict[str, Any]:
        return {
            "total": self.total.save(),
            "past": [save_level(level) for level in self._past],
            "exhausted": self.exhausted,
            "fair": self._fair,
            "step_fair": self._step_fair,
            "waits": self._waits,
            "fair_trial": self._fair_trial,
            "unfair_left": self._unfair_left if self._tries_fair else None,
            "preemptions": self._preemptions,
            "lead": self._lead,
            "share": self._share.save(),
            "step": None if self._step is None else save_tree(self._step),
            "whole": None if self._whole is None else save_tree(self._whole),
        }

    def load(self, saved: dict[str, Any], executor: Executor) -> None:
        self._begin(saved["fair"])
        self._step_fair, self._waits = saved.get("step_fair", saved["fair"]), bool(saved.get("waits"))
        left = saved.get("unfair_left")
        self._fair_trial, self._tries_fair, self._unfair_left = saved.get("fair_trial", _TRIAL), left is not None, left or 0.0
        self._share.load(saved["share"])
        self._past = [load_level(level) for level in saved["past"]]
        self._preemptions, self._leads[0], self.exhausted = saved["preemptions"], saved["lead"], saved["exhausted"]
        self._step = self._load(self._next_step(), _STEP, saved["step"], executor)
        self._whole = self._load(Bound.of(fair=self._fair), _WHOLE, saved["whole"], executor)
        self.total.load(saved["total"])

    def _load(self, bound: Bound, place: int, saved: dict[str, Any] | None, executor: Executor) -> AnyTree | None:
        return None if saved is None else load_tree(self._tree(bound, place), saved, executor)


def _at_most(plan: Plan, executions: int) -> Plan:
    assert plan.exploration is not None
    return replace(plan, exploration=replace(plan.exploration, executions=executions))


def _met_step_limit(trace: Trace) -> bool:
    """A batch is not interrupted for the second one: its trace is of another execution then."""
    batches = () if trace.batch is None else [one.batch for one in (trace, *trace.batch.others)]
    met = any(batch is not None and batch.ended.get(Outcome.STEP_LIMIT) for batch in batches)
    return met or trace.end.outcome is Outcome.STEP_LIMIT


def _is_spent(tree: AnyTree, unbounded: bool = False, times: int = 1) -> bool:
    """Has it taken long, or so many times as long, without being half done?"""
    tally = tree.tally
    room = _SPENT_WHOLE if unbounded else _SPENT_RECOGNISING if tree.recognises else _SPENT
    return tally.made + _RESET * tally.executions >= times * room and _left(tree) >= tally.executions


def _is_far(tree: AnyTree) -> bool:
    return _left(tree) >= _FAR * tree.tally.executions


def _left(tree: AnyTree) -> float:
    """Executions that it is expected to take."""
    estimate = tree.estimate()
    return 0.0 if estimate is None else estimate.expected - tree.tally.executions
