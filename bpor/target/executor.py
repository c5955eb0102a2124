"""NativeExecutor: runs plans on a real program. Behind the same interface as simulated programs."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from bpor.errors import Damaged, Diverged, EngineUnfit, InternalError, OffersAlternatives, Uncontrolled
from bpor.knobs.values import PROCESS_STATES, process_states
from bpor.lazy_dataclass import replace
from bpor.model.deadline import LATEST
from bpor.model.orders import OrderAt
from bpor.model.plan import Plan
from bpor.model.step import Step
from bpor.model.trace import Description, Outcome, Trace
from bpor.protocol import wire
from bpor.target.channel import Capture, TargetGone, TargetSilent
from bpor.target.company import let_go
from bpor.target.conversation import COURTESY, Conversation
from bpor.target.decode import Decoder, Vocabulary
from bpor.target.describe import DescribingDecoder
from bpor.target.endings import end_of, interchanged_in, modules_of, offered_by, outcome_number, weak_seen
from bpor.target.launch import NeedsLazyBinding, Target
from bpor.target.loaded import Loaded
from bpor.target.memory import Memory
from bpor.target.mode import Mode, first_mode
from bpor.target.options import TargetOptions
from bpor.target.program import TargetProgram, inspect_program
from bpor.target.sanitizers import asan_options, asan_reason
from bpor.target.workspace import Workspace

_LOOKS_AT_DIVERGENCE = 3


_DIVERGED, _INTERNAL = outcome_number("DIVERGED"), outcome_number("INTERNAL")
_MORE_SLOTS, _NEEDS_FORK, _NEEDS_EXEC = (outcome_number(name) for name in ("MORE_SLOTS", "NEEDS_FORK", "NEEDS_EXEC"))
_UNFIT, _DAMAGED = outcome_number("UNFIT"), outcome_number("DAMAGED")
_UNUSABLE = frozenset({_DIVERGED, _MORE_SLOTS, _NEEDS_FORK, _NEEDS_EXEC, _UNFIT, _DAMAGED, _INTERNAL})
_FAMILY_PERHAPS = wire.constant("BPOR_FAMILY_PERHAPS")
_ENDS_BETWEEN_STEPS = frozenset({Outcome.DEADLOCK, Outcome.EXIT})  # any other bug ends it inside the segment of a step
_WHOLE = frozenset({Outcome.PASSED, Outcome.EXIT, Outcome.REFUSED})  # every process has ended
_SILENCE = (b"", b"")


class Unfit(Exception):
    """The target cannot run this plan in its mode; `better` is one in which it can."""

    def __init__(self, better: Mode, reason: str) -> None:
        self.better, self.reason = better, reason


class NativeExecutor:
    """Context manager. Starts the target at first use.

    A target that dies, falls silent or does what rollback cannot undo is started again in a mode that can tell or bear it, and the
    plan repeated: a mode changes how fast an answer comes, never the answer.
    """

    explores = False  # can search a tree by itself (beside.py)

    def __init__(
        self, argv: Sequence[str], options: TargetOptions | None = None, program: TargetProgram | None = None, worker: int = 0
    ) -> None:
        self.argv = list(argv)
        self._worker = worker  # of several, each on a processor of its own, from 1; 0: there is only this one
        self.program = program or inspect_program(self.argv[0])
        self.options = asan_options(self.program.elf, options or TargetOptions())
        self.description = Description()
        self._workspace = Workspace()
        self._memory = Memory(with_search=self.explores)
        self._out, self._err = Capture("stdout"), Capture("stderr")
        self.mode = first_mode(self.options)
        self.reason = asan_reason(self.program.elf) or _one_of_several(
            self.options.process
        )  # why the mode is not the first choice; empty: it is
        self._target: Target | None = None
        self._vocabulary = Vocabulary()
        self.containers = 0  # of Python, that instrumented code reached in some execution
        self.told = False  # instrumented code accessed memory in the explored part of some execution
        self._code_texts = "", "", ""
        self.loaded = Loaded()  # what code was in the process in some execution
        self.asked: frozenset[str] = frozenset()  # options.asks: names of files, each behind a sign (csrc/process/asked.h)
        self.asked_more = False  # there are names that are not known
        self.free_threaded = False  # it is a Python interpreter that runs without a global lock
        self.other_program = ""  # path of the one that has the threads, if it is not the one that was given
        self.turns = 0  # processes that made threads one after the other, in every execution; 0: not known
        self._refused = ""  # a call that matters if the process which made it will have threads
        self._before = _SILENCE  # what the target said on its way to the fork point
        self._known: list[Step] = []  # the steps of the last execution: what a diverging prefix is compared with

    def run(self, plan: Plan) -> Trace:
        if not self.options.stacks:
            return self._run(plan, describe=False)
        # Threads tell their stacks when they announce an operation, not when the report begins.
        return _told_from(self._run(replace(plan, report_from=0), describe=True), plan.report_from)

    @property
    def temporary(self) -> tuple[str, ...]:
        """Directories that it makes for the program."""
        return (str(self._workspace.root),)

    def describe(self, plan: Plan) -> tuple[Trace, Description]:
        """The same execution with everything a report needs."""
        return self._run(plan, describe=True), self.description

    def widen(self, visible: tuple[tuple[int, int], ...], process_state: str, memory: str) -> None:
        """From the next execution on; a target that runs need not be started again."""
        self.options = replace(self.options, visible=visible, process_state=process_state, memory=memory)
        if self._target is not None:
            self._target.show(visible, process_state)
            self._target.weaken(memory)

    def reorder(self, orders: tuple[OrderAt, ...]) -> None:
        """From the next execution on, the program's memory orders are others at these call sites."""
        self.options = replace(self.options, orders=orders)
        if self._target is not None:
            self._target.reorder(self.program, orders)

    def infer(self, polling: tuple[int, ...]) -> None:
        """From the next execution on, coming back to these call sites is a yield."""
        self.options = replace(self.options, polling=polling)
        if self._target is not None:
            self._target.infer(polling)

    @property
    def identifies(self) -> bool:
        """Do states have identities, as far as is known yet?"""
        return self.mode.identifies

    def executing(self) -> int:
        """The process that runs the execution which is asking now (0: none)."""
        return int(self._target.channel.shared.child) if self._target is not None else 0

    def _run(self, plan: Plan, describe: bool) -> Trace:
        died = False
        while True:
            try:
                trace = self._run_once(plan, describe)
            except Unfit as unfit:
                self._change_mode(unfit.better, unfit.reason)
            except (TargetGone, TargetSilent) as trouble:
                self._bury_target(trouble, died)
                died = True
            except Diverged:
                if not self._threads_are_elsewhere():
                    raise
            else:
                return trace
            finally:
                if self.mode.exec:
                    self._drop_target()

    def _threads_are_elsewhere(self) -> bool:
        """A schedule begins with the first thread of the process that makes them: which that is, a free execution tells."""
        if self.mode.follows or self._memory.shared.threads_made:
            return False
        self._run(Plan(), describe=False)
        return self.mode.follows

    def _bury_target(self, trouble: Exception, again: bool) -> None:
        """It died or fell silent: a mode that can tell or bear it, or nothing can be done."""
        how = self._target.how_it_ended() if self._target is not None and isinstance(trouble, TargetGone) else ""
        self._drop_target()
        if self.mode.rollback:
            self._change_mode(self.mode.with_fork(), "the program ended or stopped the process it ran in")
        elif isinstance(trouble, TargetSilent):
            raise Uncontrolled("the process that starts executions does not answer: it was stopped, or the program stopped it")
        elif again:
            raise Uncontrolled(f"the process that starts executions {how} twice: by the program, as its parent, or from outside")

    def _change_mode(self, mode: Mode, reason: str) -> None:
        self._drop_target()
        self._take_output()  # of an execution that does not count
        self.mode, self.reason = mode, reason

    def _run_once(self, plan: Plan, describe: bool) -> Trace:
        target = self._target or self._start()
        decoder = DescribingDecoder(self._vocabulary, self.options.stacks) if describe else Decoder(self._vocabulary)
        if describe or self._worker:
            let_go()
        else:
            target.company.keep()
        target.channel.send_plan(plan, describe)
        try:
            self._talk(target).follow(plan, decoder, LATEST if describe else COURTESY)
        except BaseException:
            self._drop_target()  # interrupted in mid-execution: the pipes hold half a conversation
            raise
        self._clean_up()  # also after one that is of no use: the next would find what it left
        trace = self._trace(target, plan, decoder)
        self._known[trace.first :] = trace.steps
        return trace

    def _clean_up(self) -> None:
        """What an execution left behind. With rollback nothing can be: it would have moved to fork."""
        if not self.mode.rollback:
            self._workspace.left_behind()

    def _start(self) -> Target:
        try:
            self._target = self._launch()
        except NeedsLazyBinding:
            self.mode, self.reason = self.mode.with_fork(), "the program cannot be linked completely before it runs"
            self._target = self._launch()
        except Uncontrolled:
            if self._refused:
                raise Uncontrolled(self._refused) from None
            raise
        if not self.mode.family and (why := self._target.why_family):
            self._change_mode(self.mode.with_family(), why)
            self._target = self._launch()
        self.other_program = self._target.other_than(self.program)
        self._before = self._take_output()
        if self.mode.fibers and not self._target.has_fibers:
            self.mode = self.mode.with_threads()
        elif self.mode.rollback and not self._target.rolls_back:
            self.mode = self.mode.with_fork()
        self.reason = self._target.why_not_faster or self.reason
        if self._target.needs_exec:
            raise Unfit(self.mode.with_exec(), self.reason)
        return self._target

    def _launch(self) -> Target:
        return Target(self.program, self.argv, self.options, self.mode, self._workspace, self._out, self._err, self._memory, self._worker)

    def _talk(self, target: Target) -> Conversation:
        return Conversation(target.channel, self.options, self.mode.rollback, (self._out, self._err))

    def _trace(self, target: Target, plan: Plan, decoder: Decoder) -> Trace:
        end = target.channel.shared.end
        self._note_told(target.channel.shared)
        self._note_code(target.channel.shared)
        self._note_asked(target.channel.shared)
        self.free_threaded = bool(target.channel.shared.free_threaded)
        self._raise_unusable(end, plan)
        how = end_of(end, self._output(), bool(target.channel.shared.excused), self._shared_state(target.channel.shared))
        if self.mode.family and how.outcome in _WHOLE:
            self._count_turns(int(target.channel.shared.turns.taken))
        decoder.finish(how.outcome.is_bug and how.outcome not in _ENDS_BETWEEN_STEPS)
        over = how.outcome.is_complete  # nothing is enabled after the end
        if isinstance(decoder, DescribingDecoder):
            self.description = decoder.description(wire.text_of(target.channel.shared.scripts))
            self.description.modules = modules_of(wire.text_of(target.channel.shared.modules), self.program.path)
        return Trace(
            end=how,
            steps=tuple(decoder.steps),
            first=plan.report_from if decoder.steps else int(end.steps),
            initial=tuple(decoder.initial.items()),
            enabled=0 if over else wire.mask_of(end.enabled),
            timed=0 if over else wire.mask_of(end.timed),
            preemptions=int(end.preemptions),
            refused_by_bound=int(end.refused_by_bound),
            lost=int(end.lost),
            lost_at=int(end.lost_at),
            counting_at=int(end.counting_at),
            threads=int(end.threads),
            hash=int(end.hash),
            states=tuple(decoder.states),
            unidentified=self._unidentified(target.channel.shared) if plan.identify or plan.quantum or plan.compare else "",
            cycle=(int(end.cycle_start), int(end.cycle_length)) if end.cycle_length else None,
            looked=int(target.channel.shared.looked),
            weak=weak_seen(target.channel.shared),
            interchanged=interchanged_in(target.channel.shared),
            offered=offered_by(target.channel.shared),
            changes=tuple(decoder.changes),
        )

    def _count_turns(self, taken: int) -> None:
        """A process that is there in some schedules of another only would never be explored."""
        if taken > self.turns > 0:
            raise Uncontrolled(f"{taken} processes make threads in one schedule, {self.turns} in another: each must be there in all")
        self.turns = max(self.turns, taken)

    def _note_told(self, shared: Any) -> None:
        self.containers |= int(shared.containers)
        self.told |= bool(shared.told)

    def _note_asked(self, shared: Any) -> None:
        if self.options.asks:
            self.asked |= frozenset(wire.path_of(shared.asked).split("\n")) - {""}
            self.asked_more |= bool(shared.asked_more)

    def _note_code(self, shared: Any) -> None:
        text, answers, untold = wire.path_of(shared.loaded), wire.path_of(shared.machine), wire.text_of(shared.untold)
        if (text, answers, untold) != self._code_texts or shared.made_code or shared.unloaded:
            self._code_texts = text, answers, untold
            patched = frozenset((path, problem) for path, _, problem in (line.partition("\t") for line in answers.splitlines()))
            paths, said = frozenset(text.splitlines()), frozenset(untold.splitlines())
            self.loaded |= Loaded(paths, bool(shared.made_code), bool(shared.unloaded), patched, said)

    def _unidentified(self, shared: Any) -> str:
        """Why states of the last execution have no identity; empty: all have one."""
        why = wire.text_of(shared.unidentified)
        return f"{why}: {self.reason}" if why and not self.mode.identifies and self.reason else why

    def _raise_unusable(self, end: Any, plan: Plan) -> None:
        """An end that says nothing about the program."""
        if end.outcome not in _UNUSABLE:
            return
        if end.outcome == _DIVERGED:
            diverged = self._diverged(plan, int(end.code), wire.text_of(end.message))
            diverged.shared_state = self._shared_state(self._memory.shared)
            raise diverged
        if end.outcome == _MORE_SLOTS:
            raise Unfit(self.mode.with_larger_pool(), f"more than {self.mode.pool} threads in one execution need a larger pool of fibers")
        if end.outcome == _NEEDS_FORK:
            need, reason = int(self._memory.shared.needs_family), wire.text_of(end.message)
            self._refused = reason if need == _FAMILY_PERHAPS else ""
            raise Unfit(self._elsewhere() if need else self.mode.with_fork(), reason)
        if end.outcome == _NEEDS_EXEC:
            raise Unfit(self.mode.with_exec(), wire.text_of(end.message))
        if end.outcome == _DAMAGED:
            raise Damaged
        if end.outcome == _UNFIT and self._memory.shared.offers:
            raise OffersAlternatives
        if end.outcome == _UNFIT:
            raise EngineUnfit(wire.text_of(end.message))
        raise InternalError(f"in the target: {wire.text_of(end.message)}")

    def _elsewhere(self) -> Mode:
        """Another process makes the threads: the one that was started, as another program, or one beside it."""
        return self.mode.with_family() if self.mode.follows else self.mode.with_follow()

    def _diverged(self, plan: Plan, step: int, reason: str) -> Diverged:
        """Names the first step that differs: the prefix is run again with its events, a few times if it happens to agree."""
        from bpor.target.divergence import first_difference, unexplained

        given = not self._known
        if plan.tentative:
            return unexplained(plan, step, reason, given)
        again = Plan(prefix=plan.prefix[: max(step, 1)], limits=plan.limits, max_steps=plan.max_steps, stop_after_prefix=True)
        for _ in range(_LOOKS_AT_DIVERGENCE):
            found = first_difference(plan, self._known, self._steps_of(again))
            if found is not None:
                return found
        return unexplained(plan, step, reason, given)

    def _steps_of(self, plan: Plan) -> list[Step]:
        if self.mode.exec:
            self._drop_target()
        target, decoder = self._target or self._start(), Decoder(self._vocabulary)
        target.channel.send_plan(plan, describe=False)
        self._talk(target).follow(plan, decoder)
        decoder.finish(False)
        return decoder.steps

    def _shared_state(self, shared: Any) -> tuple[str, ...]:
        """Of all executions so far, what is not explored yet."""
        seen = int(shared.shared_state)
        if not seen:
            return ()
        explored = process_states(self.options.process_state)
        return tuple(name for bit, name in enumerate(PROCESS_STATES) if seen >> bit & 1 and name not in explored)

    def _output(self) -> tuple[bytes, bytes]:
        """Of the execution that has ended, behind what the target said on its way to the fork point."""
        out, err = self._take_output()
        return (out, err) if self._before == _SILENCE else (self._before[0] + out, self._before[1] + err)

    def _take_output(self) -> tuple[bytes, bytes]:
        kept = self.options.output_kept
        return self._out.take(kept), self._err.take(kept)

    def _drop_target(self) -> None:
        if self._target is not None:
            self._target.close()
            self._target = None
            self._workspace.target_gone()

    def rest(self) -> None:
        """What the program has changed on its way to the fork point is as it was, until it is run again."""
        self._drop_target()

    def close(self) -> None:
        self._drop_target()
        self._workspace.close()
        self._memory.close()
        self._out.close()
        self._err.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


def _one_of_several(process: int) -> str:
    return f"--process {process} is one of several" if process else ""


def _told_from(trace: Trace, first: int) -> Trace:
    """The same trace without its first steps."""
    pending = dict(trace.initial)
    for step in trace.steps[:first]:
        del pending[step.thread]
        pending |= dict(step.announced)
    return replace(trace, steps=trace.steps[first:], first=min(first, trace.length), initial=tuple(pending.items()))
