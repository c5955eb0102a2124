"""Store: files by their hashes, on a worker, and the directory of a parcel made of them.

Invariant: a file that is there has the hash that it is named by; it is written beside and moved in whole.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from bpor.cluster.parcel import LIBRARIES, Item, Parcel


class Store:
    def __init__(self, root: Path | None = None) -> None:
        self.root = root or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bpor-native" / "cluster"

    def missing(self, parcel: Parcel) -> list[Item]:
        return [item for item in parcel.items if not self._path(item.hash).is_file()]

    def add(self, content: bytes, hash: str) -> None:
        """Raises ValueError if the content is not what its name says."""
        if hashlib.sha256(content).hexdigest() != hash:
            raise ValueError(f"a file arrived damaged: its hash is not {hash}")
        target = self._path(hash)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
            try:
                file.write(content)
                file.flush()
            except OSError:
                os.unlink(file.name)  # the disk is full
                raise
        os.chmod(file.name, 0o555)
        os.replace(file.name, target)

    def lay_out(self, parcel: Parcel, directory: Path) -> dict[str, str]:
        """The files of a parcel, in a directory that is empty. Returns its environment there."""
        for item in parcel.items:
            path = directory / item.name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._path(item.hash), path)
            path.chmod(0o755 if item.executable else 0o644)
        environment = dict(parcel.environment) | {"PWD": str(directory)}
        if any(item.name.startswith(f"{LIBRARIES}/") for item in parcel.items):
            before = environment.get("LD_LIBRARY_PATH")
            environment["LD_LIBRARY_PATH"] = f"{directory}/{LIBRARIES}" + (f":{before}" if before else "")
        return environment

    def _path(self, hash: str) -> Path:
        return self.root / hash[:2] / hash
