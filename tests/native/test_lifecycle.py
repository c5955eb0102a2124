"""Processes that die, hang or are killed: every end is a value or one line, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from bpor.errors import InternalError, Uncontrolled, UsageError
from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.target import launch
from bpor.target.executor import NativeExecutor
from bpor.target.launch import Target
from bpor.target.options import TargetOptions
from bpor.target.workspace import Workspace
from tests.native.compiled import PROGRAMS, ROOT, compiled
from tests.native.tool import environment
from tests.patience import PATIENCE, eventually

BANK = PROGRAMS / "buggy/deadlock/bank.c"


def build(tmp_path: Path, source: str, *flags: str) -> str:
    path = tmp_path / "program.c"
    path.write_text(source)
    return str(compiled(path, flags))


def test_a_killed_child_ends_one_execution_and_not_the_search(tmp_path: Path) -> None:
    program = build(tmp_path, "#include <signal.h>\n#include <unistd.h>\nint main(void) { kill(getpid(), SIGKILL); return 0; }\n")
    with NativeExecutor([program]) as executor:
        for _ in range(3):
            assert executor.run(Plan()).end.outcome is Outcome.KILLED


def test_a_killed_template_is_started_again_and_the_plan_repeated() -> None:
    with NativeExecutor([str(compiled(BANK))]) as executor:
        expected = executor.run(Plan())
        target = executor._target
        assert target is not None
        os.kill(target.process.pid, signal.SIGKILL)
        target.process.wait()
        again = executor.run(Plan())
        assert (again.hash, again.length) == (expected.hash, expected.length)


def test_a_killed_controller_leaves_no_process_behind(tmp_path: Path) -> None:
    program = build(tmp_path, "#include <unistd.h>\nint main(void) { char byte; int ends[2]; (void)!pipe(ends);\n"
                    "    for (volatile long forever = 1; forever; forever += 2) { } // never the state it was in, so no livelock ends it\n"
                    "    return (int)read(ends[0], &byte, 1); }\n")  # fmt: skip
    tool = subprocess.Popen(
        [sys.executable, "-m", "bpor", program, "--watchdog", "60"],
        env=environment(), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    family = wait_for_family(tool.pid, 2)
    tool.kill()
    tool.wait()
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert not alive


def wait_for_family(pid: int, size: int) -> list[psutil.Process]:

    def family() -> list[psutil.Process]:
        children = psutil.Process(pid).children(recursive=True)
        return children if len(children) >= size else []

    return eventually(family, "the target's start")


def test_a_target_that_dies_before_main_is_explained(tmp_path: Path) -> None:
    program = build(
        tmp_path,
        "#include <stdio.h>\n#include <stdlib.h>\n"
        '__attribute__((constructor)) static void early(void) { fputs("no licence\\n", stderr); _Exit(3); }\n'
        "int main(void) { return 0; }\n",
    )
    with NativeExecutor([program]) as executor, pytest.raises(Uncontrolled, match=r"exited with status 3 before it reached.*no licence"):
        executor.run(Plan())


def test_a_target_that_never_reaches_its_fork_point_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "_LOADING", 0.3)  # seconds of a processor, which this program uses up
    program = build(
        tmp_path,
        "__attribute__((constructor)) static void early(void) { for (volatile int i = 1; i;) { } }\nint main(void) { return 0; }\n",
    )
    with (
        NativeExecutor([program], TargetOptions(watchdog=0.3)) as executor,
        pytest.raises(Uncontrolled, match="did not reach its fork point"),
    ):
        executor.run(Plan())


def test_threads_that_run_before_the_fork_point_are_refused_with_their_number(tmp_path: Path) -> None:
    program = build(
        tmp_path,
        "#include <pthread.h>\n#include <unistd.h>\n"
        "extern void bpor_native_ready(void) __attribute__((weak));\n"
        "static void *idle(void *argument) { pause(); return argument; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, idle, 0); bpor_native_ready(); return 0; }\n",
    )
    with NativeExecutor([program], TargetOptions(fork_at="ready")) as executor, pytest.raises(Uncontrolled, match="1 threads already ran"):
        executor.run(Plan())


@pytest.mark.parametrize("field", ["version", "shared_bytes", "event_bytes", "magic"])
def test_a_library_of_another_version_is_explained(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fill = Target._fill_config

    def fill_wrongly(self: Target, *arguments: object) -> None:
        fill(self, *arguments)  # type: ignore[arg-type]
        setattr(self.channel.shared, field, 12345)

    monkeypatch.setattr(Target, "_fill_config", fill_wrongly)
    with NativeExecutor([str(compiled(BANK))]) as executor, pytest.raises(InternalError, match="reinstall bpor-native"):
        executor.run(Plan())


def test_a_program_that_the_kernel_refuses_to_run_is_explained(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    with pytest.raises(UsageError), NativeExecutor([str(program)]) as executor:
        executor.run(Plan())


def test_an_execution_leaves_no_descriptor_and_no_directory_behind(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with NativeExecutor([str(compiled(BANK))]) as executor:
        root = executor._workspace.root
        executor.run(Plan())
    assert len(os.listdir("/proc/self/fd")) == before
    assert not root.exists()


def test_the_library_is_found_although_its_path_has_spaces_and_colons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strange = tmp_path / "a b:c"
    strange.mkdir()
    for name in ("libbpor.so", "bpor-launch", "alias"):
        (strange / name).symlink_to(ROOT / "bpor/_native" / name)
    monkeypatch.setattr("bpor.target.workspace.NATIVE", strange)
    with NativeExecutor([str(compiled(BANK))]) as executor:
        assert executor.run(Plan()).end.outcome is Outcome.PASSED


def test_the_directory_of_a_killed_controller_is_removed_and_that_of_a_living_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    abandoned = tmp_path / "bpor-native-abandoned"
    abandoned.mkdir()
    (abandoned / ".lock").touch()
    first = Workspace()
    second = Workspace()
    assert not abandoned.exists()
    assert first.root.exists() and second.root.exists()
    first.close()
    second.close()
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor")
def test_a_controller_that_keeps_to_its_target_starts_others_everywhere_and_is_free_again_in_the_end() -> None:
    allowed = os.sched_getaffinity(0)
    with NativeExecutor([str(compiled(BANK))]) as one, NativeExecutor([str(compiled(BANK))]) as other:
        one.run(Plan(stop_after_prefix=True))
        assert one._target is not None
        assert os.sched_getaffinity(0) == os.sched_getaffinity(one._target.process.pid) != allowed
        other.describe(Plan(stop_after_prefix=True))
        assert other._target is not None
        assert other._target.channel.shared.config.processors == len(allowed)
        assert os.sched_getaffinity(0) == allowed
        other.run(Plan(stop_after_prefix=True))
    assert os.sched_getaffinity(0) == allowed
