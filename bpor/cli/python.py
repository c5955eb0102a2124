"""`bpor-native python ...`: the interpreter behind a shim, and pytest, which becomes `pytest --bpor` in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from bpor.cli.arguments import Command
from bpor.errors import UsageError
from bpor.lazy_dataclass import replace
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


def started_as_pytest(program: Sequence[str]) -> bool:
    return bool(program) and os.path.basename(program[0]) in ("pytest", "py.test")


def build_and_become_pytest(command: Command) -> NoReturn:
    """`bpor-native pytest ...`: the extension of the project here is built for it. Like pytest itself, it does not import from here."""
    from bpor.cli.compile import build_environment
    from bpor.extension.start import STARTED_BY_US
    from bpor.suite.runners.extension import built_extension
    from bpor.suite.runners.native import PLACE

    python = _python_of(command.program[0])
    site = built_extension(Path.cwd(), Path.cwd() / PLACE / "pytest", python, build_environment(os.environ))
    os.environ[STARTED_BY_US] = "1"
    if site is not None:
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    become_pytest(replace(command, program=(python, "-P", "-m", "pytest", *command.program[1:])))


def _python_of(script: str) -> str:
    """The interpreter that a script of Python's names, or that lies beside it where its first line is a shell's. Raises UsageError."""
    found = shutil.which(script)
    if found is None:
        raise UsageError(f"{script}: no such program in PATH")
    named = [word for word in shebang(found) or () if is_python_name(word)]
    beside = [path for name in ("python", "python3") if (path := shutil.which(name, path=os.path.dirname(found)))]
    python = shutil.which(next(iter([*named, *beside]), ""))
    if python is None:
        raise UsageError(f"{found}: which Python runs it is not to be seen; say so: bpor-native python -m pytest")
    return python


def becomes_pytest(program: Sequence[str]) -> bool:
    return bool(program) and is_python_name(program[0]) and split_arguments(program[1:])[1][:2] == ["-m", "pytest"]


def become_pytest(command: Command) -> NoReturn:
    from bpor.extension.start import controlled_environment, fix_addresses

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
