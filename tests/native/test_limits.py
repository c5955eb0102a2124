"""Limits end what does not end by itself, in every mode, before anything else would. How fast is not measured here: the other limits are
so large that a test which waited for them would never end."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from bpor.api import check
from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.report.verdict import VerdictKind
from bpor.search.budget import SearchStop
from bpor.settings import Settings
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from bpor.target.watch import send_watchdog
from tests.native.compiled import PROGRAMS, compiled

SPIN = PROGRAMS / "unsupported/spin.c"
HOUR = 3600.0
MODES = [
    {"reset": reset, "carrier": carrier, "engine": engine, "workers": workers}
    for (reset, carrier), (engine, workers) in itertools.product(
        [("auto", "auto"), ("fork", "fibers"), ("fork", "threads")], [("native", 1), ("native", 2), ("python", 1)]
    )
]
MODES.append({"reset": "exec", "carrier": "auto", "engine": "auto", "workers": 1})


def build(tmp_path: Path, source: str) -> str:
    path = tmp_path / "program.c"
    path.write_text(source)
    return str(compiled(path, ()))


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: "-".join(str(value) for value in mode.values()))
def test_max_time_ends_an_execution_that_does_not_end_in_every_mode(mode: dict[str, object]) -> None:
    result = check([str(compiled(SPIN))], Settings(max_time=0.2, watchdog=HOUR, bound="none"), **mode)
    assert result.verdict.kind is VerdictKind.INCONCLUSIVE
    assert result.search is not None
    assert result.search.stop is SearchStop.MAX_TIME


@pytest.mark.parametrize("where", ["for (volatile int i = 1; i;) { }", "sleep(3600);"])
def test_max_time_ends_a_program_that_does_not_come_to_main(tmp_path: Path, where: str) -> None:
    program = build(
        tmp_path,
        f"#include <unistd.h>\n__attribute__((constructor)) static void early(void) {{ {where} }}\nint main(void) {{ return 0; }}\n",
    )
    result = check([program], Settings(max_time=0.2, watchdog=HOUR))
    assert result.verdict.kind is VerdictKind.INCONCLUSIVE


@pytest.mark.parametrize(("reset", "carrier"), [("rollback", "fibers"), ("fork", "fibers"), ("fork", "threads"), ("exec", "threads")])
def test_the_watchdog_tells_where_the_thread_is_and_is_asked_once(reset: str, carrier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def ask(process: int, thread: int) -> None:
        asked.append(thread)
        send_watchdog(process, thread)

    monkeypatch.setattr("bpor.target.conversation.send_watchdog", ask)
    with NativeExecutor([str(compiled(SPIN))], TargetOptions(reset=reset, carrier=carrier, watchdog=0.3)) as executor:
        trace = executor.run(Plan())
    assert trace.end.outcome is Outcome.WATCHDOG
    assert trace.end.stack
    assert len(asked) == 1


def test_a_thread_that_stopped_itself_is_killed_without_being_heard(tmp_path: Path) -> None:
    program = build(tmp_path, "#include <signal.h>\nint main(void) { raise(SIGSTOP); return 0; }\n")
    with NativeExecutor([program], TargetOptions(watchdog=0.3)) as executor:
        assert executor.run(Plan()).end.outcome is Outcome.WATCHDOG


@pytest.mark.parametrize("engine", ["native", "python"])
def test_an_execution_that_was_killed_once_is_run_again_and_no_more_is_said(tmp_path: Path, engine: str) -> None:
    program = build(
        tmp_path,
        "#include <fcntl.h>\n#include <signal.h>\n#include <sys/syscall.h>\n#include <unistd.h>\nint main(int argc, char **argv) {\n"
        "    long file;  /* a bare call: nobody puts back what it made */\n"
        '    __asm__ volatile("syscall" : "=a"(file) : "a"(SYS_open), "D"(argv[argc - 1]), "S"(O_CREAT | O_EXCL | O_WRONLY), "d"(0600)'
        ' : "rcx", "r11", "memory");\n'
        "    if (file >= 0) kill(getpid(), SIGKILL);\n    return 0; }\n",
    )
    result = check([program, str(tmp_path / "killed")], Settings(bound="none"), engine=engine, reset="fork")
    assert result.verdict.kind is VerdictKind.PASS
    assert (tmp_path / "killed").exists()


def test_one_that_is_killed_each_time_is_named_and_no_knob_is_blamed(tmp_path: Path) -> None:
    program = build(tmp_path, "#include <signal.h>\n#include <unistd.h>\nint main(void) { kill(getpid(), SIGKILL); return 0; }\n")
    verdict = check([program], Settings(bound="none")).verdict
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert "SIGKILL" in verdict.reason
    assert verdict.next == ""


@pytest.mark.parametrize("engine", ["native", "python"])
def test_the_step_limit_names_the_thread_and_the_lines_of_its_loop(tmp_path: Path, engine: str) -> None:
    source = """#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *worker(void *unused)
{
    for (count = 0; count < 1000000; count++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return 0;
}
"""
    program = build(tmp_path, source)
    result = check([program], Settings(bound="preemption:0", engine=engine, max_steps=1000, machine_code="off", max_time=HOUR))
    assert result.verdict.kind is VerdictKind.INCONCLUSIVE
    assert "by --max-steps; T1 goes round program.c:7 in worker, program.c:8 in worker" in result.verdict.statement
