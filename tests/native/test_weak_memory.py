"""--memory tso and c11 on real binaries: the outcomes of litmus tests, with what simulated memory says; the report; what is claimed."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from bpor.simulate.litmus import LITMUS, Litmus
from tests.native.compiled import compiled
from tests.native.tool import replay_inside, run_inside
from tests.native.weak_programs import run_natively, simulated
from tests.property.random_atomics import generate
from tests.property.weak_trial import shows

pytestmark = pytest.mark.needs("gcc")

HEAD = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"
MAIN = """
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"""
PUBLISH = (
    HEAD
    + """
static atomic_int data, ready;
static void *one(void *unused)
{
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}
static void *two(void *unused)
{
    if (atomic_load_explicit(&ready, memory_order_acquire))
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
    return unused;
}
"""
    + MAIN
)
SPIN = (
    HEAD
    + """
static atomic_int ready;
static void *one(void *unused)
{
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}
static void *two(void *unused)
{
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        ;
    return unused;
}
"""
    + MAIN
)
RACY = (
    HEAD
    + """
static int data;
static atomic_int ready;
static void *one(void *unused)
{
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    atomic_store_explicit(&ready, 2, memory_order_relaxed);
    return unused;
}
static void *two(void *unused)
{
    if (atomic_load_explicit(&ready, memory_order_acquire) == 2)
        assert(data == 1);
    return unused;
}
"""
    + MAIN
)


def built(tmp_path: Path, text: str) -> Path:
    source = tmp_path / "program.c"
    source.write_text(text)
    return compiled(source, instrumented=True)


@pytest.mark.parametrize("litmus", LITMUS, ids=lambda litmus: litmus.name)
def test_a_litmus_test_does_natively_what_it_does_in_simulated_memory(litmus: Litmus) -> None:
    """Those whose executions are known in all three; all of them: BPOR_TEST_MODELS=all."""
    every = litmus.executions is not None or "SB" in litmus.name or os.environ.get("BPOR_TEST_MODELS") == "all"
    for memory in ("sc", "tso", "c11") if every else ("c11",):
        native, expected = run_natively(litmus.text, memory), simulated(litmus.text, memory)
        assert native.outcomes == expected.outcomes
        assert native.executions == expected.executions
        assert shows(litmus, native.outcomes) == (memory in litmus.shown)
        if litmus.executions is not None:
            assert native.complete == litmus.executions[("sc", "tso", "c11").index(memory)]


@pytest.mark.parametrize("seed", range(12))
def test_a_random_program_does_natively_what_it_does_in_simulated_memory(seed: int) -> None:
    source = random.Random(seed)
    text = generate(source.randint, 8, locks=seed % 3 == 0).replace("if ", "")
    memory, bound = source.choice(("tso", "c11", "c11")), source.choice(("none", "preemption:1", "stale:1,preemption:1", "fair:2"))
    native, expected = run_natively(text, memory, bound), simulated(text, memory, bound)
    assert (native.outcomes, native.executions) == (expected.outcomes, expected.executions)


PLACED = (
    ("W x.rlx 1; W y.rlx 1 | R y.rlx; W x.rlx 2 | R x.rlx; R x.rlx", ((), (1,), (2, 1))),  # a store before a newer one is read
    ("W z.rlx 1; W x.rel 1; W x.rlx 4; W y.rlx 1 | R y.rlx; CAS x.rlx.rlx 1 2 | R x.acq; R z.rlx", ((), (1, 1), (2, 1))),
)


@pytest.mark.parametrize(("text", "reads"), PLACED)
def test_what_comes_before_newer_stores_is_read_and_passes_on_what_it_read(text: str, reads: tuple[tuple[int, ...], ...]) -> None:
    native, expected = run_natively(text, "c11"), simulated(text, "c11")
    assert (native.outcomes, native.executions) == (expected.outcomes, expected.executions)
    assert reads in {seen for seen, _ in native.outcomes}


@pytest.mark.parametrize("bound", ["none", "preemption:1", "stale:1,preemption:2"])
@pytest.mark.parametrize("text", [LITMUS[0].text, "W x.rlx 1; W y.rlx 1; R z.rlx | R y.rlx; W z.rlx 1; R x.rlx | R x.acq; R z.rlx"])
def test_the_search_beside_the_program_runs_the_same_executions(text: str, bound: str) -> None:
    beside, controller = (run_natively(text, "c11", bound, engine) for engine in ("native", "python"))
    assert beside.beside and not controller.beside
    assert (beside.executions, beside.traces) == (controller.executions, controller.traces)
    assert beside.statement == controller.statement and "values that loads may see" in beside.statement


LARGER = "W x.rlx 1; W y.rlx 1; R z.rlx; W x.rlx 2 | R y.rlx; W z.rlx 1; R x.rlx; W y.rlx 2 | R x.acq; R z.rlx"


@pytest.mark.parametrize("bound", ["none", "stale:1", "stale:1,preemption:1"])
def test_processes_that_share_the_search_reach_what_one_reaches(bound: str) -> None:
    one, several = (run_natively(LARGER, "c11", bound, "native", workers=workers) for workers in (1, 3))
    assert several.beside and (one.traces, one.statement) == (several.traces, several.statement)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_search_that_goes_on_runs_what_was_left(tmp_path: Path, engine: str) -> None:
    """Threads whose steps go several ways sleep as if nothing had happened."""
    whole = run_natively(LARGER, "c11", "stale:1", engine)
    for limit in (5, 40, 77, 10_000):
        parts = run_natively(LARGER, "c11", "stale:1", engine, budget=limit, state=tmp_path)
    assert (parts.executions, parts.traces, parts.statement) == (whole.executions, whole.traces, whole.statement)


def test_a_missing_release_is_found_and_told_and_replays(tmp_path: Path) -> None:
    program = built(tmp_path, PUBLISH)
    assert run_inside(program, (), ["--memory", "sc"]).exit_code == 0
    assert run_inside(program, (), ["--memory", "tso"]).exit_code == 0
    run = run_inside(program, (), ["--memory", "c11"])
    assert run.exit_code == 1
    finding = run.report["findings"][0]
    assert "T2 had read an old value of data at program.c:15: 0" in finding["message"]
    assert "though T1 wrote 1 at program.c:8 (relaxed store)" in finding["message"]
    assert "read data = 0 (old)" in run.stdout
    line = next(line.strip() for line in run.stdout.splitlines() if "2.1" in line and "replay" in line)
    assert all(replay_inside(line).exit_code == 1 for _ in range(3))
    assert replay_inside(line.replace("2.1", "2")).exit_code == 0


def test_an_alternative_that_is_not_there_is_a_divergence(tmp_path: Path) -> None:
    program = built(tmp_path, PUBLISH)
    assert replay_inside(f"bpor-native replay '0*2,1,2.1' --memory=c11 -- {program}").exit_code == 5
    assert replay_inside(f"bpor-native replay '0*2,1*2,2,2.1' --memory=sc -- {program}").exit_code == 5


def test_a_race_follows_the_store_that_was_read(tmp_path: Path) -> None:
    """A later store of the same thread ends the release sequence, in C++20: what was written before is not ordered by it."""
    run = run_inside(built(tmp_path, RACY), (), ["--memory", "c11"])
    assert run.exit_code == 1 and run.report["findings"][0]["kind"] == "race"


def test_what_is_claimed(tmp_path: Path) -> None:
    same = run_natively("W x.rlx 1; W y.rel 1 | R y.acq; if R x.rlx", "c11")
    assert "memory of C11, without load buffering" in same.statement and "makes no difference here" in same.statement
    offered = run_natively("W x.rlx 1; W y.rlx 1 | R y.rlx; R x.rlx", "c11")
    assert "all values that loads may see in memory of C11" in offered.statement
    assert "memory of x86, if the compiler keeps the order" in run_natively("W x.rlx 1 | R x.rlx", "tso").statement
    assert "sequentially consistent memory, though the program uses relaxed" in run_natively("W x.rlx 1 | R x.rlx", "sc").statement


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--memory", "c11", "--races", "off"], "--memory c11 does not go with --races=off"),
        (["--memory", "tso", "--search", "optimal"], "--memory tso does not go with --search optimal"),
        (["--memory", "c11", "--match", "memory"], "--memory c11 does not go with --match=memory"),
        (["--bound", "stale:1"], "--bound stale:N counts the old values"),
        (["--memory", "c11", "--bound", "stale:1,context:2"], "stale combines with fair and preemption"),
        (["--memory", "arm"], "--memory"),
    ],
    ids=" ".join,
)
def test_what_does_not_go_together_is_said_in_one_line(tmp_path: Path, options: list[str], says: str) -> None:
    run = run_inside(built(tmp_path, PUBLISH), (), options)
    assert run.exit_code == 2 and says in run.stderr


def test_a_plain_program_has_strong_memory_and_that_is_said(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(PUBLISH)
    run = run_inside(compiled(source), (), ["--memory", "c11", "--bound", "none"])
    assert "--memory c11 needs every module to be built with `bpor-native cc`" in run.report["statement"]


def test_old_values_are_bounded(tmp_path: Path) -> None:
    text = "W x.rlx 1; W y.rlx 1; W z.rlx 1 | R z.rlx; R y.rlx; R x.rlx"
    counts = [run_natively(text, "c11", bound).executions for bound in ("stale:0", "stale:1", "stale:2", "none")]
    assert counts[0] == run_natively(text, "sc").executions
    assert counts[0] < counts[1] < counts[2] == counts[3]
    assert "≤ 1 old value" in run_natively(text, "c11", "stale:1").statement


MANY = (
    HEAD
    + """
static atomic_int data, ready;
static void *idle(void *unused)
{
    return unused;
}
static void *one(void *unused)
{
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}
int main(void)
{
    pthread_t thread[69];
    for (int i = 0; i < 68; i++) {
        pthread_create(&thread[i], NULL, idle, NULL);
        pthread_join(thread[i], NULL);
    }
    pthread_create(&thread[68], NULL, one, NULL);
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        atomic_load_explicit(&data, memory_order_relaxed);
    pthread_join(thread[68], NULL);
    return 0;
}
"""
)
TWO_SIZES = "static union { atomic_int whole; atomic_uchar byte; } data;\nstatic atomic_int ready;"
MIXED = PUBLISH.replace("static atomic_int data, ready;", TWO_SIZES)
MIXED = MIXED.replace("(&data, 1,", "(&data.whole, 1,").replace("(&data, memory", "(&data.byte, memory")


@pytest.mark.parametrize("text", [MANY, MIXED], ids=["more threads than are kept", "bytes in two sizes"])
def test_where_loads_see_the_newest_store_alone_not_all_values_are_claimed(tmp_path: Path, text: str) -> None:
    run = run_inside(built(tmp_path, text), (), ["--memory", "c11", "--bound", "preemption:1"])
    assert run.exit_code == 0 and "some values that loads may see" in run.report["statement"], run


def test_a_loop_that_waits_reads_old_once_and_that_is_said(tmp_path: Path) -> None:
    run = run_inside(built(tmp_path, SPIN), (), ["--memory", "c11", "--bound", "fair:2"])
    assert run.exit_code == 0


def test_programs_without_weak_accesses_run_the_executions_of_strong_memory() -> None:
    text = "W x 1; R y; RMW z | W y 1; R x; CAS z 0 2"
    strong, weak = run_natively(text, "sc"), run_natively(text, "c11")
    assert strong.executions == weak.executions and strong.outcomes == weak.outcomes
