"""The command line in a process of its own that is a copy of this one: its words, streams, signals and end, without a start of Python.

A start is most of what a small search takes, and there are a thousand. `command` of tool.py is the real one; test_cli.py is about it.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import elftools.elf.elffile  # noqa: F401  (this one and the next are loaded here, not by every copy)

import bpor.cli.run  # noqa: F401
from bpor.cli import main
from tests.native.compiled import ROOT


def run_forked(words: Sequence[str], directory: str, output: tuple[Path, Path], timeout: float) -> int:
    """Its exit code, negative for a signal, as subprocess tells it. Stdin is empty, stdout and stderr go to two files."""
    child = os.fork()
    if child == 0:
        _become_the_tool(words, directory, output)
    try:
        _await(child, words, timeout)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _await(child: int, words: Sequence[str], timeout: float) -> None:
    ended = os.pidfd_open(child)
    try:
        if not select.select([ended], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(list(words), timeout)
    finally:
        os.close(ended)


def _become_the_tool(words: Sequence[str], directory: str, output: tuple[Path, Path]) -> NoReturn:
    code = 1  # Python's own for an exception that nobody caught
    try:
        for number, path in enumerate((Path(os.devnull), *output)):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode, closefd=False) for number, mode in enumerate("rww"))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.chdir(directory)
        os.environ["PYTHONPATH"] = str(ROOT)
        code = main(list(words))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
