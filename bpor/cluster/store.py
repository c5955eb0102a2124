"""Store: files by their hashes, on a worker, and the directory of a parcel made of them.

Invariant: a file that is laid out has the hash that it is named by. It is written beside and moved in whole; one that was damaged since is
missing.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from bpor.cluster.parcel import Item, Parcel


class Store:
    def __init__(self, root: Path | None = None) -> None:
        self.root = root or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bpor-native" / "cluster"

    def missing(self, parcel: Parcel) -> list[Item]:
        return [item for item in parcel.items if not self._is_whole(item.hash)]

    def _is_whole(self, hash: str) -> bool:
        try:
            with self._path(hash).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == hash
        except OSError:
            return False

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

    def lay_out(self, parcel: Parcel, root: Path) -> dict[str, str]:
        """The files of a parcel, below a directory that is empty. Returns its environment there."""
        for name in parcel.directories:
            (root / name).mkdir(parents=True, exist_ok=True)
        for name, target in parcel.links:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).symlink_to(root / target)
        for item in parcel.items:
            path = root / item.name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._path(item.hash), path)
            os.utime(path, ns=(item.modified, item.modified))
            path.chmod(item.mode)
        environment = dict(parcel.environment) | {"PWD": str(root / parcel.working)}
        if parcel.libraries:
            before = environment.get("LD_LIBRARY_PATH")
            environment["LD_LIBRARY_PATH"] = ":".join([*(str(root / name) for name in parcel.libraries), *filter(None, [before])])
        return environment

    def _path(self, hash: str) -> Path:
        return self.root / hash[:2] / hash
