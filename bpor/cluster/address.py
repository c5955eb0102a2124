"""Address: which cluster is meant by --cluster, and whether it may be trusted.

`local:N` starts N workers on this machine, with certificates of their own for as long as the search lasts. `tls://HOST:PORT` is a
scheduler whose certificates the configuration of dask names (distributed.comm.tls). Plain `tcp://` lets everybody who reaches the port
run programs on the workers, so it has to be asked for by --insecure-cluster.
"""

from __future__ import annotations

import re

from bpor.errors import UsageError
from bpor.lazy_dataclass import dataclass

_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
_REMOTE = re.compile(r"(tls|tcp)://[^/\s]+:[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class Address:
    url: str  # of a scheduler; empty: workers of our own
    workers: int = 0  # so many

    @property
    def secure(self) -> bool:
        return not self.url or self.url.startswith("tls:")


def parse_address(text: str, insecure: bool = False) -> Address:
    """Raises UsageError."""
    if local := _LOCAL.fullmatch(text):
        return Address("", int(local[1]))
    if not _REMOTE.fullmatch(text):
        raise UsageError(f"--cluster {text}: neither tls://HOST:PORT nor local:N")
    address = Address(text)
    if not address.secure and not insecure:
        danger = "without TLS whoever reaches its port can run programs there"
        raise UsageError(f"--cluster {text}: {danger}; if that is meant: --insecure-cluster")
    return address
