"""Memory where nothing is said about it: C11's if every module is instrumented, and today's search where that makes no difference. Which
orders are needed: `mutate --orders`, and what a report says would help."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.compiled import PROGRAMS, compiled
from tests.native.orders_table import PAGE, row
from tests.native.suite_workshop import Workshop
from tests.native.test_weak_memory import HEAD, MAIN, PUBLISH, built
from tests.native.tool import Run, replay_inside, run_inside

pytestmark = pytest.mark.needs("gcc")

RELEASED = PUBLISH.replace("&ready, 1, memory_order_relaxed", "&ready, 1, memory_order_release")
HARMLESS = PUBLISH.replace("== 1);", ">= 0);")
STRONG = PUBLISH.replace("memory_order_relaxed", "memory_order_seq_cst").replace("memory_order_acquire", "memory_order_seq_cst")
BUFFERED = (
    HEAD
    + """
static atomic_int x, y;
static int seen, other;
static void *one(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_release);
    seen = atomic_load_explicit(&y, memory_order_acquire);
    return unused;
}
static void *two(void *unused)
{
    atomic_store_explicit(&y, 1, memory_order_release);
    other = atomic_load_explicit(&x, memory_order_acquire);
    return unused;
}
"""
    + MAIN.replace("return 0;", "assert(seen || other);\n    return 0;")
)


LATE = (
    HEAD
    + """
static atomic_int go, data, ready;
static void *one(void *unused)
{
    if (atomic_load(&go)) { /* not in the first schedules: until then every access is seq_cst */
        atomic_store_explicit(&data, 1, memory_order_relaxed);
        atomic_store_explicit(&ready, 1, memory_order_relaxed);
    }
    return unused;
}
static void *two(void *unused)
{
    atomic_store(&go, 1);
    if (atomic_load(&ready))
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
    return unused;
}
"""
    + MAIN
)
BUFFERS = ("9 (a release store)", "10 (an acquire load)", "15 (a release store)", "16 (an acquire load)")


def statement(run: Run) -> str:
    return str(run.report["statement"])


def counts(run: Run) -> tuple[object, ...]:
    return run.exit_code, run.report["executions"], run.report["distinct_traces"], run.report["steps"]


def test_a_missing_release_is_found_by_default_and_its_replay_line_says_in_which_memory(tmp_path: Path) -> None:
    run = run_inside(built(tmp_path, PUBLISH))
    assert run.exit_code == 1 and run.kinds == {"assertion"}
    line = run.report["findings"][0]["replay"]
    assert "--memory=c11" in line and replay_inside(line).exit_code == 1


@pytest.mark.parametrize("bound", [None, "none"])
def test_what_is_weaker_is_found_though_the_first_executions_have_nothing_that_is(tmp_path: Path, bound: str | None) -> None:
    program, options = built(tmp_path, LATE), [] if bound is None else ["--bound", bound]
    run = run_inside(program, (), options)
    assert run.exit_code == 1 and run.kinds == {"assertion"}
    assert "--memory=c11" in run.report["findings"][0]["replay"]
    assert run_inside(program, (), [*options, "--memory", "sc"]).exit_code == 0


@pytest.mark.parametrize("bound", [None, "none", "preemption:1"])
@pytest.mark.parametrize(("text", "says"), [(RELEASED, "which makes no difference here"), (STRONG, "no spurious wake-ups")])
def test_where_nothing_weaker_is_on_offer_the_search_is_that_of_strong_memory(
    tmp_path: Path, text: str, says: str, bound: str | None
) -> None:
    program, options = built(tmp_path, text), [] if bound is None else ["--bound", bound]
    run, strong = run_inside(program, (), options), run_inside(program, (), [*options, "--memory", "sc"])
    assert counts(run) == counts(strong) and run.exit_code == 0
    assert statement(run).endswith(says)


def test_old_values_that_do_no_harm_are_searched_too(tmp_path: Path) -> None:
    run = run_inside(built(tmp_path, HARMLESS))
    assert run.exit_code == 0 and "all schedules; coverage memory" in statement(run)
    assert "all values that loads may see in memory of C11" in statement(run)


def test_a_search_that_does_not_know_old_values_says_that_there_are_some(tmp_path: Path) -> None:
    run = run_inside(built(tmp_path, HARMLESS), (), ["--search", "optimal"])
    assert run.exit_code == 0 and "more may happen in weaker memory (--memory c11)" in statement(run)


def test_what_was_completed_in_strong_memory_is_said_if_the_rest_was_not(tmp_path: Path) -> None:
    run = run_inside(built(tmp_path, HARMLESS), (), ["--bound", "none", "--max-executions", "2"])
    assert run.exit_code == 3 and run.report["executions"] == 2
    assert "inconclusive: all schedules in sequentially consistent memory; no bound was completed" in statement(run)


def test_a_plain_binary_has_strong_memory_by_default(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(PUBLISH)
    run = run_inside(compiled(source))
    assert run.exit_code == 0 and run.report["options"]["memory"] == "auto" and "C11" not in statement(run)


FENCED_BY_HAND = BUFFERED.replace("    seen", "    BARRIER;\n    seen").replace("    other", "    BARRIER;\n    other")


@pytest.mark.parametrize("barrier", ["mfence", "lock addl $0, -8(%%rsp)"])
def test_what_a_barrier_of_inline_assembler_orders_is_not_taken_for_weak(tmp_path: Path, barrier: str) -> None:
    """Machine code tells it. So by default memory is strong; with nobody to tell it the verdict says what was not seen."""
    define = f'#define BARRIER __asm__ volatile("{barrier}" ::: "memory")\n'
    program = built(tmp_path, define + FENCED_BY_HAND)
    run = run_inside(program)
    assert not run.kinds and "coverage machine: sequentially consistent" in statement(run)
    alone = run_inside(program, (), ["--machine-code=off"])
    assert not alone.kinds and "2 atomic instructions in 1 module were not seen" in statement(alone)
    asked = run_inside(program, (), ["--memory", "c11"])
    assert "blind to what other code orders: --memory c11 needs every module to be built with" in statement(asked)


def test_a_wait_for_a_futex_ends_old_values_of_its_word(tmp_path: Path) -> None:
    """The kernel has looked for the thread: else it would read the old value, and not wait, for ever."""
    run = run_inside(compiled(PROGRAMS / "correct/cpp20/library_waits.c", ["-DTYPE=int", "-DUNTIL=0"], True), (), ["--bound", "none"])
    assert run.exit_code == 0 and run.report["executions"] < 20


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (PUBLISH, "It takes release at program.c:9 (a relaxed store): all schedules pass then."),
        (
            PUBLISH.replace("memory_order_acquire", "memory_order_relaxed"),
            "It takes acquire at program.c:14 (a relaxed load) and release at program.c:9 (a relaxed store): all schedules pass then.",
        ),
        (BUFFERED, f"It takes seq_cst at {', '.join(f'program.c:{line}' for line in BUFFERS)}: all schedules pass then."),
    ],
    ids=["one side", "both sides", "store buffering"],
)
def test_the_report_says_which_orders_would_help(tmp_path: Path, text: str, says: str) -> None:
    finding = run_inside(built(tmp_path, text)).report["findings"][0]
    assert finding["remedy"].startswith(says)


FENCED = PUBLISH.replace(
    "    atomic_store_explicit(&ready", "    atomic_thread_fence(memory_order_release);\n    atomic_store_explicit(&ready"
)


def test_each_order_and_fence_is_weakened_alone(tmp_path: Path) -> None:
    shop = Workshop(tmp_path)
    built(tmp_path, FENCED)
    assert shop.tool("cc", "-g", "-O1", "-pthread", "-o", "fenced", "program.c").exit_code == 0
    run = shop.tool("mutate", "--orders", "./fenced")
    assert run.exit_code == 0, run
    assert "noticed: acquire load at program.c:15 in two: as relaxed assertion program.c:16 in two" in run.stdout
    assert "noticed: release fence at program.c:9 in one: without it assertion program.c:16 in two" in run.stdout
    assert "mutate: 2 noticed, 0 NOT NOTICED" in run.stdout


def test_orders_of_a_plain_binary_are_not_known(tmp_path: Path) -> None:
    shop = Workshop(tmp_path)
    shop.source(RELEASED, "plain")
    run = shop.tool("mutate", "--orders", "./plain")
    assert run.exit_code == 2 and "--orders needs every module to be built with `bpor-native cc`" in run.stderr


def test_an_order_for_a_call_site_that_is_none_is_refused_in_one_line(tmp_path: Path) -> None:
    run = run_inside(built(tmp_path, PUBLISH), (), ["--with-order", "program+12=strong"])
    assert run.exit_code == 2 and "'program+12=strong' is not MODULE+OFFSET=ORDER" in run.stderr


@pytest.mark.parametrize("name", ["double-checked locking", "reference count"])
def test_the_page_tells_the_orders_that_a_classic_needs(name: str) -> None:
    """The others: python -m tests.native.orders_table."""
    assert row(name) in PAGE.read_text(encoding="utf-8")
