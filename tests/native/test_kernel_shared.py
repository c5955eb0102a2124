"""A fork is no reset for what the kernel shares: each kind of it, made before the fork point and changed by every execution, is as fresh in
every execution and in every mode as in a process that was started without us.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bpor import check
from bpor.errors import Uncontrolled
from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.report.json_report import to_json
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native.compiled import compiled
from tests.patience import PATIENCE

SOURCE = Path(__file__).parent / "kernel_shared.c"
KINDS = re.findall(r'^    \{"([a-z-]+)", ', SOURCE.read_text(), re.MULTILINE)
HOPELESS = {"record-lock": "record lock", "interval-timer": "timer"}  # no execution would have it, or each at another moment
NEEDS_A_PROCESS = {
    "huge-memory": "more than 64 MiB of memory and files are shared",
    "system-v-memory": "System V shared memory, made before the fork point",
    "system-v-memory-apart": "System V shared memory, made before the fork point",
    "name": "an execution changed for good what descriptor",
    "seals": "an execution changed for good what descriptor",
    "open-file-lock": "(file), opened before the fork point, is shared by all executions, and it has a lock",
    "sockets": "(socket), opened before the fork point",
    "sockets-end": "(socket), opened before the fork point",
    "epoll": "(eventpoll), opened before the fork point",
    "timerfd": "(timerfd), opened before the fork point",
    "signalfd": "(signalfd), opened before the fork point",
    "inotify": "(inotify), opened before the fork point",
    "socket": "(socket), opened before the fork point",
    "terminal": "(device), opened before the fork point",
}
EXECUTIONS = 3


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs leave files where they run."""
    (tmp_path / "input").write_text("onetwothreefour")
    monkeypatch.chdir(tmp_path)
    yield


def program(kind: str) -> list[str]:
    return [str(compiled(SOURCE)), kind]


def uncontrolled(kind: str) -> bytes:
    with open("input", "rb") as stdin:
        environment = {**os.environ, "TIDY": "1"}  # what outlives it is removed by itself, as by the tool where that runs it
        return subprocess.run(program(kind), stdin=stdin, capture_output=True, check=True, env=environment).stdout


def options(reset: str) -> TargetOptions:
    return TargetOptions(reset=reset, stdin=os.path.abspath("input"))


@pytest.mark.parametrize("reset", ["exec", "fork", "rollback", "auto"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in HOPELESS])
def test_every_execution_finds_what_a_process_of_its_own_finds(kind: str, reset: str) -> None:
    expected = uncontrolled(kind)
    with NativeExecutor(program(kind), options(reset)) as executor:
        ends = [executor.run(Plan()).end for _ in range(EXECUTIONS)]
        assert [(end.outcome, end.stdout) for end in ends] == [(Outcome.PASSED, expected)] * EXECUTIONS
        assert executor.mode.exec == (reset == "exec" or kind in NEEDS_A_PROCESS)
        assert NEEDS_A_PROCESS.get(kind, "") in executor.reason or reset == "exec"


@pytest.mark.parametrize("reset", ["exec", "fork", "rollback", "auto"])
def test_no_segment_of_the_program_outlives_the_search(reset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    size = 4096 + os.getpid()  # by which it is known among those of others
    monkeypatch.setenv("SEGMENT_BYTES", str(size))
    with NativeExecutor(program("system-v-memory-apart"), options(reset)) as executor:
        assert executor.run(Plan()).end.outcome is Outcome.PASSED
    assert size not in [int(line.split()[3]) for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]]


@pytest.mark.parametrize("reset", ["exec", "fork", "rollback", "auto"])
@pytest.mark.parametrize("kind", HOPELESS)
def test_what_no_mode_brings_back_is_refused_in_one_sentence(kind: str, reset: str) -> None:
    with NativeExecutor(program(kind), options(reset)) as executor, pytest.raises(Uncontrolled, match=HOPELESS[kind]):
        executor.run(Plan())


@pytest.mark.parametrize("kind", ["memory", "offset-of-copies", "sockets", "seals"])
def test_a_search_ends_with_the_same_verdict_by_either_engine_and_says_how_the_program_starts_anew(kind: str) -> None:
    for engine in ("auto", "python"):
        result = check(program(kind), bound="preemption:1", engine=engine, outcomes=False)
        assert result.exit_code == 0, result.verdict.statement
        reset = to_json(result)["reset"]
        assert reset["mode"] == ("exec" if kind in NEEDS_A_PROCESS else "fork")
        assert NEEDS_A_PROCESS.get(kind, "") in reset["because"]
        assert ("a new process for every execution" in result.verdict.statement) == (kind in NEEDS_A_PROCESS)


HOLDS = """
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
__attribute__((constructor)) static void early(int count, char **words) { flock(open(words[count - 1], O_RDWR | O_CREAT, 0600), LOCK_EX); }
static void *work(void *unused) { return unused; }
int main(void) { pthread_t one; pthread_create(&one, 0, work, 0); return pthread_join(one, 0); }
"""
WAITS = "import fcntl, sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX)"


@pytest.mark.parametrize("reset", ["fork", "rollback"])
def test_a_lock_from_before_the_fork_point_is_never_given_up_between_executions(tmp_path: Path, reset: str) -> None:
    """It was, for a moment: another run of ours then took a directory in use for abandoned, and removed it."""
    source, held = tmp_path / "holds.c", tmp_path / "held"
    source.write_text(HOLDS)
    with NativeExecutor([str(compiled(source)), str(held)], TargetOptions(reset=reset)) as executor:
        executor.run(Plan())
        waiting = [subprocess.Popen([sys.executable, "-c", WAITS, held]) for _ in range(2)]
        outcomes = {executor.run(Plan()).end.outcome for _ in range(400)}
        got_it = [one for one in waiting if one.poll() is not None]
    assert [one.wait(PATIENCE) for one in waiting] == [0, 0]
    assert outcomes == {Outcome.PASSED} and not got_it
