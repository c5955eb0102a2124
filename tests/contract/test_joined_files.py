"""The files that the build compiles as one are named in scripts/native_build.py: a name without a file is a file that was renamed."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_joined_file_is_there() -> None:
    joined: dict[str, tuple[str, ...]] = runpy.run_path(str(ROOT / "scripts/native_build.py"))["JOINED"]
    files = [ROOT / "csrc" / room / f"{name}.c" for room, groups in joined.items() for group in groups for name in group.split()]
    assert [file for file in files if not file.exists()] == []
    assert len(set(files)) == len(files), "a file is in two groups"
