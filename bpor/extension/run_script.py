"""Runs a Python program as the interpreter would, with its threads at the gate. Started by the controller, by path, in the interpreter that
the user named: bpor-native need not be installed for that one, so nothing of it is imported here that needs more than the standard library.

    python run_script.py SCRIPT ARGUMENT...  |  -m MODULE ARGUMENT...  |  -c CODE ARGUMENT...
"""

from __future__ import annotations

import atexit
import os
import runpy
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from bpor.extension.exploring import Exploring  # noqa: E402
from bpor.extension.library import Library  # noqa: E402
from bpor.extension.plain_threads import watch_threads  # noqa: E402
from bpor.extension.sentence import sentence  # noqa: E402
from bpor.extension.switches import offer_switches  # noqa: E402

ASSERTION = 3  # BPOR_OUTCOME_ASSERTION: the protocol's own module needs cffi


class ScriptExplorer(Exploring):
    """Everything after the first thread is explored."""

    def __init__(self) -> None:
        super().__init__(Library(), on=True)
        self.library.own_memory()

    def fork_point(self) -> None:
        if not self.forked:
            offer_switches(self.library)  # what the script imports is there now
        super().fork_point()

    def failed(self, error: BaseException) -> None:
        """Of a thread the interpreter only prints it; for a test it is a failure. Returns where there is no execution yet."""
        self.explore(False)
        ours = (os.path.abspath(__file__), "<frozen runpy>", runpy.__file__)
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename not in ours]
        sys.stderr.write("".join(["Traceback (most recent call last):\n", *traceback.format_list(frames)]))
        sys.stderr.write("".join(traceback.format_exception_only(error)))
        _flush()
        self.library.fail(ASSERTION, sentence(error))

    def thread_failed(self, failure: Any) -> None:
        if failure.exc_value is not None and failure.exc_type is not SystemExit:
            self.failed(failure.exc_value)


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()


def run_program() -> None:
    del sys.argv[0]
    what, *rest = sys.argv
    if what == "-m":
        sys.path[0] = os.getcwd()
        sys.argv[:] = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif what == "-c":
        sys.path[0] = ""
        sys.argv[:] = ["-c", *rest[1:]]
        exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})
    else:
        sys.path[0] = os.path.dirname(os.path.realpath(what))
        runpy.run_path(what, run_name="__main__")


def status_of(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


def run(explorer: ScriptExplorer, join_all: Callable[[], None]) -> NoReturn:
    """As the interpreter ends: threads are waited for, then exit handlers run. Its own teardown is no part of a test."""
    status = 0
    try:
        run_program()
    except SystemExit as end:
        status = status_of(end)
    except BaseException as error:
        explorer.failed(error)
        status = 1
    join_all()
    explorer.explore(False)
    atexit._run_exitfuncs()
    _flush()
    os._exit(status)


if __name__ == "__main__":
    watching = ScriptExplorer()
    threading.excepthook = watching.thread_failed
    run(watching, watch_threads(watching))
