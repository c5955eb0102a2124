"""`bpor-native python ...`: the interpreter behind a shim, and pytest, which becomes `pytest --bpor` in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

from bpor.cli.arguments import Command
from bpor.errors import UsageError
from bpor.extension.start import controlled_environment, fix_addresses
from bpor.settings import KNOBS, Settings
from bpor.target.elf import shebang
from bpor.target.python import is_python_name, real_interpreter, split_arguments

_PYTEST = ("bound", "gil", "max_executions", "max_time", "watchdog", "inconclusive")  # knobs that pytest takes as --bpor-...


def behind_shim(command: Command) -> Command:
    """With the interpreter itself as its program; any other command as it is."""
    program = command.program
    if not program or not is_python_name(program[0]):
        return command
    found = program[0] if "/" in program[0] else shutil.which(program[0])
    if found is None or not os.path.isfile(found) or not shebang(found):
        return command
    return replace(command, program=(real_interpreter(found), *program[1:]))


def becomes_pytest(program: Sequence[str]) -> bool:
    return bool(program) and is_python_name(program[0]) and split_arguments(program[1:])[1][:2] == ["-m", "pytest"]


def become_pytest(command: Command) -> NoReturn:
    python, *arguments = command.program
    path = python if "/" in python else shutil.which(python)
    if path is None:
        raise UsageError(f"{python}: no such program in PATH")
    if subprocess.run([path, "-c", "import bpor.pytest_plugin"], capture_output=True, check=False).returncode:
        raise UsageError(f"bpor-native is not installed for {python}, and the tests run in that: {python} -m pip install bpor-native")
    options, (module, pytest, *rest) = split_arguments(arguments)
    fix_addresses()
    line = [python, *options, module, pytest, "--bpor", *_given(command.settings), *rest]
    os.execve(path, line, controlled_environment(os.environ, path))


def _given(settings: Settings) -> list[str]:
    changed = [knob for knob in KNOBS if getattr(settings, knob.field) != knob.default]
    foreign = [knob.flag for knob in changed if knob.field not in _PYTEST]
    if foreign:
        raise UsageError(f"{foreign[0]} means nothing to pytest; a marker may say it: @pytest.mark.bpor(...)")
    return [f"--bpor-{knob.flag.removeprefix('--')}={knob.write(getattr(settings, knob.field))}" for knob in changed]
