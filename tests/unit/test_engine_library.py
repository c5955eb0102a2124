"""The search as a library: what a runtime of any kind may rely on."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bpor.engine import Access, Engine, EngineError, Stop
from bpor.native_parts import part
from bpor.protocol.ops import Op

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = str(part("libbpor_engine.so"))
Body = Callable[[Engine, int], Iterator[None]]


def accesses(*them: tuple[int, Access] | tuple[int, Access, int]) -> Body:
    """A thread that does nothing else."""

    def body(engine: Engine, thread: int) -> Iterator[None]:
        for one in them:
            engine.report_access(thread, *one)
            yield

    return body


def run(engine: Engine, bodies: list[Body]) -> Stop:
    """One execution, to its end."""
    running = {number: body(engine, number) for number, body in enumerate(bodies)}
    for thread in running.values():
        next(thread)
    while isinstance(chosen := engine.schedule(running), int):
        if next(running[chosen], "ended") == "ended":
            engine.report_end(chosen)
            del running[chosen]
    return chosen


def explored(bodies: list[Body], **bound: Any) -> tuple[int, int]:
    """Executions but for those that only compare, and how many different traces they were."""
    traces = set()
    with Engine(**bound) as engine:
        while engine.next_execution():
            if run(engine, bodies) is Stop.NOBODY:
                engine.end_execution()
                traces.add(engine.trace)
        return engine.executions - engine.checked, len(traces)


def test_two_writers_of_one_object_have_two_traces_and_of_two_objects_one() -> None:
    assert explored([accesses((1, Access.WRITE)), accesses((1, Access.WRITE))]) == (2, 2)
    assert explored([accesses((1, Access.WRITE)), accesses((2, Access.WRITE))]) == (1, 1)
    assert explored([accesses((1, Access.READ)), accesses((1, Access.READ))]) == (1, 1)


def test_a_bound_is_kept_and_the_engine_says_whether_it_mattered() -> None:
    bodies = [accesses((1, Access.READ), (1, Access.WRITE))] * 2
    assert explored(bodies, preemption=0)[1] == 2
    assert explored(bodies)[1] == 4
    for bound, mattered in ((0, True), (8, False)):
        with Engine(preemption=bound) as engine:
            while engine.next_execution():
                run(engine, bodies)
            assert engine.bounded is mattered


@pytest.mark.parametrize(
    ("one", "other", "traces"),
    [
        ((1, Access.WEAK_WRITE, 0), (1, Access.WEAK_WRITE, 0), 2),
        ((1, Access.WEAK_WRITE, 0), (1, Access.WEAK_WRITE, 1), 1),
        ((1, Access.WEAK_WRITE, 0), (1, Access.WEAK_READ, 1), 1),
        ((1, Access.WEAK_WRITE, 0), (1, Access.READ), 2),
        ((1, Access.WEAK_READ, 0), (1, Access.READ), 1),
        ((1, Access.WEAK_READ, 0), (1, Access.WRITE), 2),
        ((1, Access.WEAK_WRITE), (1, Access.WEAK_WRITE), 1),
        ((1, Access.WEAK_WRITE), (1, Access.WEAK_READ), 1),
        ((1, Access.WEAK_WRITE), (1, Access.READ), 2),
        ((1, Access.WEAK_WRITE, 0), (2, Access.WRITE), 1),
    ],
)
def test_weak_accesses_of_a_container_depend_on_what_touches_their_entry(
    one: tuple[int, Access], other: tuple[int, Access], traces: int
) -> None:
    assert explored([accesses(one), accesses(other)])[1] == traces


def test_a_thread_that_is_created_runs_after_its_creation_and_a_join_after_its_end() -> None:
    traces = set()
    with Engine() as engine:
        while engine.next_execution():
            engine.report_sync(0, "spawn")
            assert engine.schedule([0]) == 0
            engine.report_access(0, 7, Access.WRITE)
            engine.report_access(1, 7, Access.WRITE)
            alive, joining = {0, 1}, False
            while isinstance(chosen := engine.schedule(alive - ({0} if joining and 1 in alive else set())), int):
                if chosen == 0 and not joining:
                    joining = True
                    engine.report_sync(0, "join", target=1)
                else:
                    engine.report_end(chosen)
                    alive.remove(chosen)
            assert chosen is Stop.NOBODY and not alive
            engine.end_execution()
            traces.add(engine.trace)
        assert engine.executions == len(traces) == 2


def test_every_way_that_a_step_can_go_is_tried() -> None:
    seen = []
    with Engine() as engine:
        while engine.next_execution():
            taken = []
            for thread in (0, 1):
                engine.report_access(thread, thread, Access.READ)
            left = {0, 1}
            while isinstance(thread := engine.schedule(left), int):
                engine.offer((2, 3)[thread])
                taken.append((thread, engine.alternative))
                engine.step()
                engine.report_end(thread)
                left.discard(thread)
            seen.append(tuple(sorted(taken)))
    assert sorted(seen) == [((0, a), (1, b)) for a in range(2) for b in range(3)]


def test_a_step_that_offers_less_than_before_is_a_divergence() -> None:
    with Engine() as engine:
        for count in (2, 1):
            engine.next_execution()
            engine.report_access(0, 0, Access.READ)
            assert engine.schedule({0}) == 0
            if count == 1:
                with pytest.raises(EngineError, match="more alternatives before"):
                    engine.offer(count)
                return
            engine.offer(count)
            engine.step()
            engine.report_end(0)
            assert engine.schedule(()) is Stop.NOBODY


def test_a_program_that_does_not_repeat_itself_is_told_where() -> None:
    with Engine() as engine:
        assert engine.next_execution()
        run(engine, [accesses((1, Access.WRITE), (1, Access.WRITE)), accesses((1, Access.WRITE))])
        assert engine.next_execution()
        with pytest.raises(EngineError, match=r"step 0: the same schedule did something else"):
            run(engine, [accesses((9, Access.WRITE), (1, Access.WRITE)), accesses((1, Access.WRITE))])


def test_other_enabled_threads_are_a_divergence_too_and_so_is_an_early_end() -> None:
    with Engine() as engine:
        assert engine.next_execution()
        run(engine, [accesses((1, Access.WRITE))] * 2)
        assert engine.next_execution()
        engine.report_access(0, 1, Access.WRITE)
        engine.report_access(1, 1, Access.WRITE)
        with pytest.raises(EngineError, match="other threads are enabled"):
            engine.schedule([1])
    with Engine() as engine:
        assert engine.next_execution()
        run(engine, [accesses((1, Access.WRITE))] * 2)
        with pytest.raises(EngineError, match="ended, though it had gone on"):
            engine.next_execution()
            engine.end_execution()


def test_calls_in_an_order_that_makes_no_sense_are_errors() -> None:
    with Engine() as engine:
        engine.begin_execution()
        with pytest.raises(EngineError, match="no thread was scheduled"):
            engine.step()
        with pytest.raises(EngineError, match="no operation 'frobnicate'"):
            engine.report_sync(0, "frobnicate")
        with pytest.raises(EngineError, match="more than 64 threads"):
            engine.report_sync(64, "mutex_lock", 1)
    with pytest.raises(EngineError, match="closed"):
        engine.next_execution()
    with Engine() as engine:
        engine.begin_execution()
        with pytest.raises(EngineError, match="begins before the last one has ended"):
            engine.begin_execution()


def test_a_step_limit_ends_an_execution_that_goes_on_for_ever() -> None:
    with Engine(max_steps=10) as engine:
        engine.begin_execution()
        engine.report_access(0, 1, Access.READ)
        for _ in range(10):
            assert engine.schedule([0]) == 0
            engine.report_access(0, 1, Access.READ)
        assert engine.schedule([0]) is Stop.STEP_LIMIT


def test_a_crash_depends_on_everything_before_it() -> None:
    """Whoever crashes may do so before or after a step of another thread that touches something else."""
    seen = set()
    with Engine() as engine:
        more = engine.next_execution()
        while more:
            alive, died, order = {0, 1}, False, ""
            for thread in alive:
                engine.report_access(thread, thread, Access.WRITE)
            while not died and isinstance(chosen := engine.schedule(alive), int):
                order, died = order + str(chosen), chosen == 1
                if not died:
                    engine.report_end(chosen)
                    alive.remove(chosen)
            seen.add(order)
            more = engine.next_execution(died)
    assert seen == {"01", "1"}


def test_known_steps_leave_one_execution_for_each_trace() -> None:
    bodies = [accesses((1, Access.READ), (1, Access.WRITE), (2, Access.WRITE))] * 3
    executions, traces = explored(bodies, preemption=2)
    assert executions > traces
    assert explored(bodies, preemption=2, known_steps=True) == (traces, traces)


def test_some_executions_are_run_though_their_steps_are_known() -> None:
    bodies = [accesses((1, Access.READ), (1, Access.WRITE), (2, Access.WRITE))] * 3
    with Engine(preemption=3, known_steps=True) as engine:
        while engine.next_execution():
            run(engine, bodies)
        assert 0 < engine.checked <= 1 + engine.executions / 40


def test_a_thread_that_sees_more_than_its_causal_past_is_noticed_and_nothing_is_lost() -> None:
    """Thread 0 looks, in a way that no report shows, at whether thread 2 has ended."""
    results: list[set[int]] = []
    for known in (False, True):
        traces, ended = set(), set[int]()

        def looks(engine: Engine, thread: int, ended: set[int] = ended) -> Iterator[None]:
            engine.report_access(thread, 1, Access.WRITE)
            yield
            engine.report_access(thread, 7 if 2 in ended else 8, Access.WRITE)
            yield

        def ends(engine: Engine, thread: int, ended: set[int] = ended) -> Iterator[None]:
            engine.report_access(thread, 2, Access.WRITE)
            yield
            ended.add(thread)

        with Engine(known_steps=known) as engine:
            while engine.next_execution():
                ended.clear()
                if run(engine, [looks, accesses((1, Access.WRITE), (2, Access.WRITE)), ends]) is Stop.NOBODY:
                    engine.end_execution()
                    traces.add(engine.trace)
            assert (engine.given_up_at is not None) is known
        results.append(traces)
    assert results[0] <= results[1]


def test_kinds_have_the_numbers_of_the_table() -> None:
    from bpor.engine.library import load

    assert [load().bpor_engine_kind(kind.name.lower().encode()) for kind in Op] == [kind.number for kind in Op]


def test_the_library_exports_its_header_and_nothing_else() -> None:
    listed = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in listed.splitlines()}
    declared = set(re.findall(r"\b(bpor_engine_\w+)\(", (ROOT / "bpor/include/bpor_engine.h").read_text().split("cffi: begin")[1]))
    assert exported == declared


def test_the_header_is_c_and_cxx(tmp_path: Path) -> None:
    for compiler, suffix in (("gcc", "c"), ("g++", "cc")):
        source = tmp_path / f"user.{suffix}"
        source.write_text('#include "bpor_engine.h"\nint main(void) { return bpor_engine_kind("mutex_lock") < 0; }\n')
        program = tmp_path / compiler
        subprocess.run(
            [compiler, "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'bpor/include'}", str(source), "-o", str(program), LIBRARY],
            check=True,
        )
        subprocess.run([str(program)], check=True)
