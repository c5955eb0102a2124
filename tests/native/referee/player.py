"""The player, built once per content: plain, and by `bpor-native c++`; beside it the library that it loads."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from tests.native.compiled import CACHE, INSTRUMENTING, STUB, identity

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
    known = [identity("g++"), *([identity(compiler), identity(str(STUB))] if instrumented else []), *FLAGS]
    key = hashlib.sha256("\0".join([*known, *(path.read_text("utf-8") for path in files)]).encode()).hexdigest()[:16]
    place = CACHE / f"{key}-player"
    if not place.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as private:
            _build(compiler, [path for path in files if path.suffix == ".cpp"], Path(private) / "all")
            try:
                os.rename(Path(private) / "all", place)
            except OSError:  # another worker was faster
                assert place.exists()
    return place / "player"


def _build(compiler: str, sources: list[Path], place: Path) -> None:
    place.mkdir()
    command = [compiler, *FLAGS]
    of_library = [one for one in sources if one.name == GUEST]
    of_program = [one for one in sources if one.name != GUEST]
    for more in (["-o", place / "player", *of_program], ["-shared", "-fPIC", "-o", place / "libguest.so", *of_library]):
        result = subprocess.run([*command, *map(str, more)], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
