"""Host: what stands on a worker between the client and a member: an actor of dask's. It keeps files, starts the member and passes messages.

Its methods are coroutines, so that one can be called while another waits.
"""

from __future__ import annotations

import asyncio
import pickle
import signal
import sys
from pathlib import Path

from bpor.cluster.lending import with_package
from bpor.cluster.member import LENGTH, Opening, telling_what_lacks
from bpor.cluster.parcel import Item, Parcel
from bpor.cluster.store import Store
from bpor.lazy_dataclass import replace
from bpor.target.workspace import OwnDirectory

_PLACE = "bpor-cluster-"  # the rest has a fixed length: what lies on the stack of main must not depend on the worker
_NICE_END = 5.0  # seconds


class Host:
    def __init__(self, parcel: Parcel) -> None:
        self._parcel = parcel
        self._store = Store()
        self._process: asyncio.subprocess.Process | None = None
        self._directory: OwnDirectory | None = None
        self._turn: asyncio.Lock | None = None
        self._listens = False  # to signals: one that comes while Python starts would end it

    async def missing(self) -> list[Item]:
        with telling_what_lacks():
            return self._store.missing(self._parcel)

    async def add(self, content: bytes, hash: str) -> None:
        with telling_what_lacks():
            self._store.add(content, hash)

    async def open(self, opening: Opening) -> bytes:
        """Starts the member; its answer. Raises Lacking."""
        self._turn = asyncio.Lock()
        with telling_what_lacks():
            self._directory = OwnDirectory(_PLACE)
            root = self._directory.path.resolve()
            environment = self._store.lay_out(self._parcel, root)
            self._process = await self._start(root / self._parcel.working)
        answer = await self._exchange(pickle.dumps(replace(opening, root=str(root), environment=environment), protocol=5))
        self._listens = True
        return answer

    async def _start(self, directory: Path) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", "from bpor.cluster.member import main; main()"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=directory,
            env=with_package(),
            limit=1 << 30,
            start_new_session=True,  # Ctrl-C is the client's, also where the worker has its terminal; a member ends with its worker
        )

    async def ask(self, request: bytes) -> bytes:
        """One request, as member.py reads it. Raises EOFError: the member is gone."""
        return await self._exchange(request)

    async def stop(self) -> None:
        """The batch that runs ends soon."""
        if self._listens and self._process is not None and self._process.returncode is None:
            self._process.send_signal(signal.SIGUSR1)

    async def end(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            assert process.stdin is not None
            process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), _NICE_END)
            except TimeoutError:
                process.kill()
        if self._directory is not None:
            self._directory.remove()

    async def _exchange(self, body: bytes) -> bytes:
        assert self._process is not None and self._turn is not None
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None and answers is not None
        async with self._turn:
            requests.write(LENGTH.pack(len(body)) + body)
            await requests.drain()
            (length,) = LENGTH.unpack(await answers.readexactly(LENGTH.size))
            return await answers.readexactly(length)

    def __del__(self) -> None:
        """The actor was released, or its client is gone: so is the member. With the worker's process it ends by itself."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
        if self._directory is not None:
            self._directory.remove()
