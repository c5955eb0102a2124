"""The files that the build compiles as one are named in scripts/native_build.py: a name that no file has would be a file that was renamed."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_joined_file_is_there() -> None:
    joined: dict[str, str] = runpy.run_path(str(ROOT / "scripts/native_build.py"))["JOINED"]
    missing = [f"{room}/{name}.c" for room, names in joined.items() for name in names.split() if not (ROOT / "csrc" / room / f"{name}.c").exists()]
    assert not missing
