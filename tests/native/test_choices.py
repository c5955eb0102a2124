"""Inputs that a test leaves open (bpor_choose) and assumptions (bpor_assume), on real programs."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from tests.native.compiled import ROOT
from tests.native.open_inputs import program, replay_line, run
from tests.native.tool import replay_inside

pytestmark = pytest.mark.needs("gcc")

ADDING = """
static void *add(void *amount)
{
    pthread_mutex_lock(&mutex);
    sum += (int)(long)amount;
    pthread_mutex_unlock(&mutex);
    return NULL;
}
int main(void)
{
    pthread_t one, two;
    unsigned first = bpor_choose(3), second = bpor_choose(100);
    bpor_assume(second % 10 == 0);
    pthread_create(&one, NULL, add, (void *)(long)first);
    pthread_create(&two, NULL, add, (void *)1);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(sum != 3 || second != LUCKLESS);
    return 0;
}
"""


@pytest.mark.parametrize(
    "options", [[], ["--engine=python"], ["--workers=2"], ["--workers=2", "--no-known-steps"], ["--bound", "preemption:1"]]
)
def test_every_input_is_explored_like_a_schedule(options: list[str], tmp_path: Path) -> None:
    """Three times ten inputs, two orders of the lock each; the other ninety are assumed away."""
    found = run(tmp_path, "#define LUCKLESS 1\n" + ADDING, *(options if "--bound" in options else ["--bound", "none", *options]))
    assert found.exit_code == 0, found
    assert found.report["distinct_traces"] == 60
    assert found.report["assumed_away"] == 270
    assert "every value of bpor_choose; 270 executions assumed away" in found.report["statement"]


def test_a_failing_input_is_told_replayed_and_shown_in_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    found = run(tmp_path, "#define LUCKLESS 70\n" + ADDING, "--html", str(page))
    assert found.exit_code == 1
    assert "bpor_choose at program.c:" in found.messages and "is 70" in found.messages
    line = replay_line(found.stdout.split("See it again")[1])
    assert "0.2,0.1,0.6," in line
    again = replay_inside(line)
    assert again.exit_code == 1 and again.kinds == {"assertion"}
    assert "choose 70" in found.stdout and "choose 70" in page.read_text()
    steps = found.report["findings"][0]["steps"]
    assert (steps[0]["alternative"], steps[0]["alternatives"], steps[0]["value"]) == (2, 3, 2)


def test_what_makes_the_difference_keeps_the_inputs(tmp_path: Path) -> None:
    """Without them another schedule passes, and says nothing."""
    text = """
    static int first;
    static void *mark(void *own)
    {
        pthread_mutex_lock(&mutex);
        first = first ? first : (int)(long)own;
        pthread_mutex_unlock(&mutex);
        return NULL;
    }
    int main(void)
    {
        pthread_t one, two;
        unsigned which = bpor_choose(2);
        pthread_create(&one, NULL, mark, (void *)1);
        pthread_create(&two, NULL, mark, (void *)2);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
        assert(!which || first != 1);
        return 0;
    }
    """
    found = run(tmp_path, text)
    assert found.exit_code == 1
    passing = replay_line(found.stdout.split("What makes the difference")[1])
    assert "0.1" in passing
    assert replay_inside(passing).exit_code == 0


def test_a_step_through_the_execution_names_what_was_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(tmp_path, "#define LUCKLESS 70\n" + ADDING)
    line = replay_line(found.stdout.split("See it again")[1]).replace("replay", "replay --step", 1)
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n\n\nq\n"))
    assert "choose 70" in replay_inside(line).stdout


def test_a_search_in_which_everything_was_assumed_away_is_no_pass(tmp_path: Path) -> None:
    found = run(tmp_path, "int main(void) { bpor_assume(bpor_choose(2) == 2); return 0; }", "--bound", "none")
    assert found.exit_code == 3
    assert "nothing was tested: all 2 executions were assumed away" in found.report["statement"]


WAITING = """
static atomic_int flag;
static void *one(void *unused)
{
    BEFORE
    bpor_assume(bpor_choose(2) == 1);
    AFTER
    atomic_store(&flag, 1);
    return unused;
}
static void *two(void *unused)
{
    WAIT
    return unused;
}
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
LATER = "struct timespec later; clock_gettime(CLOCK_REALTIME, &later); later.tv_sec++;"


@pytest.mark.parametrize(
    ("before", "after", "wait"),
    [
        ("pthread_mutex_lock(&mutex);", "pthread_mutex_unlock(&mutex);", "pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex);"),
        ("", "", "while (!atomic_load(&flag)) sched_yield();"),
        (
            "",
            "sem_post(&posted);",
            f'{LATER} if (sem_timedwait(&posted, &later) != 0) assert(!"its time is up because a thread is kept from going on");',
        ),
    ],
    ids=["a lock", "a loop", "a timeout"],
)
def test_who_waits_for_a_thread_that_is_not_let_go_on_does_nothing_wrong(before: str, after: str, wait: str, tmp_path: Path) -> None:
    text = f"#define BEFORE {before}\n#define AFTER {after}\n#define WAIT {wait}\nstatic sem_t posted;\n{WAITING}"
    found = run(tmp_path, text, "--bound", "fair:2")
    assert found.exit_code == 0, found
    assert found.report["assumed_away"] > 0


def test_what_others_do_wrong_beside_a_failed_assumption_is_found(tmp_path: Path) -> None:
    text = f"#define BEFORE\n#define AFTER\n#define WAIT assert(!atomic_load(&flag));\n{WAITING}"
    assert run(tmp_path, text).kinds == {"assertion"}
    always = "#define BEFORE bpor_assume(0);\n#define AFTER\n#define WAIT assert(0);\n" + WAITING
    assert run(tmp_path, always).kinds == {"assertion"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("int main(void) { bpor_choose(0); return 0; }", "there is nothing to choose from"),
        (
            "__attribute__((constructor)) static void early(void) { bpor_choose(2); } int main(void) { return 0; }",
            "before the fork point nothing is explored",
        ),
        (
            "int main(void) { int status; if (fork() == 0) _exit(bpor_choose(2)); wait(&status); return 0; }",
            "calls bpor_choose where nothing is explored",
        ),
    ],
    ids=["of nothing", "before main", "in another process"],
)
def test_an_input_that_nobody_explores_is_never_a_pass(text: str, why: str, tmp_path: Path) -> None:
    found = run(tmp_path, text)
    assert found.exit_code in (1, 4) and why in found.messages + found.stdout, found


@pytest.mark.parametrize("condition", ["bpor_choose(2)", "(bpor_assume(bpor_choose(2)), 1)"])
def test_what_runs_out_of_sight_with_one_input_only_is_noticed(condition: str, tmp_path: Path) -> None:
    """One look at the first execution stood for all of them, which had the same input."""
    text = f"""
    #include <sys/mman.h>
    static void *nothing(void *unused) {{ return unused; }}
    int main(void)
    {{
        pthread_t one, two;
        pthread_create(&one, NULL, nothing, NULL);
        pthread_create(&two, NULL, nothing, NULL);
        if ({condition})
            mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
        return 0;
    }}
    """
    found = run(tmp_path, text)
    assert "code that the program made as it ran" in found.report["statement"], found


def test_without_the_tool_the_first_value_is_chosen_and_a_failed_assumption_skips_the_test(tmp_path: Path) -> None:
    assert subprocess.run([program(tmp_path, "int main(void) { return bpor_choose(9) ? 1 : 0; }")]).returncode == 0
    assert subprocess.run([program(tmp_path, "int main(void) { bpor_assume(bpor_choose(9) == 4); return 0; }")]).returncode == 77


@pytest.mark.parametrize("search", ["random", "optimal", "best-first", "cb-por", "cartesian", "pct"])
def test_a_search_that_tries_one_alternative_only_refuses_in_one_line(search: str, tmp_path: Path) -> None:
    for options in ([], ["--faults=malloc:1"]):
        found = run(tmp_path, "#define LUCKLESS 1\n" + ADDING, "--search", search, *options)
        assert found.exit_code == 2 and found.stderr.count("\n") == 1 and "one alternative of each step" in found.stderr, found


def test_searches_are_compared_only_if_they_try_every_alternative(tmp_path: Path) -> None:
    built = program(tmp_path, "int main(void) { bpor_choose(3); return 0; }")
    tool = [sys.executable, "-m", "bpor", "compare"]
    both = ("dpor,optimal", "dpor,dfs")
    refused, compared = (subprocess.run([*tool, "--search", names, built], cwd=ROOT, capture_output=True, text=True) for names in both)
    assert refused.returncode == 2 and "optimal would try one alternative only" in refused.stderr
    assert compared.returncode == 0 and compared.stdout.count(" 3 ") >= 2
