"""The forked process: runs a test body up to its fork point; from there on every execution is a fork of it that runs to its end.

Invariant: nothing of it reaches the runner but through its files and the channel; it never returns to the runner's code.
"""

from __future__ import annotations

import faulthandler
import fcntl
import gc
import json
import os
import resource
import stat
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import NoReturn, Protocol

from bpor.extension.exploring import Exploring
from bpor.extension.library import Library
from bpor.extension.linearizable import NotLinearizable
from bpor.extension.plain_threads import watch_threads
from bpor.extension.pools import watch_pools
from bpor.extension.sentence import sentence
from bpor.extension.switches import offer_switches
from bpor.lazy_dataclass import asdict, dataclass
from bpor.protocol import wire
from bpor.target.forked import Inherited

_HIGH = 200  # descriptors out of the way of tests that count on low numbers
_ASSERTION = wire.constant("BPOR_OUTCOME_ASSERTION")
_NONLINEARIZABLE = wire.constant("BPOR_OUTCOME_NONLINEARIZABLE")


class Body(Protocol):
    """A test, as its runner knows it."""

    def run(self) -> None: ...

    def account(self, error: BaseException) -> str:
        """What a reader is told of an exception that ended the test."""
        ...

    def excuse(self, error: BaseException) -> tuple[str, str] | None:
        """Not a failure: ("skip" or "xfail", the reason)."""
        ...


@dataclass(frozen=True, slots=True)
class Note:
    """What an execution, or a template that never became one, tells the runner besides how it ended."""

    passed: bool = True
    excuse: str = ""  # skip | xfail
    text: str = ""  # the traceback, or the reason of an excuse

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def read(cls, data: bytes | str) -> Note:
        return cls(**json.loads(data))


class Template(Exploring):
    def __init__(self, library: Library, everything: bool) -> None:
        """`everything`: all that follows the fork point is explored; else the test opens regions."""
        super().__init__(library, on=everything)
        self.everything = everything
        self._note = -1
        self._modules = 0  # that were loaded when switches were offered

    def start(self, body: Body, inherited: Inherited) -> int:
        """Forks it; the number of its process. With a body, a bpor.target.forked.Start."""
        sys.stdout.flush()
        sys.stderr.flush()
        gc.freeze()  # what is there stays: to look through all of it for garbage would copy every page of it
        pid = self.library.fork()
        if pid == 0:
            self.library.far_down(partial(self._try_to_live, body, inherited))
        gc.unfreeze()
        return pid

    def ended(self) -> None:
        """What its process shared with this one is as it was when that was forked."""
        self.library.put_back()

    # ---- in the template and in executions ----

    def _try_to_live(self, body: Body, inherited: Inherited) -> NoReturn:
        try:
            self._body = body
            self._live(inherited)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        os._exit(99)

    def _live(self, inherited: Inherited) -> NoReturn:
        faulthandler.disable()  # the runner's, which would write to the runner's terminal
        resource.setrlimit(resource.RLIMIT_CORE, (1, 1))  # 1, not 0: it also stops core handlers that are pipes
        os.sched_setaffinity(0, {self.library.processor()})  # as bpor-launch does: hand-overs are cheaper on one
        self._note = _raised(inherited.note)
        _redirect(inherited.out, inherited.err)
        os.dup2(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC), 0)
        self._offer_switches()  # before anything is counted: how much there is to look at differs between processes
        gc.collect()  # also empties the interpreter's free lists: blocks are numbered from here, whatever the runner did before
        gc.disable()
        self.library.own_memory()
        if not self.library.adopt(_raised(inherited.shared), _raised(inherited.plan), _raised(inherited.events)):
            raise RuntimeError("the preload library and the controller are of different versions; reinstall bpor-native")
        threading.excepthook = self._thread_failed
        watch_threads(self)
        watch_pools()
        if "asyncio.selector_events" in sys.modules:  # to load it is not the same work every time, and is counted
            from bpor.extension.event_loops import watch_event_loops

            watch_event_loops(self.fork_point)
        try:
            self._body.run()
        except BaseException as error:
            self._ended_by(error)
        self.library.end_passed()
        self._end(Note(), lambda: None)

    def fork_point(self) -> None:
        if not self.forked and len(sys.modules) != self._modules:
            self._offer_switches()  # the test has imported something itself
        super().fork_point()

    def _offer_switches(self) -> None:
        offer_switches(self.library)
        self._modules = len(sys.modules)

    def region(self, threads: int) -> None:
        """Explored until all threads have left."""
        self._exploring = True
        self.library.region(threads)
        self._exploring = False

    def _thread_failed(self, failure: threading.ExceptHookArgs) -> None:
        if failure.exc_value is not None and failure.exc_type is not SystemExit:
            self._ended_by(failure.exc_value)

    def _ended_by(self, error: BaseException) -> NoReturn:
        self.explore(False)  # how the runner words it is not the test's
        excuse = self._body.excuse(error)
        if excuse is not None:
            self._end(Note(True, *excuse), self.library.end_passed)
        outcome = _NONLINEARIZABLE if isinstance(error, NotLinearizable) else _ASSERTION
        note = Note(False, "", self._body.account(error) if os.fstat(self._note).st_size else "")
        self._end(note, lambda: self.library.fail(outcome, sentence(error, says_it_all=outcome == _NONLINEARIZABLE)))

    def _end(self, note: Note, end: Callable[[], None]) -> NoReturn:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        self.library.note(self._note, note.to_bytes())
        end()
        os._exit(0)  # there was no execution to be ended: the body never came to a fork point


def _raised(fd: int) -> int:
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _HIGH)


def _redirect(out: int, err: int) -> None:
    """stdout and stderr, and what else leads to the files behind them: a runner that captures output keeps those open beside."""
    files = [_file(1), _file(2)]
    for name in os.listdir("/proc/self/fd") if files[0] != files[1] else ():
        for file, to in zip(files, (out, err), strict=True):
            if file is not None and _file(int(name)) == file:
                os.dup2(to, int(name), inheritable=int(name) in (1, 2))
    os.dup2(out, 1)
    os.dup2(err, 2)


def _file(fd: int) -> tuple[int, int] | None:
    try:
        status = os.fstat(fd)
    except OSError:
        return None  # closed
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
