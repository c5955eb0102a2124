"""The player, built once per content: plain, and by `bpor-native c++`; beside it the library that it loads."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from tests.native.compiled import CACHE, INSTRUMENTING, WRAPPED, identity

SOURCES = Path(__file__).with_name("player")
FLAGS = ("-std=gnu++17", "-g1", "-O0", "-pthread", "-Wall", "-Wextra", "-Werror")  # soon built; it is not there to be fast
GUEST = "guest.cpp"  # a library of its own
_TABLE = re.compile(r"const Activity of_(\w+)\[\] = \{(.*?)\n\};", re.DOTALL)
_ROW = re.compile(r'\{"(\w+)", \w+, [A-Z]+\}')


@cache
def families() -> dict[str, tuple[str, ...]]:
    """The words of each family, as the player's own tables have them."""
    tables = (match for path in sorted(SOURCES.glob("*.cpp")) for match in _TABLE.finditer(path.read_text("utf-8")))
    return {match[1]: tuple(_ROW.findall(match[2])) for match in tables}


@cache
def player(instrumented: bool = False) -> Path:
    """The executable; a compiler's complaint is an AssertionError that shows it."""
    compiler = str(INSTRUMENTING["g++"]) if instrumented else "g++"
    files = sorted(SOURCES.iterdir())
    known = [identity("g++"), *(map(identity, [compiler, *map(str, WRAPPED)]) if instrumented else []), *FLAGS]
    key = hashlib.sha256("\0".join([*known, *(path.read_text("utf-8") for path in files)]).encode()).hexdigest()[:16]
    place = CACHE / f"{key}-player"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "player.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another worker may be about to build it
        if not place.exists():
            with tempfile.TemporaryDirectory(dir=CACHE) as private:
                _build(compiler, [path for path in files if path.suffix == ".cpp"], Path(private) / "all")
                os.rename(Path(private) / "all", place)
    return place / "player"


def _build(compiler: str, sources: list[Path], place: Path) -> None:
    place.mkdir()
    objects = {source.name: place / f"{source.stem}.o" for source in sources}

    def run(*more: str | Path) -> None:
        result = subprocess.run([compiler, *FLAGS, *map(str, more)], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr

    with ThreadPoolExecutor(os.cpu_count()) as several:
        list(several.map(lambda source: run("-fPIC", "-c", "-o", objects[source.name], source), sources))
    run("-shared", "-o", place / "libguest.so", objects[GUEST])
    run("-o", place / "player", *(one for name, one in objects.items() if name != GUEST))
    for one in objects.values():
        one.unlink()
