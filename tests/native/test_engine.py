"""The search beside the program is the search in Python: the same executions in the same order, the same numbers, the same verdicts.

BPOR_ENGINE_EXECUTIONS (default 30) says how many executions are compared of each program and bound; `make soak` asks for more.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bpor.api import check
from bpor.errors import EngineUnfit, Uncontrolled
from bpor.model.exploration import Exploration, TreeOrder
from bpor.model.plan import Limits, Plan
from bpor.model.trace import Outcome
from bpor.report.json_report import to_json
from bpor.search.options import SearchOptions
from bpor.target.channel import Channel, TargetSilent
from bpor.target.conversation import Conversation
from bpor.target.executor import NativeExecutor
from bpor.target.exploring import ExploringExecutor
from bpor.target.options import TargetOptions
from bpor.target.saved_tree import sizes_of
from tests.native.compiled import PROGRAMS, compiled, compiler
from tests.native.engines import BOUNDS, difference, random_scripts, run
from tests.native.expectations import Program
from tests.native.test_programs import ALL, name_of

EXECUTIONS = int(os.environ.get("BPOR_ENGINE_EXECUTIONS", "30"))
SCRIPT = Path(__file__).with_name("script.c")
COUNTER = PROGRAMS / "correct" / "mutex" / "counter.c"


def both(argv: list[str], bound: str | None, limit: int, options: SearchOptions | None = None, target: TargetOptions | None = None) -> str:
    """How the two differ, in words."""
    python = run("python", argv, bound, limit, options, target)
    assert python.executions
    try:
        return difference(python, run("native", argv, bound, limit, options, target))
    except EngineUnfit as unfit:
        assert python.result.counts.threads > 64, unfit
        return ""


def starts(argv: list[str]) -> bool:
    """Some programs of native_tests/unsupported cannot be controlled at all."""
    try:
        with NativeExecutor(argv, TargetOptions(watchdog=5)) as executor:
            executor.run(Plan(stop_after_prefix=True))
    except Uncontrolled:
        return False
    return True


def compared() -> list[Program]:
    """One program of each folder; BPOR_ENGINE_PROGRAMS=all (make soak): every one."""
    if os.environ.get("BPOR_ENGINE_PROGRAMS") == "all":
        return ALL
    return list({one.path.parent: one for one in reversed(ALL)}.values())


@pytest.mark.slow
@pytest.mark.parametrize("program", [pytest.param(one, id=name_of(one), marks=pytest.mark.needs(compiler(one.path))) for one in compared()])
def test_both_engines_run_the_same_executions_of_every_program(program: Program) -> None:
    defines = program.expectations[0].defines if program.expectations else ()
    executable = compiled(program.path, [*program.flags, *(f"-D{define}" for define in defines)], program.instrumented)
    argv = [str(executable), *program.args]
    if starts(argv):
        for bound in BOUNDS:
            assert both(argv, bound, EXECUTIONS) == "", bound
    else:
        assert "unsupported" in program.path.parts


@pytest.mark.parametrize("seed", range(12))
def test_both_engines_run_the_same_executions_of_random_programs(seed: int) -> None:
    source = random.Random(seed)
    scripts = random_scripts(source)
    options = SearchOptions(
        max_steps=300,
        sleep_sets=source.random() < 0.8,
        transitive_reduction=source.random() < 0.8,
        bound_optimisation=source.random() < 0.8,
        release_optimisation=source.random() < 0.8,
    )
    target = TargetOptions(watchdog=5, timeouts=source.choice(("idle", "explore")), signal=source.choice(("any", "fifo")))
    for bound in (*source.sample(BOUNDS, 3), None):
        assert both([str(compiled(SCRIPT)), *scripts], bound, 150, options, target) == "", (scripts, bound, options, target)


def test_a_budget_that_ends_with_a_failing_execution_is_judged_as_in_python() -> None:
    """Whether anything is left to run, and how much, is only known after a look for the next execution."""
    argv = [str(compiled(SCRIPT)), "abBA", "baAB", "tr"]
    python = run("python", argv, "none", 10_000)
    failing = [number + 1 for number, one in enumerate(python.executions) if one.outcome.is_bug]
    assert failing
    for limit in (failing[0], failing[-1], len(python.executions)):
        assert both(argv, "none", limit) == "", limit


def test_two_trees_that_take_turns_end_as_in_python() -> None:
    assert both([str(compiled(COUNTER, ["-DTHREADS=3"]))], None, 10_000) == ""


@pytest.mark.parametrize("reset", ["rollback", "fork"])
def test_the_tree_does_not_depend_on_how_the_program_is_reset(reset: str) -> None:
    argv = [str(compiled(COUNTER, ["-DTHREADS=3"]))]
    expected = run("python", argv, "none", 1000)
    assert difference(expected, run("native", argv, "none", 1000, target=TargetOptions(reset=reset))) == ""


def test_a_lock_in_thread_local_memory_is_named_by_its_thread_and_not_by_its_address() -> None:
    """The search beside the program needs room, so that addresses are others."""
    assert both([str(compiled(PROGRAMS / "correct" / "thread" / "thread_local_lock.c"))], "preemption:1", 20) == ""


def order(limits: Limits | None = None) -> TreeOrder:
    return TreeOrder(limits or Limits(), 500)


def test_a_target_that_is_killed_in_the_middle_loses_and_repeats_nothing() -> None:
    argv = [str(compiled(COUNTER, ["-DTHREADS=3"]))]
    with ExploringExecutor(argv, TargetOptions()) as executor:
        begin = Exploration((True, False), (order(), None), begin_total=True, executions=40)
        assert executor.run(Plan(exploration=begin)).batch is not None
        assert executor._target is not None
        os.kill(executor._target.process.pid, signal.SIGKILL)
        later = 0
        while True:  # a batch is a tenth of a second, in which a busy machine does little
            batch = executor.run(Plan(exploration=Exploration((True, False)))).batch
            assert batch is not None
            later += batch.executions
            if batch.trees[0].finished:
                break
        assert (later, batch.total.executions, batch.total.traces.used) == (50, 90, 90)


def test_a_target_that_is_killed_while_its_tree_changes_is_never_believed() -> None:
    with ExploringExecutor([str(compiled(COUNTER, ["-DTHREADS=3"]))], TargetOptions()) as executor:
        begin = Exploration((True, False), (order(), None), begin_total=True, executions=5)
        executor.run(Plan(exploration=begin))
        assert executor._target is not None
        executor._memory.search.tree[0].learning = 1
        os.kill(executor._target.process.pid, signal.SIGKILL)
        with pytest.raises(EngineUnfit):
            executor.run(Plan(exploration=Exploration((True, False))))


def test_an_order_that_is_interrupted_is_answered_before_the_next_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C right behind the order: the target went on searching while its tree was read."""
    send = Channel.send_order

    def sent_and_interrupted(channel: Channel) -> None:
        send(channel)
        raise KeyboardInterrupt

    with ExploringExecutor([str(compiled(COUNTER, ["-DTHREADS=6"]))], TargetOptions()) as executor:
        executor.run(Plan(exploration=Exploration((True, False), (order(), None), begin_total=True, executions=5)))
        with monkeypatch.context() as patched, contextlib.suppress(KeyboardInterrupt):
            patched.setattr(Channel, "send_order", sent_and_interrupted)
            executor.run(Plan(exploration=Exploration((True, False), executions=1_000_000)))
        assert executor._target is not None
        with pytest.raises(TargetSilent):
            executor._target.channel.receive(0.1)
        assert executor.save_tree(0) == executor.save_tree(0)


@pytest.mark.parametrize("at", ["asked", "answered"])
def test_a_question_that_is_interrupted_leaves_no_answer_for_the_next_one(monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Ctrl-C while the tree is saved: the next time it was read before the target had written it."""
    ask = Channel.ask_to_save

    def interrupted(*_: object) -> tuple[int, int, int]:
        raise KeyboardInterrupt

    def asked_and_interrupted(channel: Channel, number: int) -> None:
        ask(channel, number)
        raise KeyboardInterrupt

    with ExploringExecutor([str(compiled(COUNTER, ["-DTHREADS=3"]))], TargetOptions()) as executor:
        begin = Exploration((True, False), (order(), None), begin_total=True, executions=5)
        executor.run(Plan(exploration=begin))
        saved = executor.save_tree(0)
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            if at == "asked":
                patched.setattr(Channel, "ask_to_save", asked_and_interrupted)
            else:
                patched.setattr(Conversation, "receive", interrupted)
            executor.save_tree(0)
        assert executor.save_tree(0) == saved
        assert executor._target is not None
        with pytest.raises(TargetSilent):
            executor._target.channel.receive(0.1)


def test_a_new_target_does_nothing_before_it_is_told() -> None:
    """The memory of one that was killed says that it was exploring."""
    argv = [str(compiled(COUNTER, ["-DTHREADS=3"]))]
    with ExploringExecutor(argv, TargetOptions(reset="fork")) as executor:
        begin = Exploration((True, False), (order(), None), begin_total=True, executions=5)
        executor.run(Plan(exploration=begin))
        executor._drop_target()
        executor._memory.search.exploring = executor._memory.search.untold = 1
        batch = executor.run(Plan(exploration=Exploration((True, False), executions=5))).batch
        assert batch is not None and (batch.executions, batch.total.executions) == (5, 10)
        again = executor.run(Plan(exploration=Exploration((True, False), executions=5))).batch
        assert again is not None and (again.executions, again.total.executions) == (5, 15)


def test_more_threads_than_a_mask_holds_are_searched_in_python() -> None:
    program = PROGRAMS / "correct" / "thread" / "seventy_meet.c"
    result = check([str(compiled(program))], engine="native", bound="preemption:0")
    assert result.verdict.kind.value == "pass"
    assert result.search is not None and result.search.counts.threads > 64
    assert "threads" in result.in_python


@pytest.mark.parametrize(("steps", "objects", "reason"), [("80000", "40000", "objects")])
def test_a_program_beyond_the_limits_is_refused_by_name(steps: str, objects: str, reason: str) -> None:
    with ExploringExecutor([str(compiled(Path(__file__).with_name("many.c"))), steps, objects]) as executor:
        begin = Exploration((True, False), (TreeOrder(Limits(), 1_000_000), None), begin_total=True)
        with pytest.raises(EngineUnfit, match=f"too many {reason} for the search beside the program"):
            executor.run(Plan(exploration=begin))


def test_a_search_that_is_not_beside_the_program_says_why() -> None:
    reasons = {
        "--engine=python": {"engine": "python"},
        "--reset=exec": {"reset": "exec"},
        "--outcomes looks at every execution": {"outcomes": True},
        "depth bounds are not known beside the program": {"bound": "depth:3"},
        "": {},
    }
    for reason, knobs in reasons.items():
        assert check([str(compiled(COUNTER))], **{"engine": "native", **knobs}).in_python == reason
    assert check([str(compiled(COUNTER))]).in_python == ""
    assert check([str(compiled(COUNTER))], workers=2).in_python == ""


def without_times(document: dict[str, Any]) -> dict[str, Any]:
    options = {**document["options"], "engine": ""}
    return {**document, "elapsed_s": 0, "options": options, "engine": {}}


@pytest.mark.parametrize(
    ("name", "knobs"),
    [
        ("buggy/deadlock/bank.c", {"bound": "preemption:0..2"}),
        ("buggy/deadlock/philosophers.c", {"keep_going": True, "bound": "none"}),
        ("buggy/livelock/polite.c", {"max_steps": 400}),
        ("buggy/crash/use_after_free.c", {}),
        ("correct/mutex/counter.c", {"max_executions": 4}),
        ("unsupported/signalfd.c", {}),
    ],
)
def test_a_result_is_the_same_whoever_searched(name: str, knobs: dict[str, Any]) -> None:
    argv = [str(compiled(PROGRAMS / name))]
    python, native = (without_times(to_json(check(argv, engine=engine, known_steps=False, **knobs))) for engine in ("python", "native"))
    replays = [finding.pop("replay") for document in (python, native) for finding in document["findings"]]
    assert len(replays) == 2 * len(python["findings"])
    expected = json.dumps(python, sort_keys=True).replace("--engine=python", "--engine=native")  # in the next command to type
    assert json.dumps(native, sort_keys=True) == expected


def test_sizes_are_made_up_with_the_right_number_sum_and_extremes() -> None:
    assert sizes_of(0, 0, 0, 0) is None
    for sizes in ([7], [3, 9], [1, 5, 5], [2, 2, 2, 9], [4] * 10):
        made = sizes_of(len(sizes), sum(sizes), min(sizes), max(sizes)) or []
        assert (len(made), sum(made), min(made), max(made)) == (len(sizes), sum(sizes), min(sizes), max(sizes))


def test_a_budget_is_kept_and_what_is_left_is_run_later() -> None:
    argv = [str(compiled(COUNTER, ["-DTHREADS=3"]))]
    with ExploringExecutor(argv) as executor:
        order_now = Exploration((True, False), (order(), None), begin_total=True, executions=7)
        told = []
        for _ in range(13):
            batch = executor.run(Plan(exploration=order_now)).batch
            assert batch is not None
            told.append(batch.executions)
            order_now = Exploration((True, False), executions=7)
        assert told == [7] * 12 + [6]
        assert batch.trees[0].finished and batch.total.ended == {Outcome.PASSED: 90}


def test_tables_that_only_save_work_take_the_room_that_they_are_given() -> None:
    def taken(narrowed: int) -> tuple[int, int]:
        with ExploringExecutor([str(compiled(COUNTER, ["-DTHREADS=4"]))], TargetOptions()) as executor:
            known = replace(order(), known_steps=True)
            begin = Exploration((True, False), (known, None), begin_total=True, distinct_cap=(1 << 20) >> narrowed, narrowed=narrowed)
            while not (batch := executor.run(Plan(exploration=begin)).batch).trees[0].finished:  # type: ignore[union-attr]
                begin = replace(begin, begin=(None, None), begin_total=False)
            return batch.total.ended[Outcome.PASSED], os.fstat(executor._memory.fd).st_blocks * 512  # type: ignore[union-attr]

    (traces, large), (again, small) = taken(0), taken(8)
    assert traces <= again == 2520, "what was forgotten is executed again, and nothing is lost"
    assert small < large - (256 << 10), "tables grow as they are used, so a small search saves little"
