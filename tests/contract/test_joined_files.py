"""The files that the build compiles as one are named in scripts/native_build.py: a name without a file is a file that was renamed."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_joined_file_is_there() -> None:
    joined: dict[str, str] = runpy.run_path(str(ROOT / "scripts/native_build.py"))["JOINED"]
    files = [ROOT / "csrc" / room / f"{name}.c" for room, names in joined.items() for name in names.split()]
    assert [file for file in files if not file.exists()] == []
