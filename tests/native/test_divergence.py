"""A prefix that cannot be followed is never a bug of the program: it names the first step that differs and the likely cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpor.errors import Diverged
from bpor.model.plan import Plan
from bpor.target.executor import NativeExecutor
from tests.native.compiled import PROGRAMS, compiled

BANK = PROGRAMS / "buggy/deadlock/bank.c"

# Which of two mutexes main locks depends on a file that every execution changes, by bare system calls, so that nobody puts it back.
COUNTS_ITS_RUNS = """
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static long bare(long number, long first, const void *second, long third)
{
    long answer;
    __asm__ volatile("syscall" : "=a"(answer) : "a"(number), "D"(first), "S"(second), "d"(third) : "rcx", "r11", "memory");
    return answer;
}
pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int main(int argc, char **argv)
{
    long file = bare(SYS_open, (long)argv[1], (const void *)(long)(O_RDWR | O_APPEND), 0);
    long runs = bare(SYS_lseek, file, NULL, SEEK_END);
    bare(SYS_write, file, ".", argc > 1);
    pthread_mutex_lock(&mutex[runs % 2]);
    pthread_mutex_unlock(&mutex[runs % 2]);
    pthread_mutex_lock(&mutex[0]);
    pthread_mutex_unlock(&mutex[0]);
    return 0;
}
"""


def test_a_thread_that_cannot_run_is_named_with_the_step() -> None:
    with NativeExecutor([str(compiled(BANK))]) as executor, pytest.raises(Diverged) as caught:
        executor.run(Plan(prefix=(0, 0, 7)))
    assert caught.value.step == 2
    assert "T7" in caught.value.expected


def test_a_schedule_from_outside_may_be_of_another_program_and_one_of_our_own_may_not() -> None:
    with NativeExecutor([str(compiled(BANK))]) as executor:
        with pytest.raises(Diverged) as given:
            executor.run(Plan(prefix=(0, 0, 7)))
        executor.run(Plan())
        with pytest.raises(Diverged) as recorded:
            executor.run(Plan(prefix=(0, 0, 7)))
    assert "another program, another build of it or other options, or was mistyped" in given.value.cause
    assert "mistyped" not in recorded.value.cause


def test_a_prefix_that_hashes_differently_names_the_first_step_and_a_cause(tmp_path: Path) -> None:
    source = tmp_path / "counts.c"
    source.write_text(COUNTS_ITS_RUNS)
    (tmp_path / "runs").touch()
    with NativeExecutor([str(compiled(source)), str(tmp_path / "runs")]) as executor:
        first = executor.run(Plan())
        with pytest.raises(Diverged) as caught:
            executor.run(Plan(prefix=(0, 0, 0), prefix_hash=first.steps[1].hash, report_from=2))
    assert caught.value.step == 0
    assert "lock" in caught.value.expected
    assert "another object" in caught.value.cause


def test_the_same_plan_gives_the_same_hash_in_a_fresh_process() -> None:
    argv = [str(compiled(BANK))]
    hashes = set()
    for _ in range(5):
        with NativeExecutor(argv) as executor:
            hashes.add(executor.run(Plan()).hash)
    assert len(hashes) == 1


def test_time_random_numbers_and_process_ids_repeat_in_every_process(tmp_path: Path) -> None:
    source = tmp_path / "sources.cpp"
    source.write_text(
        "#include <chrono>\n#include <cstdio>\n#include <random>\n#include <sys/random.h>\n#include <unistd.h>\n"
        "int main() { unsigned r; (void)!getrandom(&r, sizeof r, 0); std::random_device device;\n"
        '    std::printf("%u %u %d %d %lld\\n", r, device(), getpid(), gettid(),\n'
        "        (long long)std::chrono::system_clock::now().time_since_epoch().count()); }\n"
    )
    outputs = set()
    for _ in range(3):
        with NativeExecutor([str(compiled(source))]) as executor:
            outputs.add(executor.run(Plan()).end.stdout)
            outputs.add(executor.run(Plan()).end.stdout)
    assert len(outputs) == 1
