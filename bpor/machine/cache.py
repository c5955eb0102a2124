"""Scans of modules in the user's cache directory, by build id: a library is decoded once, not in every run.

Invariant: what is read is what `scan` would say. The key has the sources of this package in it, and a checksum of the module's code, which
an editor of machine code changes without its build id; the runtime compares the code of the module with the blob before it changes
anything. A cache that cannot be written is none.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zlib
from contextlib import suppress
from functools import cache, reduce
from pathlib import Path

from bpor.lazy_dataclass import asdict
from bpor.machine.scanned import Scan, Summary
from bpor.native_parts import NATIVE
from bpor.target.elf import Elf, open_image
from bpor.target.image import PT_LOAD


def cache_directory() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "bpor-native" / "machine"


@cache
def _version() -> str:
    """Of the code that scans: another one may scan otherwise."""
    package = Path(__file__).parents[1]
    asked = (package / "target" / f"{name}.py" for name in ("image", "assembler", "containers", "library_calls", "units"))
    sources = [*sorted(package.glob("machine/*.py")), *asked]
    sources.append(NATIVE / "libbpor-decode.so")
    return hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:16]


class Blobs:
    """Scans, and the files of their blobs, which stay for as long as this object does."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory or cache_directory()
        self._own: tempfile.TemporaryDirectory[str] | None = None
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            usable = os.access(self._directory, os.W_OK)
        except OSError:
            usable = False
        if not usable:
            self._own = tempfile.TemporaryDirectory(prefix="bpor-native-machine-")
            self._directory = Path(self._own.name)

    def of(self, elf: Elf, other: bool = False) -> tuple[Scan, str]:
        """The scan, and the path of its blob; empty: there is nothing to patch. `other`: patched in another way. Raises OSError."""
        key = _key(elf) + "-other" * other
        file, blob = self._directory / f"{key}.json", self._directory / f"{key}.blob"
        found = _read(file)
        if found is None or (found.summary.sites and not blob.exists()):
            from bpor.machine.scan import scan  # with a disassembler of some 50 modules

            with open_image(elf.path) as image:
                found = scan(image, other) if image is not None else Scan(Summary(problem="it is not an ELF file"))
            if found.blob:
                _write(blob, found.blob)
            _write(file, _text(found).encode())
        return found, str(blob) if found.summary.sites else ""

    def keep(self, name: str, content: bytes) -> str:
        """A file of this content; its path."""
        path = self._directory / f"{hashlib.sha256(content).hexdigest()[:32]}.{name}"
        if not path.exists():
            _write(path, content)
        return str(path)


@cache
def users_blobs() -> Blobs:
    """For as long as this process lives."""
    return Blobs()


def _key(elf: Elf) -> str:
    if not elf.build_id:
        return f"{hashlib.sha256(Path(elf.path).read_bytes()).hexdigest()}-{_version()}"
    return f"{elf.build_id}-{os.stat(elf.path).st_size}-{_checksum(elf.path):08x}-{_version()}"


def _checksum(path: str) -> int:
    """Of what is loaded: of a large program most is debug information."""
    with open_image(path) as image:
        loaded = [image.content(segment) for segment in image.segments if segment.kind == PT_LOAD] if image is not None else []
    return reduce(lambda sum_of_all, part: zlib.crc32(part, sum_of_all), loaded, 0)


def _text(found: Scan) -> str:
    return json.dumps({"summary": asdict(found.summary), "atomics": sorted(found.atomics)})


def _read(file: Path) -> Scan | None:
    """None: it is not there, or damaged."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        told = json.loads(file.read_bytes())
        summary = told["summary"]
        lists = {name: tuple(summary[name]) for name in ("functions", "unseen")}
        lists |= {name: tuple((int(low), int(high)) for low, high in summary[name]) for name in ("constants", "parts")}
        return Scan(Summary(**summary | lists), atomics=frozenset(map(int, told["atomics"])))
    return None


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all, whoever else writes it."""
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.replace(partial, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(partial)
        raise
