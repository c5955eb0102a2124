"""Member: the process on a worker that searches a part of the tree. It has the program's working directory and environment for itself, and
answers requests, one at a time, over its standard input and output. SIGUSR1 asks it to end its batch.

Started by host.py. Messages are pickled, each behind its length: both ends are this tool, and the cluster's TLS says who may be a client.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import bpor
from bpor.cluster.asked import FOR, Asked, Telling
from bpor.cluster.fitness import Fitness, unfit
from bpor.errors import BporError, InternalError
from bpor.lazy_dataclass import dataclass, field, replace
from bpor.model.deadline import Deadline
from bpor.model.exploration import Batch, Hashes, Told, TreeTold
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.native_target import member_of
from bpor.settings import Settings
from bpor.target.exploring import ExploringExecutor
from bpor.target.loaded import Loaded

LENGTH = struct.Struct("!Q")


@dataclass(frozen=True, slots=True)
class Opening:
    """What a member is told first."""

    argv: tuple[str, ...]
    settings: Settings
    seconds: float | None  # left of --max-time
    number: int  # of the member, from 1
    fitness: Fitness
    processors: int  # of the client: many programs have as many threads
    root: str = ""  # directory on the worker below which everything lies as it does on the client
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    value: Any = None
    error: BaseException | None = None  # of ours: raised again where it was asked
    loaded: Loaded = field(default_factory=Loaded)
    asked: tuple[Asked, ...] = ()  # files, since the last answer
    asked_more: bool = False  # and others that it cannot tell


def send(stream: BinaryIO, message: object) -> None:
    body = pickle.dumps(message, protocol=5)
    stream.write(LENGTH.pack(len(body)) + body)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Raises EOFError."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (length,) = LENGTH.unpack(head)
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return pickle.loads(body)


class Member:
    def __init__(self, opening: Opening) -> None:
        """Raises BporError."""
        os.environ.clear()
        os.environ.update(opening.environment)
        if reason := unfit(opening.fitness, opening.argv[0]):
            raise Unable(reason)
        self._executor: ExploringExecutor = member_of(
            opening.argv, opening.settings, Deadline(opening.seconds), opening.number, opening.processors
        )
        self._last: Batch | None = None
        self._root = opening.root
        self._telling = Telling(opening.root, (*self._executor.temporary, str(Path(bpor.__file__).parent)), self._executor.program.elf)
        signal.signal(signal.SIGUSR1, lambda *_: self._executor.stop_soon())

    @property
    def loaded(self) -> Loaded:
        """What came in the parcel has its name on the client."""
        return self._executor.loaded.renamed(lambda path: path.removeprefix(self._root))

    def asked(self) -> tuple[Asked, ...]:
        """What it did not tell before; a library that is loaded is asked for, too."""
        libraries = (FOR + path for path in self._executor.loaded.paths if path.startswith("/"))
        return self._telling.new([*self._executor.asked, *libraries])

    @property
    def asked_more(self) -> bool:
        return self._executor.asked_more

    # ---- requests, by name ----

    def run(self, plan: Plan) -> Trace:
        trace = self._executor.run(plan)
        self._last = trace.batch
        return trace if trace.batch is None else replace(trace, batch=bare(trace.batch))

    def save(self, tree: int) -> dict[str, Any]:
        return self._batch.trees[tree].save()

    def graph(self, tree: int) -> Any:
        return self._batch.trees[tree].graph()

    def table(self, tree: int | None, which: str) -> bytes:
        """Of a tree, or of the whole."""
        told = self._batch.total if tree is None else self._batch.trees[tree].tally
        hashes: Hashes = getattr(told, which)
        return hashes.table()

    def widen(self, *arguments: Any) -> None:
        self._executor.widen(*arguments)

    def infer(self, polling: tuple[int, ...]) -> None:
        self._executor.infer(polling)

    @property
    def _batch(self) -> Batch:
        if self._last is None:
            raise InternalError("a member of the cluster was asked about a batch that it did not run")
        return self._last

    def close(self) -> None:
        self._executor.close()


class Unable(BporError):
    """This machine cannot run the program; the client's can."""


class Lacking(BporError):
    """This machine has no room for it, no directory for temporary files, no process left: others may have."""


@contextlib.contextmanager
def telling_what_lacks() -> Iterator[None]:
    """Whoever asks could not tell what a machine refuses from a network that fails."""
    try:
        yield
    except OSError as error:
        raise Lacking(": ".join(filter(None, (error.strerror or str(error), error.filename)))) from None
    except MemoryError:
        raise Lacking("it has no memory left") from None


REQUESTS = frozenset({"run", "save", "graph", "table", "widen", "infer", "close"})


def bare(batch: Batch) -> Batch:
    """Without what only the process that ran it can look up."""
    return replace(batch, total=_bare_told(batch.total), trees=(_bare_tree(batch.trees[0]), _bare_tree(batch.trees[1])))


def _bare_tree(tree: TreeTold) -> TreeTold:
    return replace(tree, tally=_bare_told(tree.tally), save=dict, graph=_nothing)


def _bare_told(told: Told) -> Told:
    return replace(told, traces=replace(told.traces, table=bytes), states=replace(told.states, table=bytes))


def _nothing() -> None:
    return None


def answer_to(act: Callable[[], Any]) -> Answer:
    try:
        with telling_what_lacks():
            return Answer(act())
    except BporError as error:
        return Answer(error=error)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Until nobody asks any more."""
    opening = receive(requests)
    made: list[Member] = []
    send(answers, answer_to(lambda: made.append(Member(opening))))
    while made:
        name, arguments = receive(requests)
        if name not in REQUESTS:
            raise InternalError(f"a member of the cluster has no request {name}")
        answer = answer_to(lambda name=name, arguments=arguments: getattr(made[0], name)(*arguments))  # type: ignore[misc]
        send(answers, replace(answer, loaded=made[0].loaded, asked=made[0].asked(), asked_more=made[0].asked_more))
        if name == "close":
            return


def main() -> None:
    """What the program prints is captured; nothing else may come between the answers."""
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # until there is somebody to stop
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as for the client's program: what its worker ignores, it would ignore, too
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with contextlib.suppress(EOFError, BrokenPipeError):  # the client, or the worker, is gone
        serve(sys.stdin.buffer, answers)
