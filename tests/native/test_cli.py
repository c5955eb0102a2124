"""The command line on real programs: every exit code, every stream, every way to be ended from outside."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bpor.version import VERSION
from tests.patience import PATIENCE, eventually
from tests.unit.closed_schema import closed_schema

ROOT = Path(__file__).resolve().parents[2]
TOOL = [sys.executable, "-m", "bpor"]

ABBA = """
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(thread, NULL);
    for (int i = 1; i < argc; i++)
        printf("[%s]", argv[i]);
    return 0;
}
"""

# Enough schedules to be busy with: three threads, ten critical sections each.
LONG = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *unused)
{
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return unused;
}
int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""
SPIN = """
#include <pthread.h>
static volatile int flag;
static void *spin(void *unused)
{
    while (!flag) {
    }
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, spin, NULL);
    flag = 1;
    pthread_join(thread, NULL);
    return 0;
}
"""
CANCEL = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 0;
}
"""
STDIN = """
#include <stdio.h>
int main(void)
{
    int c = getchar();
    printf("read %d\\n", c);
    return c == 'y' ? 3 : 0;
}
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("programs")
    for name, source in {"abba": ABBA, "long": LONG, "spin": SPIN, "cancel": CANCEL, "stdin": STDIN}.items():
        (directory / f"{name}.c").write_text(source)
        command = ["gcc", "-g", "-O1", "-pthread", str(directory / f"{name}.c"), "-o", str(directory / name)]
        subprocess.run(command, check=True)
    return directory


def tool(*words: str, directory: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([*TOOL, *words], cwd=directory, env=environment, capture_output=True, text=True, timeout=PATIENCE)


def json_of(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text())
    jsonschema.validate(document, closed_schema())
    return document


def test_the_line_everybody_types_first_works_literally(programs: Path) -> None:
    run = tool("./abba", "--bound", "fair:2,preemption:2", directory=programs)
    assert run.returncode == 1, run.stderr
    assert run.stdout.splitlines()[-1].startswith("bug: deadlock")


def test_the_last_line_is_the_verdict_and_json_says_the_same(programs: Path, tmp_path: Path) -> None:
    run = tool("./abba", "--bound", "preemption:0", "--json", str(tmp_path / "r.json"), directory=programs)
    document = json_of(tmp_path / "r.json")
    assert run.returncode == document["exit_code"] == 0
    assert run.stdout.splitlines()[-1] == document["statement"]
    assert document["completed_bounds"] == ["preemption:0"]
    assert document["distinct_traces"] == 1  # main only stops to join; the other order would preempt it


def test_a_findings_replay_line_repeats_it_when_pasted(programs: Path, tmp_path: Path) -> None:
    tool("./abba", "one", "--bound", "preemption:1", "two words", "--json", str(tmp_path / "r.json"), directory=programs)
    (finding,) = json_of(tmp_path / "r.json")["findings"]
    words = shlex.split(finding["replay"])
    assert words[0] == "bpor-native"
    run = tool(*words[1:], "--json=not-ours", directory=programs)  # after `--`: the program's
    assert run.returncode == 1, run.stderr
    assert run.stdout.splitlines()[-1].startswith("bug: deadlock")
    assert not (programs / "not-ours").exists()


def test_a_replay_writes_json_too(programs: Path, tmp_path: Path) -> None:
    run = tool("replay", "0,0*3", "--json", str(tmp_path / "r.json"), "--", "./abba", directory=programs)
    assert run.returncode == 0, run.stderr
    assert json_of(tmp_path / "r.json")["verdict"] == "pass"


def test_a_schedule_of_another_program_diverges(programs: Path) -> None:
    run = tool("replay", "0,7", "--", "./abba", directory=programs)
    assert run.returncode == 5
    assert "step 1" in run.stdout


def test_the_programs_arguments_are_the_programs(programs: Path) -> None:
    run = tool("./abba", "x", "--max-executions", "1", "-v", "--", "--bound", "z", "--show-output", directory=programs)
    assert run.returncode == 3, run.stderr
    run = tool("./abba", "x", "--max-executions", "1", "--show-output", "-v", "--", "--bound", "z", directory=programs)
    assert run.stdout.startswith("[x][-v][--bound][z]")


def test_stdin_is_empty_unless_a_file_is_given_and_the_file_is_new_in_every_execution(programs: Path, tmp_path: Path) -> None:
    (tmp_path / "input").write_text("yes")
    assert tool("./stdin", "--show-output", directory=programs).stdout.startswith("read -1\n")
    run = tool("./stdin", "--stdin", str(tmp_path / "input"), directory=programs)
    assert run.returncode == 1
    assert f"--stdin={tmp_path / 'input'}" in run.stdout
    missing = tool("./stdin", "--stdin", str(tmp_path / "nothing"), directory=programs)
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)


def test_outcomes_are_counted_and_shown(programs: Path, tmp_path: Path) -> None:
    run = tool("./abba", "hello", "--bound", "preemption:0", "--outcomes", "--json", str(tmp_path / "r.json"), directory=programs)
    assert "outcome, 1 time: '[hello]'" in run.stdout
    (outcome,) = json_of(tmp_path / "r.json")["outcomes"]
    assert (outcome["stdout"], outcome["count"], outcome["truncated"]) == ("[hello]", 1, False)


def test_control_names_the_program_behind_a_wrapper_script(programs: Path, tmp_path: Path) -> None:
    script = tmp_path / "wrapper"
    script.write_text(f'#!/bin/sh\n/bin/true\nexec {programs}/abba "$@"\n')
    script.chmod(0o755)
    run = tool(f"--control={programs}/abb*", "--bound", "preemption:1", "./wrapper", directory=tmp_path)
    assert run.returncode == 1, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1].startswith("bug: deadlock")
    none = tool("--control=./nothing*", "./wrapper", directory=tmp_path)
    assert (none.returncode, none.stderr.count("\n")) == (2, 1)


def test_behind_a_script_the_first_program_that_creates_a_thread_is_controlled(programs: Path, tmp_path: Path) -> None:
    script = tmp_path / "wrapper"
    script.write_text(f'#!/bin/sh\n/bin/true\n{programs}/abba "$@"\n')
    script.chmod(0o755)
    run = tool("--bound", "preemption:1", "./wrapper", directory=tmp_path)
    assert run.returncode == 1, run.stdout + run.stderr
    assert "abba.c" in run.stdout.splitlines()[-1]


def test_output_is_shown_for_the_failing_execution_only(programs: Path) -> None:
    run = tool("./abba", "hello", "--bound", "preemption:1", directory=programs)
    assert "[hello]" not in run.stdout  # it deadlocks before it prints; the passing ones printed


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["--version"], 0, f"bpor-native {VERSION}\n"),
        (["--help"], 0, "--bound BOUND"),
        (["replay", "--help"], 0, "SCHEDULE"),
        (["doctor", "--help"], 0, "machine"),
        ([], 0, "bpor-native replay last"),
        (["doctor"], 0, "this machine can run bpor-native"),
        (["doctor", "./abba"], 0, "coverage machine"),
    ],
)
def test_asking_is_answered_on_stdout(programs: Path, words: list[str], code: int, text: str) -> None:
    run = tool(*words, directory=programs)
    assert (run.returncode, run.stderr) == (code, "")
    assert text in run.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["./nothing"],
        ["."],
        ["./abba.c"],
        ["--bnd", "x", "./abba"],
        ["./abba", "--bond", "x"],
        ["./abba", "--search", "nonsense"],
        ["./abba", "--json", "/nowhere/r.json"],
        ["replay", "0,1"],
        ["replay", "zero", "--", "./abba"],
        ["run"],
        ["doctor", "./nothing"],
    ],
)
def test_a_usage_error_is_one_line_on_stderr_and_exit_2(programs: Path, words: list[str]) -> None:
    run = tool(*words, directory=programs)
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1), run.stderr
    assert run.stderr.startswith("bpor-native: ")


def test_a_malformed_bound_shows_the_grammar(programs: Path) -> None:
    run = tool("./abba", "--bound", "preemption", directory=programs)
    assert run.returncode == 2
    assert "KIND:LOW..HIGH" in run.stderr


def test_a_usage_error_is_in_the_json_too(programs: Path, tmp_path: Path) -> None:
    run = tool("./nothing", "--json", str(tmp_path / "r.json"), directory=programs)
    assert run.returncode == json_of(tmp_path / "r.json")["exit_code"] == 2


def test_a_static_program_is_uncontrolled_or_skipped(programs: Path, tmp_path: Path) -> None:
    subprocess.run(["gcc", "-static", "-pthread", str(programs / "abba.c"), "-o", str(tmp_path / "static")], check=True)
    assert tool("./static", "--json", "r.json", directory=tmp_path).returncode == 4
    assert json_of(tmp_path / "r.json")["verdict"] == "uncontrolled"
    assert tool("./static", "--uncontrolled=skip", directory=tmp_path).returncode == 77
    assert tool("doctor", "./static", directory=tmp_path).returncode == 4


@pytest.mark.parametrize(("name", "place"), [("spin", "spin.c:6 in spin"), ("cancel", "cancel.c:14 in main")])
def test_a_thread_or_call_out_of_our_control_is_named_with_its_place(programs: Path, tmp_path: Path, name: str, place: str) -> None:
    run = tool(f"./{name}", "--machine-code=off", "--watchdog", "1", "--json", str(tmp_path / "r.json"), directory=programs)
    document = json_of(tmp_path / "r.json")
    assert (run.returncode, document["verdict"]) == (4, "uncontrolled"), run.stdout + run.stderr
    assert place in document["statement"]
    assert f"{Path(document['stack'][0]['file']).name}:{document['stack'][0]['line']}" == place.split()[0]


def test_more_coverage_than_there_is_cannot_be_required_in_vain(programs: Path) -> None:
    assert tool("./abba", "--require=memory", directory=programs).returncode == 4


def test_a_budget_ends_in_the_next_command_which_works_when_pasted(programs: Path) -> None:
    run = tool("./long", "--bound", "none", "--max-executions", "5", directory=programs)
    assert run.returncode == 3
    line = run.stdout.splitlines()[-1]
    words = shlex.split(line.split("next: ")[1])
    assert words[:1] == ["bpor-native"]
    assert tool(*words[1:], directory=programs).returncode == 3
    assert tool("./long", "--bound=none", "--max-executions=5", "--inconclusive=pass", directory=programs).returncode == 0


def test_a_time_budget_is_honoured(programs: Path) -> None:
    run = tool("./long", "--bound", "none", "--max-time", "1s", directory=programs)  # all of it takes hours
    assert run.returncode == 3
    assert "--max-time 1s" in run.stdout


def children_of(pid: int) -> list[int]:
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def started(programs: Path, directory: Path) -> subprocess.Popen[str]:
    """A search that is under way: it has saved how far it came, in a place of its own (one that is there already is somebody else's)."""
    state = directory / ".bpor"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [*TOOL, "./long", "--bound", "none", "--state", str(state)]
    process = subprocess.Popen(command, cwd=programs, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    eventually(lambda: list(state.rglob("search.sqlite")), "a checkpoint")
    return process


def all_gone(pids: list[int]) -> bool:
    return eventually(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids), f"the end of {pids}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_a_polite_kill_report_what_was_covered_and_exit_3(programs: Path, number: signal.Signals, tmp_path: Path) -> None:
    process = started(programs, tmp_path)
    targets = children_of(process.pid)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3, stderr
    assert "interrupted after" in stdout.splitlines()[-1]
    assert "Traceback" not in stderr
    assert all_gone(targets)


def test_a_killed_controller_leaves_no_process_behind(programs: Path, tmp_path: Path) -> None:
    process = started(programs, tmp_path)
    targets = children_of(process.pid)
    assert targets
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert all_gone(targets)


def test_a_reader_that_goes_away_is_no_traceback(programs: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    line = f"{shlex.join(TOOL)} --help | head -c 1 >/dev/null"
    run = subprocess.run(["sh", "-c", line], env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert run.stderr == ""


def test_a_reader_that_goes_away_does_not_change_the_verdict(programs: Path) -> None:
    """Its end is closed before anything is written."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [*TOOL, "./abba", "--bound", "preemption:1"]
    run = subprocess.run(
        command, cwd=programs, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=writing, stderr=subprocess.PIPE, timeout=PATIENCE
    )
    os.close(writing)
    assert (run.returncode, run.stderr) == (1, b"")


def test_a_stack_too_small_for_python_is_one_line() -> None:
    line = f"ulimit -s 64; exec {shlex.quote(str(ROOT / 'scripts/bpor-native'))} --version"
    run = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=PATIENCE)
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)


def test_words_that_are_no_text_and_a_narrow_terminal_are_no_error(programs: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "latin-1"}
    command = [*(word.encode() for word in TOOL), b"./abba", b"\xff\xe2", b"--bound=preemption:0", b"--json", bytes(tmp_path / "r.json")]
    run = subprocess.run(command, cwd=programs, env=environment, capture_output=True, timeout=PATIENCE)
    assert (run.returncode, run.stderr) == (0, b"")
    assert os.fsencode(json_of(tmp_path / "r.json")["program"][1]) == b"\xff\xe2"
    command[-3:] = [b"--bound=preemption:1"]
    run = subprocess.run(command, cwd=programs, env=environment, capture_output=True, timeout=PATIENCE)
    assert (run.returncode, run.stderr) == (1, b"")


def test_a_closed_stdout_is_no_traceback_and_the_verdict_stays(programs: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    line = f"{shlex.join(TOOL)} ./abba --bound preemption:1 >&-"
    run = subprocess.run(["sh", "-c", line], cwd=programs, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert (run.returncode, run.stderr) == (1, "")


def test_a_fault_of_ours_is_one_line_with_the_log_and_exit_99(programs: Path, tmp_path: Path) -> None:
    """The runtime is replaced by one that is not there."""
    script = (
        "import sys, pathlib, bpor.target.workspace as workspace\n"
        "workspace.NATIVE = pathlib.Path('/nowhere')\n"
        "from bpor.cli import main\n"
        "sys.exit(main(['./abba']))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", script], cwd=programs, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert (run.returncode, run.stderr.count("\n")) == (99, 1)
    (log,) = tmp_path.glob("bpor-native-*.log")
    assert str(log) in run.stderr
    assert "Traceback" in log.read_text()
