"""One command, from its words to its exit code. Every way out of the program is here.

Invariant: a fault of ours is one line on stderr and its exit code, never a traceback; the traceback of an internal error goes to a log.
"""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
import tempfile
from collections.abc import Callable

from bpor.cli.arguments import Command, parse
from bpor.errors import BporError, InternalError, UsageError
from bpor.settings import RUNNERS
from bpor.version import VERSION

INTERRUPTED = 3
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
_REFUSALS = frozenset((*_FULL, errno.EROFS, errno.EACCES, errno.EPERM))


def run_command(words: list[str]) -> int:
    try:
        _open_standard_streams()
    except OSError as error:
        os.write(2, f"bpor-native: cannot go on: {os.devnull}: {error.strerror}\n".encode())
        return UsageError.exit_code
    _end_like_ctrl_c()
    try:
        return _flushed(_dispatch(words))
    except BrokenPipeError:
        # Whoever read our output has gone. Python's own flush at exit would complain about it once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return INTERRUPTED
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except InternalError as error:
        return _internal(error)
    except BporError as error:
        _complain(str(error))
        return error.exit_code
    except OSError as error:
        return _refused(error)
    except Exception as error:
        return _internal(error)


def _open_standard_streams() -> None:
    """Started with one of them closed (`>&-`), the next file opened would become it."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 (for as long as we live)
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal of another encoding must not turn a report into an error
            stream.reconfigure(errors="backslashreplace")


def _end_like_ctrl_c() -> None:
    """A job that is told to end also reports what was covered so far, and leaves nothing behind."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


def _dispatch(words: list[str]) -> int:
    command = parse(words)
    if command.asks == "version":
        print(f"bpor-native {VERSION}")
    elif command.asks == "help" or command.verb == "help" or not words:
        print(_help(command, bool(words)), end="")
    elif command.verb == "completion":
        from bpor.cli.completion import completion_script

        print(completion_script(" ".join(command.program)), end="")
    else:
        verb = _verb(command.verb)
        gc.freeze()
        gc.enable()
        return verb(command)
    return 0


def _help(command: Command, asked: bool) -> str:
    """Raises UsageError for what is no verb."""
    from bpor.cli.help import ALL_VERBS, HANDED_ON, NO_ARGUMENTS, USAGE, help_text, verbs_text

    words = command.program
    if not asked:
        return NO_ARGUMENTS
    if command.asks == "help":
        return help_text(command.verb)
    if not words:
        return verbs_text()
    if len(words) > 1 or words[0] not in ALL_VERBS:
        raise UsageError(f"no verb {' '.join(words)!r}; there are: {', '.join(ALL_VERBS)}")
    return help_text(words[0]) if words[0] in USAGE else f"bpor-native {words[0]}: {HANDED_ON[words[0]]}\n"


def _verb(name: str) -> Callable[[Command], int]:
    # Imported late: --version and a bad option need not wait for everything else, and doctor must work where a part is missing.
    if name == "doctor":
        from bpor.cli.doctor import doctor

        return doctor
    if name in ("list", "show", "clean"):
        from bpor.cli.kept import clean, list_tests, show

        return {"list": list_tests, "show": show, "clean": clean}[name]
    if name == "suite":
        from bpor.cli.suite import suite

        return suite
    if name in RUNNERS:
        from bpor.cli.runners import runner

        return runner
    if name == "compare":
        from bpor.cli.compare import compare_searches

        return compare_searches
    if name == "mutate":
        from bpor.cli.mutate import mutate

        return mutate
    if name == "replay":
        from bpor.cli.replay import replay

        return replay
    from bpor.cli.run import run

    return run


def _flushed(code: int) -> int:
    sys.stdout.flush()  # here, where a closed pipe is still caught
    return code


def _complain(message: str) -> None:
    print(f"bpor-native: {message}", file=sys.stderr)


def _refused(error: OSError) -> int:
    """A limit, a full disk or a permission of this machine ended it: not a fault of ours, nor of the program."""
    no_place = error.errno == errno.ENOENT and "temporary directory" in str(error)
    if error.errno not in _REFUSALS and not no_place:
        return _internal(error)
    name = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
    _complain(f"cannot go on: {name}{error.strerror}; a limit (ulimit -a), a full disk or a permission of this machine?")
    return UsageError.exit_code


def _internal(error: Exception) -> int:
    import traceback

    try:
        with tempfile.NamedTemporaryFile("w", prefix="bpor-native-", suffix=".log", delete=False, errors="backslashreplace") as log:
            log.write(f"bpor-native {VERSION}\n{sys.argv!r}\n")
            traceback.print_exception(error, file=log)
        where = f"please report it with {log.name}"
    except OSError:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"no log could be written; it was in {os.path.basename(frame.filename)}:{frame.lineno}"
    _complain(f"internal error: {type(error).__name__}: {error}; this is our fault, {where}")
    return InternalError.exit_code
