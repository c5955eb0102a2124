"""A process beside a suite that holds its cluster, so that the suite itself, which forks for every test, has no threads of dask's.

It starts the workers of `local:N`, or asks the scheduler of an address who its workers are; says so in one line; and ends when nobody holds
the other end of its standard input any more.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from bpor.cluster.address import parse_address
from bpor.cluster.connection import Connection
from bpor.errors import UsageError


def main() -> None:
    """`serve ADDRESS INSECURE DIRECTORY`: certificates of workers of our own are put into the directory, which is closed to others."""
    address, insecure, directory = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        connection = Connection(parse_address(address, insecure == "1"))
    except UsageError as error:
        print(json.dumps({"error": str(error)}), file=answers, flush=True)
        return
    try:
        certificates = connection.write_certificates(Path(directory))
        told = {"url": connection.url, "places": connection.places(), "certificates": certificates}
        print(json.dumps(told), file=answers, flush=True)
        sys.stdin.read()
    finally:
        connection.close()


if __name__ == "__main__":
    main()
