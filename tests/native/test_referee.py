"""Modes change how fast an answer comes, never the answer: every program runs the same executions whoever carries its threads and
however it is reset. A new process for every execution, with kernel threads, is the referee.

BPOR_REFEREE_EXECUTIONS says how many executions of each program are compared, in every mode; `make soak` does. Without it three are, in
the fast mode and for every second program in one of the others, in turn: each of those is tried by a quarter of all programs.
"""

from __future__ import annotations

import os

import pytest

from bpor.errors import Uncontrolled
from bpor.model.trace import Outcome
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native.compiled import compiled, compiler
from tests.native.expectations import Program
from tests.native.recording import Execution, executions
from tests.native.test_programs import ALL, name_of

EXECUTIONS = int(os.environ.get("BPOR_REFEREE_EXECUTIONS", "3"))
ROLLBACK, *OTHERS = MODES = [("rollback", "fibers"), ("fork", "fibers"), ("fork", "threads")]
WATCHDOG = 1.5
SPINS = {"unsupported/spin.c": 0.3, "correct/machine/bare_spin.c": 0.3}  # seconds: such a one comes to no point however long it may run
INCOMPARABLE = {
    "unsupported/killed_by_its_parent.c",  # how far it comes is decided by another process
    "unsupported/bare_exit.c",  # a process that is gone has told no hash; one that is rolled back has
    "buggy/assertion/signal_pending.c",  # which kernel thread takes a signal to the process is the kernel's choice: refused there
    "unsupported/sigsuspend.c",  # it waits for five seconds in every mode, to be refused in all of them
}


def comparable(program: Program) -> bool:
    """Machine code is not patched here: a program that needs it would only spin until the watchdog comes, in every mode."""
    return name_of(program) not in INCOMPARABLE and "--machine-code=auto" not in program.options


COMPARED = [one for one in ALL if comparable(one)]


def modes(program: Program) -> list[tuple[str, str]]:
    if "BPOR_REFEREE_EXECUTIONS" in os.environ:
        return MODES
    place, second = divmod(COMPARED.index(program), 2)
    return [ROLLBACK] if second else [ROLLBACK, OTHERS[place % len(OTHERS)]]


def run(program: Program, reset: str, carrier: str, limit: int) -> list[Execution]:
    defines = program.expectations[0].defines if program.expectations else ()
    executable = compiled(program.path, [*program.flags, *(f"-D{define}" for define in defines)], program.instrumented)
    options = TargetOptions(reset=reset, carrier=carrier, watchdog=SPINS.get(name_of(program), WATCHDOG))
    try:
        with NativeExecutor([str(executable), *program.args], options) as executor:
            return executions(executor, "fair:2,preemption:2", limit, max_steps=500)
    except Uncontrolled as error:
        return [(str(error), Outcome.REFUSED, 0)]


@pytest.mark.slow
@pytest.mark.parametrize("program", [pytest.param(one, id=name_of(one), marks=pytest.mark.needs(compiler(one.path))) for one in COMPARED])
def test_every_mode_runs_the_same_executions_as_a_fresh_process_for_each(program: Program) -> None:
    expected = run(program, "exec", "threads", EXECUTIONS)
    for reset, carrier in modes(program):
        assert run(program, reset, carrier, EXECUTIONS) == expected, f"{reset} with {carrier} differs"
