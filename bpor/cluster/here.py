"""Here: a host on the client itself, which is asked as those on workers are."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future

from bpor.cluster.host import Host
from bpor.cluster.member import Opening
from bpor.cluster.parcel import Packed
from bpor.cluster.store import Store


class Here:
    def __init__(self, packed: Packed, loop: asyncio.AbstractEventLoop) -> None:
        """`loop`: runs in another thread."""
        self._host, self._loop = Host(packed.parcel), loop
        store = Store()
        for item in store.missing(packed.parcel):
            store.add(packed.content(item), item.hash)

    def open(self, opening: Opening) -> Future[bytes]:
        return asyncio.run_coroutine_threadsafe(self._host.open(opening), self._loop)

    def ask(self, request: bytes) -> Future[bytes]:
        return asyncio.run_coroutine_threadsafe(self._host.ask(request), self._loop)

    def end(self) -> Future[None]:
        return asyncio.run_coroutine_threadsafe(self._host.end(), self._loop)
