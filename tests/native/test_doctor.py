"""doctor PROGRAM says how the program will be run, and why not faster: it tried."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bpor.cli import main
from bpor.cli.doctor import _functions
from bpor.target.instructions import Instructions
from tests.native.compiled import PROGRAMS, compiled
from tests.native.tool import command, environment
from tests.patience import PATIENCE

pytestmark = pytest.mark.needs("gcc")
BANK = PROGRAMS / "buggy/deadlock/bank.c"
GIGABYTE = 1 << 30
MODES = {
    "buggy/deadlock/bank.c": "mode: rollback, fibers\n",
    "correct/thread/seventy_meet.c": "mode: rollback, fibers; more than 64 threads in one execution need a larger pool of fibers\n",
    "correct/file/pipe.c": "mode: rollback, fibers\n",
    "correct/file/before_main.c": "mode: fork, fibers; the program uses a pipe, eventfd or socket that it made before the fork point\n",
}


@pytest.mark.parametrize("name", MODES)
def test_a_program_is_told_its_mode_and_what_stands_in_the_way_of_a_faster_one(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(compiled(PROGRAMS / name))]) == 0
    assert MODES[name] in capsys.readouterr().out


def test_address_sanitizer_needs_kernel_threads(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(compiled(BANK, ["-fsanitize=address"]))]) == 0
    assert "mode: fork, kernel threads; AddressSanitizer keeps its state for each kernel thread\n" in capsys.readouterr().out


def test_the_arguments_are_the_programs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text("#include <unistd.h>\nint main(int argc, char **argv) { (void)argv; return argc > 1 && chdir(argv[1]); }\n")
    assert main(["doctor", str(compiled(source)), "/"]) == 0
    assert "mode: fork, fibers; the program calls chdir" in capsys.readouterr().out


def test_a_program_that_makes_a_call_out_of_control_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(compiled(PROGRAMS / "unsupported/cancel.c"))]) == 4
    assert "pthread_cancel: cancellation arrives at no defined point" in capsys.readouterr().err


def run(words: list[str], before: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, env=environment(), capture_output=True, text=True, timeout=PATIENCE, preexec_fn=before)


@pytest.mark.slow
def test_where_no_pool_of_fibers_can_be_made_kernel_threads_carry_and_find_the_same() -> None:
    """The address space holds two stacks of this size, not sixteen."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_STACK, (GIGABYTE, resource.getrlimit(resource.RLIMIT_STACK)[1]))
        resource.setrlimit(resource.RLIMIT_AS, (12 * GIGABYTE, 12 * GIGABYTE))

    told = run(command("doctor", compiled(BANK)), limit)
    assert "mode: fork, kernel threads; a pool of threads cannot be made here" in told.stdout, told
    found = run(command("--state", "none", "--bound", "preemption:1", compiled(BANK)), limit)
    assert (found.returncode, found.stdout.startswith("deadlock: T1")) == (1, True), found


@pytest.mark.slow
def test_where_userfaultfd_is_not_allowed_rollback_says_that_it_copies_everything() -> None:
    contained = [sys.executable, str(Path(__file__).with_name("docker_seccomp.py"))]
    told = run([*contained, *command("doctor", compiled(BANK))])
    assert "mode: rollback, fibers; userfaultfd is not allowed here, so every page is copied back\n" in told.stdout, told
    assert "userfaultfd: not allowed here" in run([*contained, *command("doctor")]).stdout


def test_functions_with_atomic_instructions_are_named_once_and_without_their_template_arguments() -> None:
    mangled = ["_ZN7testing7MatcherINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEE" + end for end in ("C1EPKc", "C1ES6_")]
    found = Instructions({"atomic": 3}, dict.fromkeys([*mangled, "plain"], 1))
    assert _functions(found) == "testing::Matcher<…>::Matcher, plain"
