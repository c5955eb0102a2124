"""Memory: the mapping shared with the target, and behind it, if wanted, the search's own, which outlives target after target."""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
from typing import Any

from bpor.errors import EngineUnfit
from bpor.protocol import wire


class Memory:
    """`shared` is a struct bpor_shared; `search` a struct bpor_search, sparse: what is not used costs nothing."""

    def __init__(self, with_search: bool = False) -> None:
        size = wire.SEARCH_OFFSET + wire.SEARCH_BYTES if with_search else wire.SHARED_BYTES
        self.fd = os.memfd_create("bpor-native", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.fd, size)
        with contextlib.suppress(OSError):  # a program that cuts every file it has open must not take it from under us
            fcntl.fcntl(self.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        try:
            self.bytes = mmap.mmap(self.fd, size)
        except OSError:
            os.close(self.fd)
            raise EngineUnfit("there is not enough memory to map for the search beside the program (ulimit -v)") from None
        self.shared: Any = wire.shared_view(self.bytes)
        self._whole: Any = wire.whole_view(self.bytes) if with_search else None
        self.search: Any = wire.search_view(self._whole) if with_search else None

    def renew(self) -> None:
        """For the next target: what the last one wrote is gone, but for the search."""
        self.bytes[: wire.EVENTS_OFFSET] = bytes(wire.EVENTS_OFFSET)
        shared = self.shared
        shared.magic, shared.version = wire.MAGIC, wire.VERSION
        shared.shared_bytes, shared.event_bytes = wire.SHARED_BYTES, wire.EVENT.size
        if self.search is not None:
            shared.config.search_bytes = wire.SEARCH_BYTES
            self.search.exploring = self.search.untold = 0  # it waits to be told, whatever the last one was at

    def close(self) -> None:
        self.shared = self.search = self._whole = None  # the views must go before the mapping
        with contextlib.suppress(BufferError):  # an exception on its way up may still hold one, and takes the mapping along
            self.bytes.close()
        os.close(self.fd)
