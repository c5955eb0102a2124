"""A Debian package from a wheel: `python scripts/make_deb.py WHEEL DIRECTORY`. What the tool needs comes with it, except Python and libc.

The packages from PyPI that come along are built for one version of Python: the package depends on that version, which is the one that runs
this script. Everything lies in /usr/lib/bpor-native; /usr/bin and the manual have links there.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HOME = Path("usr/lib/bpor-native")
START = """#!/usr/bin/python3
import os
import sys

here = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path.insert(0, os.path.join(here, "lib", "python{python}", "site-packages"))
from bpor.cli import main

sys.exit(main())
"""
CONTROL = """Package: bpor-native
Version: {version}
Architecture: amd64
Maintainer: bpor-native's maintainers <bpor-native@localhost>
Depends: python3 (>= {python}), python3 (<< {next}), libc6 (>= {glibc})
Recommends: gcc, gdb
Section: devel
Priority: optional
Description: systematic concurrency testing of native code
 Runs an unmodified native test under every thread schedule that matters within a
 bound, and ends with a verdict that says what it covered.
"""


def main(wheel: Path, directory: Path) -> Path:
    name, version = wheel.name.split("-")[:2]
    glibc = re.search(r"manylinux_(\d+)_(\d+)", wheel.name)
    if name != "bpor_native" or glibc is None:
        raise SystemExit(f"make_deb: {wheel.name} is not a wheel that `make wheel` made")
    package = directory / f"bpor-native_{version}_amd64.deb"
    with tempfile.TemporaryDirectory() as staging:
        lay_out(
            wheel, Path(staging, "deb"), CONTROL.format(version=version, python=python(), next=python(1), glibc=f"{glibc[1]}.{glibc[2]}")
        )
        command = ["dpkg-deb", "--root-owner-group", "--build", f"{staging}/deb", str(package)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return package


def lay_out(wheel: Path, root: Path, control: str) -> None:
    install(wheel, root / HOME)
    link(root / "usr/bin/bpor-native", root / HOME / "bin/bpor-native")
    link(root / "usr/share/man/man1/bpor-native.1", root / HOME / "share/man/man1/bpor-native.1")
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN/control").write_text(control)


def python(later: int = 0) -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor + later}"


def install(wheel: Path, home: Path) -> None:
    """As pip would, but for the interpreter that starts it, which is the system's."""
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--ignore-installed"]
    subprocess.run([*words, "--prefix", str(home), str(wheel)], check=True)
    for script in (home / "bin").iterdir():
        if script.name != "bpor-native":
            script.unlink()
    start = home / "bin/bpor-native-python"
    start.write_text(START.format(python=python()))
    start.chmod(0o755)


def link(place: Path, target: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    os.symlink(os.path.relpath(target, place.parent), place)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    print(main(Path(sys.argv[1]), Path(sys.argv[2])))
