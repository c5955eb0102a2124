"""SimulatedExecutor: runs plans on a simulated program, as the native target runs them on a process."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from enum import Enum

from bpor.errors import Diverged, InternalError
from bpor.model.choice import Choice, alternative_of, thread_of
from bpor.model.operation import Operation
from bpor.model.plan import Limits, Plan, State
from bpor.model.policy import Policy
from bpor.model.step import Step
from bpor.model.trace import End, Outcome, Trace
from bpor.simulate.action import Effect
from bpor.simulate.causality import event_kind
from bpor.simulate.coverage import Coverage
from bpor.simulate.kin import Kin
from bpor.simulate.program import DEFAULT, Program, Semantics
from bpor.simulate.unroll import Unrolling
from bpor.simulate.world import World, identity_of

_HASH_MASK = (1 << 64) - 1


def _as_number(value: Hashable) -> int:
    """What a step's value looks like in a trace."""
    if isinstance(value, int):
        return int(value)
    return list(type(value)).index(value) if isinstance(value, Enum) else 0


class SimulatedExecutor:
    """An Executor. With `coverage`, every execution is recorded there, whatever the plan asks to be reported."""

    def __init__(
        self,
        program: Program,
        semantics: Semantics = DEFAULT,
        coverage: Coverage | None = None,
        unrolling: Unrolling | None = None,
        symmetry: bool = False,
    ) -> None:
        self.program = program
        self.semantics = semantics
        self.coverage = coverage
        self.unrolling = unrolling if unrolling is not None else Unrolling()
        self.symmetry = symmetry  # of threads with one body, one goes on while they have done the same
        self.executions = 0
        self.steps = 0
        self._identities: dict[Hashable, int] = {}

    def run(self, plan: Plan) -> Trace:
        self.executions += 1
        return _Execution(self, plan).run()

    def identity(self, world: World) -> int:
        """The same number for the same state, in every execution."""
        return self._identities.setdefault(identity_of(world), len(self._identities))

    def identities(self) -> Iterable[tuple[Hashable, int]]:
        """Every state that was identified, with its number."""
        return self._identities.items()


class _Execution:
    """One execution under way."""

    def __init__(self, executor: SimulatedExecutor, plan: Plan) -> None:
        self.executor = executor
        self.plan = plan
        self.world = World(executor.program, executor.semantics, executor.unrolling)
        limits = plan.limits
        holds_back = executor.symmetry and limits == Limits(limits.preemption)
        self.kin = Kin(self.world, limits.preemption is not None) if holds_back else None
        self.policy = Policy(plan.limits, plan.sleep, plan.wake_next, len(plan.prefix))
        self.steps: list[Step] = []
        self.previous: Step | None = None  # for a chooser
        self.steps_of: dict[int, list[int]] = {}  # indices, by thread
        self.index = 0
        self.hash = 0
        self.states: list[int | None] = []
        self.passed: set[Hashable] = set()  # if states are recognised: those of this execution, with what the bound counts
        self.enabled = self.timed = 0
        self.initial = self._announce(range(len(self.world.nodes))) if plan.report_from == 0 else ()
        self.record = executor.coverage.begin(self.world) if executor.coverage is not None else None

    def run(self) -> Trace:
        while True:
            ready, waiters = self.world.enabledness()
            if self.kin is not None:
                ready &= ~self.kin.held_back(self.world, ready)
            idle = self.policy.is_idle(ready, waiters)
            self.enabled, self.timed = (ready | waiters, waiters) if idle else (ready, 0)
            again = self._identify() if self.plan.identify else False
            choice = End(Outcome.MATCHED) if again and self.index >= len(self.plan.prefix) else self._choose()
            if not isinstance(choice, int):
                return self._trace(choice)
            self._step(choice)

    def _identify(self) -> bool:
        """Notes which state this is. True: states are recognised, and this one was passed before in this execution."""
        plan, policy = self.plan, self.policy
        if self.index < plan.report_from and not plan.match:
            return False
        identity = self.executor.identity(self.world)
        if self.index >= plan.report_from:
            self.states.append(identity)
        if not plan.match or plan.chooser is not None:  # who chooses also recognises
            return False
        last = (policy.last, policy.last_cut) if plan.limits.preemption is not None else None
        yields = tuple(sorted(policy.yields.items())) if plan.limits.fair is not None else ()
        node = (identity, last, yields, policy.circling)
        again = node in self.passed and bool(self.enabled)
        self.passed.add(node)
        return again

    def _choose(self) -> int | End:
        plan = self.plan
        if not self.enabled:
            if self.index < len(plan.prefix):
                raise Diverged(self.index, f"thread {plan.prefix[self.index]}", "the end of the execution")
            ending = self.world.outcome_if_stuck()
            return End(ending.outcome, ending.code, ending.thread, ending.message)
        if self.index < len(plan.prefix):
            return self._follow(plan.prefix[self.index])
        if plan.stop_after_prefix:
            return End(Outcome.STOPPED)
        if self.index >= plan.max_steps:
            return End(Outcome.STEP_LIMIT)
        if plan.chooser is not None:
            return self._ask()
        choice = self.policy.choose(self.enabled, self.timed)
        return choice if isinstance(choice, int) else End(choice)

    def _follow(self, choice: Choice) -> Choice:
        plan, thread = self.plan, thread_of(choice)
        if self.index > 0 and self.index == len(plan.prefix) - 1 and plan.prefix_hash not in (None, self.hash):
            raise Diverged(self.index, f"hash {plan.prefix_hash:#x}", f"hash {self.hash:#x}")
        if not self.enabled >> thread & 1:
            raise Diverged(self.index, f"thread {thread}", f"only threads {self.enabled:#b} (a mask) are enabled")
        return self._offered(choice)

    def _offered(self, choice: Choice) -> Choice:
        thread, alternative = thread_of(choice), alternative_of(choice)
        if alternative and alternative >= (offered := self.world.alternatives(thread)):
            raise Diverged(self.index, f"alternative {alternative} of thread {thread}", f"only {offered} are offered")
        return choice

    def _ask(self) -> int | End:
        assert self.plan.chooser is not None
        self.policy.refused += self.policy.refuses(self.enabled, self.timed)
        pending = dict(self._announce(range(len(self.world.nodes))))
        identity = self.states[-1] if self.states else None
        chosen = self.plan.chooser(State(self.index, self.enabled, self.timed, self.policy.last, pending, self.previous, identity))
        if chosen is None:
            return End(Outcome.STOPPED)
        if not self.enabled >> thread_of(chosen) & 1:
            raise InternalError(f"the chooser picked thread {chosen}, which is not enabled at step {self.index}")
        return self._offered(chosen)

    def _step(self, choice: Choice) -> None:
        world, thread, alternative = self.world, thread_of(choice), alternative_of(choice)
        offered = world.alternatives(thread)
        node, operation, live = world.nodes[thread], world.pending(thread), world.live
        assert operation is not None
        effect = world.perform(thread, alternative)
        self.hash = hash((self.hash, choice, node.operation_hash, self.enabled)) & _HASH_MASK
        self.steps_of.setdefault(thread, []).append(self.index)
        following = world.pending(thread) if world.ending is None else None
        circles = effect.yields and not effect.passing
        self.policy.took(
            thread,
            self.enabled,
            self.timed,
            effect.footprint,
            effect.yields,
            effect.cuts,
            following,
            circles,
            world.fresh,
            world.waits_timed(),
        )
        if self.kin is not None:
            self.kin.step(world, thread, operation.kind, effect.footprint, effect.yields)
        if self.plan.match:
            self.policy.normalise(world.live)
        if self.record is not None:
            joined = node.action.target if node.action else None
            self.record.step(world, thread, event_kind(operation.kind, alternative), effect.footprint, joined)
        if self.index >= self.plan.report_from or self.plan.chooser is not None:
            self.previous = self._report(thread, operation, effect, live)._replace(
                alternatives=offered, alternative=alternative, source=self._index_of(effect.source)
            )
            if self.index >= self.plan.report_from:
                self.steps.append(self.previous)
        self.index += 1
        self.executor.steps += 1

    def _report(self, thread: int, operation: Operation, effect: Effect, live: int) -> Step:
        world = self.world
        ended = (live | sum(1 << each for each in world.fresh)) & ~world.live
        return Step(
            thread,
            operation,
            effect.footprint,
            self.enabled,
            self._announce((thread, *world.fresh)) if world.ending is None else (),
            tuple(each for each in (thread, *world.fresh) if ended >> each & 1) if ended else (),
            self.timed,
            effect.yields,
            effect.cuts or effect.yields,
            effect.failed,
            effect.timed_out,
            False,
            world.ending is not None,
            _as_number(effect.value),
            effect.yields and not effect.passing,
            self.hash,
        )

    def _index_of(self, who: tuple[int, int] | None) -> int | None:
        return None if who is None else self.steps_of[who[0]][who[1] - 1]

    def _announce(self, threads: range | tuple[int, ...]) -> tuple[tuple[int, Operation], ...]:
        pending = ((thread, self.world.pending(thread)) for thread in threads)
        return tuple((thread, operation) for thread, operation in pending if operation is not None)

    def _trace(self, end: End) -> Trace:
        if self.record is not None:
            self.record.end(self.world, end.outcome)
        return Trace(
            end,
            tuple(self.steps),
            min(self.plan.report_from, self.index),
            self.initial,
            self.enabled,
            self.timed,
            self.policy.preemptions,
            self.policy.refused,
            len(self.world.nodes),
            self.hash,
            tuple(self.states),
        )
