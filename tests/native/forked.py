"""The command line in a process of its own that is a copy of this one: its words, streams, signals and end, without a start of Python.

A start is most of what a small search takes, and there are a thousand. `command` of tool.py is the real one; test_cli.py is about it.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired
from typing import IO, NoReturn

import elftools.elf.elffile  # noqa: F401  (this one and the next are loaded here, not by every copy)

import bpor.cli.run  # noqa: F401
from bpor.cli import main


def run_forked(
    words: Sequence[str], directory: Path, variables: Mapping[str, str], timeout: float, stdin: bytes = b""
) -> CompletedProcess[bytes]:
    """As subprocess.run; `variables` are added to the environment."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        given.write(stdin)
        given.seek(0)
        child = os.fork()
        if child == 0:
            _become_the_tool(words, directory, variables, (given, stdout, stderr))
        try:
            _await(child, words, timeout)
        except BaseException:
            os.kill(child, signal.SIGKILL)
            raise
        finally:
            _, status = os.waitpid(child, 0)
        return CompletedProcess(words, os.waitstatus_to_exitcode(status), _written(stdout), _written(stderr))


def _written(stream: IO[bytes]) -> bytes:
    stream.seek(0)
    return stream.read()


def _await(child: int, words: Sequence[str], timeout: float) -> None:
    ended = os.pidfd_open(child)
    try:
        if not select.select([ended], [], [], timeout)[0]:
            raise TimeoutExpired(list(words), timeout)
    finally:
        os.close(ended)


def _become_the_tool(words: Sequence[str], directory: Path, variables: Mapping[str, str], streams: Sequence[IO[bytes]]) -> NoReturn:
    code = 1  # Python's own for an exception that nobody caught
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream.fileno(), number)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode, closefd=False) for number, mode in enumerate("rww"))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.chdir(directory)
        os.environ.update(variables)
        code = main(list(words))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
