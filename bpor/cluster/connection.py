"""Connection: the cluster while it is used. Places are the threads of its workers; each member of the search has one.

Invariant: whatever fails between here and a worker is MemberLost, never an exception of dask's.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import logging
import os
import pydoc
import secrets
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from bpor.cluster.address import Address
from bpor.cluster.here import Here
from bpor.cluster.host import Host
from bpor.cluster.lending import Lent
from bpor.cluster.member import Lacking
from bpor.cluster.parcel import Packed
from bpor.errors import BporError, MemberLost, Uncontrolled, UsageError
from bpor.version import VERSION

GONE = "the cluster's scheduler is gone; --resume goes on with what was saved"
_INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# By a worker of our own, which begins with all of them blocked: Ctrl-C is the client's.
_IGNORE_INTERRUPTS = f"""import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {[*map(int, _INTERRUPTS)]})
"""
_CONNECT = 20.0  # seconds
_CANNOT = (OSError, TimeoutError, ValueError, RuntimeError, ImportError)
_SLOWEST = 250_000  # bytes a second, of a network that is used
_JOIN = 30.0  # seconds until a lost worker's place must be taken by another
_NEVER = 180.0  # seconds without an answer of any worker: it will not come
_AWAKE = 5.0  # seconds
_TRIES = 3  # on each worker in a row, until what none of them can do is said to be impossible


class Connection:
    def __init__(self, address: Address, lent: Lent | None = None) -> None:
        """`lent`: these workers and no others. Raises UsageError if there is no such cluster, or no dask."""
        try:
            distributed: Any = importlib.import_module("distributed")  # which has no types
        except ImportError:
            raise UsageError("--cluster needs dask.distributed: pip install 'bpor-native[cluster]'") from None
        self._local: Any = None
        self._lent = lent
        self._met: set[str] = set()  # workers that have this tool
        self._begun = time.monotonic()
        self._awake_until = time.monotonic() + _AWAKE
        self._lost: dict[str, int] = {}  # by worker: how often, since it last answered. A cut network leaves it on the scheduler's list
        self.excluded: set[str] = set()  # workers that lied
        self._numbers = itertools.count(1)
        self._token = self._client()
        _quieten()
        try:
            if not address.url:
                security = distributed.Security.temporary()
                alone = {"n_workers": address.workers, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
                alone |= {"protocol": "tls://", "preload": [_IGNORE_INTERRUPTS]}
                with blocked_interrupts():  # dask does not end what it has begun to start
                    self._local = distributed.LocalCluster(**alone, security=security)
            else:
                names = ("tls_ca_file", "tls_client_cert", "tls_client_key")
                files = dict(zip(names, lent.certificates, strict=True)) if lent is not None and lent.certificates is not None else {}
                security = distributed.Security(require_encryption=address.secure, **files)
                if address.secure and security.get_connection_args("client").get("ssl_context") is None:
                    raise ValueError("TLS needs certificates, and dask's configuration names none (distributed.comm.tls)")
            whom = self._local or address.url
            self.client: Any
            self.client, self._other_versions = _within(2 * _CONNECT, lambda: connected(distributed, whom, security))
            self._security = security
        except _CANNOT as error:
            self.close()
            raise UsageError(f"--cluster {address.url or 'local'}: cannot connect: {_first_line(error)}") from None
        except KeyboardInterrupt:
            self.close()
            raise

    def _client(self) -> str:
        return f"{os.uname().nodename}:{os.getpid()} {secrets.token_hex(4)}"

    @property
    def url(self) -> str:
        return str(self._local.scheduler_address if self._local is not None else self.client.scheduler.address)

    def places(self) -> list[str]:
        """Addresses of workers, one for each thread. If all of those that were lent are gone, any will do."""
        threads = self.client.nthreads()  # asked now: what scheduler_info() tells, dask itself replaces every two seconds by less
        workers = {address: count for address, count in threads.items() if address not in self.excluded}
        every = [address for address, count in sorted(workers.items()) for _ in range(count)]
        return [place for place in self._lent.places if place in workers] or every if self._lent is not None else every

    def write_certificates(self, directory: Path) -> tuple[str, str, str] | None:
        """Those of workers of our own, as files of other processes of ours."""
        if self._local is None:
            return None
        texts = (self._security.tls_ca_file, self._security.tls_client_cert, self._security.tls_client_key)
        for number, text in enumerate(texts):
            (directory / str(number)).write_text(text)
        return str(directory / "0"), str(directory / "1"), str(directory / "2")

    def host(self, packed: Packed, name: str, taken: list[str]) -> tuple[Any, str]:
        """A new host, on the worker with the fewest members; its handle, and the worker's address. Raises MemberLost."""
        place = ""
        try:
            self.client.wait_for_workers(1, timeout=_JOIN)
            places = self.places()
            if not places and self.excluded:
                raise Uncontrolled("no worker of the cluster is left but those that lied")
            if not places:
                raise TimeoutError("the last one is gone")
            place = min(dict.fromkeys(places), key=lambda one: (self._lost.get(one, 0), taken.count(one) / places.count(one)))
            return self._host_at(place, packed, name), place
        except Lacking as error:
            self.suspect(place)
            raise self.given_up(place, error) or MemberLost(cannot_run(place, error)) from None
        except BporError:
            raise
        except Exception as error:  # whatever dask and the network throw
            if self.client.status != "running":
                raise Uncontrolled(GONE) from None
            self.suspect(place)
            who = f"the worker at {place} took no" if place else "no worker took a"
            told = f"{who} part of the search: {_first_line(error)}"
            if time.monotonic() >= self._begun + _NEVER and not self._met:
                raise Uncontrolled(told + self._other_versions) from None
            raise MemberLost(told) from None

    def host_beside(self, packed: Packed, name: str, place: str) -> tuple[Any, str]:
        """A new host on any other worker, of another machine if there is one; without another worker it is here, and has no address."""
        others = [one for one in dict.fromkeys(self.places()) if one != place]
        far = [one for one in others if _machine(one) != _machine(place)]
        if not others:
            return self.host_here(packed), ""
        witness = secrets.choice(far or others)
        return self._host_at(witness, packed, name), witness

    def host_here(self, packed: Packed) -> Here:
        return Here(packed, self.client.loop.asyncio_loop)

    def _host_at(self, place: str, packed: Packed, name: str) -> Any:
        self._meet(place, name)
        host = self._submit(place, name, Host, packed.parcel, actor=True)
        for item in host.missing().result(timeout=_CONNECT):
            host.add(packed.content(item), item.hash).result(timeout=_CONNECT + item.size / _SLOWEST)
        return host

    def _meet(self, place: str, name: str) -> None:
        """Before a worker is sent anything of ours: one that does not have this tool could not even read it. Raises Uncontrolled."""
        if place in self._met:
            return
        version = self._submit(place, name, pydoc.locate, "bpor.version.VERSION")
        if version != VERSION:
            has = "no bpor-native" if version is None else f"version {version} of bpor-native"
            raise Uncontrolled(cannot_run(place, f"it has {has}, and the client {VERSION}"))
        self._met.add(place)

    def _submit(self, place: str, name: str, *task: Any, **how: Any) -> Any:
        key = task_key(name, next(self._numbers), self._token)
        return self.client.submit(*task, workers=[place], key=key, pure=False, **how).result(timeout=_CONNECT)

    def stay_awake(self, name: str) -> None:
        """A scheduler that may end when nobody has used it for a while (--idle-timeout) counts tasks, and calls of actors are none."""
        if time.monotonic() >= self._awake_until:
            self._awake_until = time.monotonic() + _AWAKE
            self.client.submit(int, key=task_key(name, next(self._numbers), self._token), pure=False)

    def exclude(self, place: str) -> None:
        """It has lied."""
        self.excluded.add(place)

    def suspect(self, place: str) -> None:
        """Others are asked first, until it answers."""
        self._lost[place] = self._lost.get(place, 0) + 1

    def given_up(self, place: str, why: BporError) -> BporError | None:
        """What ends the search if every worker was lost several times since it last answered; None: others are asked."""
        try:
            places = self.places()
        except Exception:  # the scheduler is gone: whoever asks it next says so
            return None
        if not places or any(self._lost.get(one, 0) < _TRIES for one in places):
            return None
        return Uncontrolled(cannot_run(place, why)) if isinstance(why, Lacking) else why

    def trust(self, place: str) -> None:
        self._lost.pop(place, None)

    def close(self) -> None:
        for one in (getattr(self, "client", None), self._local):
            if one is not None:
                with contextlib.suppress(Exception):
                    one.close()


@contextlib.contextmanager
def blocked_interrupts() -> Iterator[None]:
    """One that comes meanwhile is raised at the end. Threads and processes that are started meanwhile begin with them blocked."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
    try:
        resource_tracker.ensure_running()  # Python's: whoever starts it comes back with some of them unblocked
        signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def connected(distributed: Any, whom: object, security: object) -> tuple[Any, str]:
    """A client of dask's, and what it says of versions."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            client = distributed.Client(whom, timeout=_CONNECT, security=security)
        except _CANNOT:
            raise
        except Exception as error:  # whatever it makes of an answer that it did not expect
            version = f"dask {distributed.__version__}, which is here"
            raise RuntimeError(f"the scheduler does not understand {version}: {_first_line(error)}") from None
    return client, other_versions("\n".join(str(one.message) for one in warned))


def _within(seconds: float, connect: Callable[[], tuple[Any, str]]) -> tuple[Any, str]:
    """dask itself waits for ever for whoever takes a connection, and does not answer as a scheduler does. Raises what `connect` raises."""
    made: list[tuple[Any, str]] = []
    failed: list[BaseException] = []

    def act() -> None:
        try:
            made.append(connect())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=act, name="connect", daemon=True)
    thread.start()
    thread.join(seconds)
    if failed:
        raise failed[0]
    if not made:
        raise TimeoutError("whoever listens there does not answer as a scheduler of dask's does")
    return made[0]


def cannot_run(place: str, why: object) -> str:
    return f"the worker at {place} cannot run it: {why}"


def _machine(place: str) -> str:
    return place.rpartition(":")[0]


def task_key(name: str, number: int, client: str) -> str:
    """As dask's dashboard shows it, where what is before the hyphen is the group. Two clients with the same key would have one member
    between them, and clients in containers have the same process number: `client` holds a random part."""
    return f"search {name}-{number} of {client}"


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def other_versions(warning: str) -> str:
    """Of Python and dask, which dask warns of in a table (package, client, scheduler, workers), whether or not they matter. In words, for
    those to whom they did; empty: none."""
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in warning.splitlines() if line.startswith("|")]
    told = [f"{package} {here} here, {scheduler} at the scheduler, {workers} there" for package, here, scheduler, workers in rows[1:]]
    return f" ({'; '.join(told)})" if told else ""


def _quieten() -> None:
    """What dask logs of lost workers is ours to tell, in a line."""
    for name in [*logging.root.manager.loggerDict]:
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
