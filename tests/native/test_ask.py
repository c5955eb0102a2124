"""Plan and ask are two ways to the same executions: run-ahead in the C runtime, and the Python policy answering step by step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bpor.model.plan import Limits, Plan, State
from bpor.model.policy import Policy
from bpor.model.trace import Outcome, Trace
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native.compiled import PROGRAMS, compiled
from tests.native.recording import executions


class AskingExecutor:
    """Runs every plan step by step: the prefix and the policy are both answers to questions."""

    def __init__(self, executor: NativeExecutor) -> None:
        self._executor = executor

    def run(self, plan: Plan) -> Trace:
        policy = Policy(plan.limits, plan.sleep, plan.wake_next, len(plan.prefix))
        stopped: list[Outcome] = []

        def choose(state: State) -> int | None:
            if state.step is not None:
                step = state.step
                following = dict(step.announced).get(step.thread)
                timed = any(operation.timed for operation in state.pending.values())
                policy.took(*(step.thread, step.enabled, step.timed, step.footprint, step.yields, step.cuts, following), waits_timed=timed)
            if state.index < len(plan.prefix):
                return plan.prefix[state.index]
            choice = policy.choose(state.enabled, state.timed)
            if isinstance(choice, Outcome):
                stopped.append(choice)
                return None
            return choice

        asking = replace(plan, prefix=(), prefix_hash=None, sleep=(), report_from=0, chooser=choose)
        trace = self._executor.run(asking)
        end = replace(trace.end, outcome=stopped[0]) if stopped else trace.end
        return replace(trace, end=end, first=plan.report_from, steps=trace.steps[plan.report_from :])


@pytest.mark.parametrize("bound", ["none", "preemption:0", "preemption:2", "fair:1", "fair:1,preemption:1", "context:2", "fair:1,delta:1"])
@pytest.mark.parametrize(
    "program",
    [
        "buggy/deadlock/bank.c",
        "correct/condition/bounded_queue.c",
        "correct/yield/trylock_loop.c",
        "correct/condition/two_timeouts.c",
        "correct/process/exit_while_others_run.c",
    ],
)
def test_a_search_by_plans_runs_the_same_executions_as_one_by_questions(program: str, bound: str) -> None:
    argv = [str(compiled(PROGRAMS / program))]
    with NativeExecutor(argv) as planned, NativeExecutor(argv) as asked:
        expected = executions(planned, bound, limit=60, max_steps=120)
        assert executions(AskingExecutor(asked), bound, limit=60, max_steps=120) == expected
    assert len({schedule for schedule, _, _ in expected}) == len(expected)


def test_a_chooser_that_says_stop_ends_the_execution(tmp_path: Path) -> None:
    with NativeExecutor([str(compiled(PROGRAMS / "buggy/deadlock/bank.c"))], TargetOptions()) as executor:
        trace = executor.run(Plan(chooser=lambda state: None if state.index == 3 else max(range(3), key=lambda t: state.enabled >> t & 1)))
    assert trace.end.outcome is Outcome.STOPPED
    assert trace.length == 3


_COUNTED = """
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *unused) { pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    for (volatile int i = 0; i < 12; i++)
        sched_yield();
    pthread_join(thread, NULL);
}
"""


def test_who_is_kept_waiting_while_getting_on_is_counted_whoever_chooses(tmp_path: Path) -> None:
    source = tmp_path / "counted.c"
    source.write_text(_COUNTED)
    with NativeExecutor([str(compiled(source))], TargetOptions()) as executor:
        asked = executor.run(Plan(limits=Limits(fair=0), chooser=lambda state: 0 if state.enabled & 1 else 1))
        ahead = executor.run(Plan(limits=Limits(fair=0)))
    assert asked.lost > 0 and asked.lost_at == ahead.lost_at != 0
    assert ahead.lost > 0
