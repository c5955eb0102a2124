"""Calls that fail (--faults), on real programs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.native.compiled import compiled
from tests.native.open_inputs import HEAD, replay_line, run
from tests.native.tool import replay_inside, run_inside

pytestmark = pytest.mark.needs("gcc")

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
