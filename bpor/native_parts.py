"""Where the compiled half lies, and the parts of it that a quick build leaves out (scripts/native_build.py): in a checkout the first use of
one builds the whole."""

from __future__ import annotations

import sys
from pathlib import Path

NATIVE = Path(__file__).parent / "_native"
_RECIPE = Path(__file__).parent.parent / "scripts" / "native_build.py"


def part(name: str) -> Path:
    """The file; where there is none and none can be built, whoever opens it says so."""
    path = NATIVE / name
    if not path.exists() and _RECIPE.exists():
        import subprocess  # a compiler is started for every file

        sys.stderr.write(f"bpor-native: {path.name} is not built yet: building the rest of the tool, once\n")
        done = subprocess.run([sys.executable, str(_RECIPE), "--werror"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.stderr.write(done.stdout)
    return path
