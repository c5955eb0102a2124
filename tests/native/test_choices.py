"""Inputs that a test leaves open (bpor_choose), assumptions (bpor_assume) and calls that fail (--faults), on real programs."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.native.compiled import ROOT, compiled
from tests.native.tool import Run, replay_inside, run_inside

pytestmark = pytest.mark.needs("gcc")

HEAD = """
#include <assert.h>
#include <bpor.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;
"""


def program(directory: Path, text: str, instrumented: bool = False) -> Path:
    source = directory / "program.c"
    source.write_text(HEAD + text)
    return compiled(source, ["-Wno-unused-variable", "-Wno-unused-result", "-I", str(ROOT / "bpor" / "include")], instrumented)


def run(directory: Path, text: str, *options: str, instrumented: bool = False, arguments: Sequence[str] = ()) -> Run:
    return run_inside(program(directory, text, instrumented), arguments, ["--state", "none", *options])


def replay_line(text: str) -> str:
    return next(line.strip() for line in text.splitlines() if line.strip().startswith("bpor-native replay"))


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


# ---- calls that fail ----

CACHE = """
static char *cache;
static void *fill(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (cache == NULL) {
        cache = malloc(16);
        WRITE
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void)
{
    pthread_t one, two;
    char *copy = strdup("a copy");
    if (copy == NULL)
        return 0;
    free(copy);
    pthread_create(&one, NULL, fill, NULL);
    pthread_create(&two, NULL, fill, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
"""


def test_a_malloc_that_fails_is_told_by_its_line_and_replayed(tmp_path: Path) -> None:
    text = "#define WRITE cache[0] = 1;\n" + CACHE
    assert run(tmp_path, text).exit_code == 0  # without --faults nothing fails
    found = run(tmp_path, text, "--faults", "malloc:1")
    line = (HEAD + text).splitlines().index("        cache = malloc(16);") + 1
    assert found.kinds == {"crash"} and f"malloc at program.c:{line} returns NULL" in found.messages, found
    assert "malloc returns NULL" in found.stdout
    again = replay_line(found.stdout)
    assert "--faults=malloc:1" in again and replay_inside(again).kinds == {"crash"}


@pytest.mark.parametrize(
    ("faults", "traces", "words"),
    [
        ("malloc:1", 5, "with at most 1 failing malloc"),
        ("malloc:9", 7, "with any failing malloc"),
        ("malloc:1,eintr:1", 5, "without interrupted calls: a call that can be interrupted was never made"),
    ],
)
def test_a_pass_says_what_was_injected(faults: str, traces: int, words: str, tmp_path: Path) -> None:
    text = "#define WRITE if (cache) cache[0] = 1;\n" + CACHE
    for options in ([], ["--engine=python"], ["--workers=2"], ["--bound", "preemption:2"]):
        found = run(tmp_path, text, "--faults", faults, *(options or ["--bound", "none"]))
        assert found.exit_code == 0 and words in found.report["statement"], found
        assert found.report["distinct_traces"] == traces, options


def test_a_loop_that_tries_again_is_no_livelock_because_so_many_fail_and_no_more(tmp_path: Path) -> None:
    text = """
    static void *allocate(void *unused)
    {
        void *volatile block;
        while ((block = malloc(8)) == NULL)
            sched_yield();
        return unused;
    }
    int main(void)
    {
        pthread_t one;
        pthread_create(&one, NULL, allocate, NULL);
        pthread_join(one, NULL);
        return 0;
    }
    """
    found = run(tmp_path, text, "--faults", "malloc:9")
    assert found.exit_code == 0 and found.report["distinct_traces"] == 10, found


FAMILY = """
int main(void)
{
    void *block = NULL;
    const char *failed = "nothing";
    errno = 0;
    if ((block = malloc(1)) == NULL) failed = "malloc";
    else if (calloc(1, 1) == NULL) failed = "calloc";
    else if (realloc(block, 2) == NULL) failed = "realloc";
    else if (aligned_alloc(16, 16) == NULL) failed = "aligned_alloc";
    else if (strdup("x") == NULL) failed = "strdup";
    else if (posix_memalign(&block, 16, 16) == ENOMEM) failed = errno ? "errno" : "posix_memalign", errno = ENOMEM;
    assert(malloc(0) && realloc(malloc(0), 0) == NULL); /* no failure for no bytes */
    char text[32];
    int length = snprintf(text, sizeof text, "%s %d\\n", failed, !strcmp(failed, "nothing") || errno == ENOMEM);
    write(1, text, (size_t)length);
    return 0;
}
"""


def test_every_function_that_allocates_fails_as_it_would(tmp_path: Path) -> None:
    found = run(tmp_path, FAMILY, "--faults", "malloc:1", "--outcomes")
    names = {"nothing", "malloc", "calloc", "realloc", "aligned_alloc", "strdup", "posix_memalign"}
    assert {one["stdout"] for one in found.report["outcomes"]} == {f"{name} 1\n" for name in names}


@pytest.mark.needs("g++")
def test_operator_new_throws_bad_alloc_and_asks_the_new_handler(tmp_path: Path) -> None:
    source = tmp_path / "program.cpp"
    source.write_text(
        """
        #include <cstdio>
        #include <new>
        #include <unistd.h>
        static int asked;
        int main(int argc, char **)
        {
            if (argc > 1) std::set_new_handler([] { asked++; });
            const char *what = "fine\\n";
            try {
                delete new int;
                delete[] new int[3];
                if (int *none = new (std::nothrow) int) delete none; else what = "none\\n";
            } catch (const std::bad_alloc &) {
                what = "caught\\n";
            }
            if (asked) what = "asked\\n";
            if (write(1, what, __builtin_strlen(what)) < 0) return 1;
            return 0;
        }
        """
    )
    for arguments, outcomes in ([], {"fine\n", "caught\n", "none\n"}), (["x"], {"fine\n", "asked\n"}):
        found = run_inside(compiled(source), arguments, ["--state", "none", "--faults", "malloc:1", "--outcomes"])
        assert {one["stdout"] for one in found.report["outcomes"]} == outcomes, found
    uncaught = tmp_path / "uncaught.cpp"
    uncaught.write_text("int main() { delete new int; return 0; }")
    found = run_inside(compiled(uncaught, ["-O0"]), [], ["--state", "none", "--faults", "malloc:1"])
    assert found.kinds == {"terminate"} and "operator new at uncaught.cpp:1 throws std::bad_alloc" in found.messages


INTERRUPTED = """
static sem_t posted;
static int ends[2];
static void *one(void *unused)
{
    sem_post(&posted);
    while (write(ends[1], "ab", 2) < 0)
        ;
    return unused;
}
static void *two(void *unused)
{
    char got[2];
    struct timespec short_time = {0, 1000}, left = {9, 9};
    ASK
    return unused;
}
int main(void)
{
    pthread_t a, b;
    sem_init(&posted, 0, 0);
    pipe(ends);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("sem_wait(&posted) == 0", "sem_wait"),
        ("read(ends[0], got, 2) == 2", "read"),
        ("nanosleep(&short_time, &left) == 0", "sleep"),
        ("usleep(1) == 0", "sleep"),
    ],
)
def test_a_call_that_is_interrupted_returns_eintr(call: str, told: str, tmp_path: Path) -> None:
    careless = f"#define ASK assert({call});\n" + INTERRUPTED
    assert run(tmp_path, careless).exit_code == 0
    found = run(tmp_path, careless, "--faults", "eintr:1")
    assert found.kinds == {"assertion"} and re.search(rf"{told} at program.c:\d+ is interrupted \(EINTR\)", found.messages), found
    careful = f"#define ASK while (!({call})) assert(errno == EINTR);\n" + INTERRUPTED
    found = run(tmp_path, careful, "--faults", "eintr:2")
    assert found.exit_code == 0 and "with at most 2 interrupted calls" in found.report["statement"], found


SHORT = """
static void *say(void *end)
{
    send((int)(long)end, "hello", 5, 0);
    return NULL;
}
int main(void)
{
    int ends[2], sent[2];
    char got[6] = "";
    pthread_t other;
    socketpair(AF_UNIX, TYPE, 0, ends);
    pthread_create(&other, NULL, say, (void *)(long)ends[0]);
    ssize_t bytes = recv(ends[1], got, 5, 0);
    pthread_join(other, NULL);
    assert(bytes == 5);
    return 0;
}
"""


def test_a_transfer_is_short_where_it_may_be(tmp_path: Path) -> None:
    found = run(tmp_path, "#define TYPE SOCK_STREAM\n" + SHORT, "--faults", "short-read:1")
    assert found.kinds == {"assertion"} and re.search(r"(read|write) at program.c:\d+ (gives|takes) one byte only", found.messages)
    whole = run(tmp_path, "#define TYPE SOCK_DGRAM\n" + SHORT, "--faults", "short-read:1")  # its rest would be lost
    assert whole.exit_code == 0 and "without short reads and writes" in whole.report["statement"], whole


WEAK = """
static atomic_int value;
static void *add(void *unused)
{
    int seen = atomic_load(&value);
    LOOP (!atomic_compare_exchange_KIND(&value, &seen, seen + 1))
        seen = atomic_load(&value);
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(b, NULL);
    assert(value == 2);
    return 0;
}
"""


def test_a_weak_compare_exchange_fails_by_chance(tmp_path: Path) -> None:
    once = WEAK.replace("LOOP", "if")
    found = run(tmp_path, once.replace("KIND", "weak"), "--faults", "weak-cas:1", instrumented=True)
    assert found.kinds == {"assertion"} and re.search(r"compare_exchange_weak at program.c:\d+ fails by chance", found.messages), found
    assert run(tmp_path, once.replace("KIND", "strong"), "--faults", "weak-cas:1", instrumented=True).exit_code == 0
    retried = run(tmp_path, WEAK.replace("LOOP", "while").replace("KIND", "weak"), "--faults", "weak-cas:1", instrumented=True)
    assert retried.exit_code == 0 and "with at most 1 weak compare-exchange that fails by chance" in retried.report["statement"], retried
    plain = run(tmp_path, once.replace("KIND", "weak"), "--faults", "weak-cas:1")
    assert plain.exit_code == 0 and "a weak compare-exchange of instrumented code was never made" in plain.report["statement"], plain


@pytest.mark.parametrize("text", ["malloc", "malloc:0", "mallok:1", "malloc:1,malloc:2", "malloc:1001", "", "malloc:-1"])
def test_a_fault_that_is_none_is_said_in_one_line(text: str, tmp_path: Path) -> None:
    found = run(tmp_path, "int main(void) { return 0; }", f"--faults={text}")
    assert found.exit_code == 2 and found.stderr.count("\n") == 1, found
