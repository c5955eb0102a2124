"""Libraries from Debian: packages are installed, sources are unpacked below build/real. Nothing of theirs is committed."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

_APT = Path("/etc/apt")


def missing(packages: Iterable[str]) -> list[str]:
    return [package for package in packages if not version(package)]


def version(package: str) -> str:
    """Of the package that is installed; empty if it is not."""
    words = ["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", package]
    status, _, number = subprocess.run(words, capture_output=True, text=True).stdout.partition(" ")
    return number if status == "installed" else ""


def install(packages: Iterable[str]) -> None:
    """Needs to be root where something is missing; says what otherwise."""
    if not (names := missing(packages)):
        return
    if os.geteuid() != 0:
        raise SystemExit(f"real: to be installed first: apt-get install {' '.join(names)}")
    words = ["apt-get", "-o", "DPkg::Lock::Timeout=300", "install", "-y", "-qq", "--no-install-recommends", *names]
    subprocess.run(words, check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, stdout=subprocess.DEVNULL)


def unpack(source: str, place: Path) -> Path:
    """The directory of an unpacked source package, with Debian's patches: from where this machine's packages come."""
    target = place / "sources" / source
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target.parent / ".lock", "w") as lock:  # apt has one of its own, and does not wait for it
        fcntl.flock(lock, fcntl.LOCK_EX)
        _fetch(source, target, place)
    return target


def _fetch(source: str, target: Path, place: Path) -> None:
    if not target.exists():
        lists = _source_lists(place)
        options = ["-o", f"Dir::Etc::sourceparts={lists}", "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::State::lists={lists}/state"]
        (lists / "state" / "partial").mkdir(parents=True, exist_ok=True)
        unpacking = target.with_name(f".{source}.{os.getpid()}")
        unpacking.mkdir(parents=True)
        subprocess.run(["apt-get", *options, "update", "-qq"], check=True)
        subprocess.run(["apt-get", *options, "source", "-qq", source], check=True, cwd=unpacking, stdout=subprocess.DEVNULL)
        next(path for path in unpacking.iterdir() if path.is_dir()).rename(target)


def _source_lists(place: Path) -> Path:
    """A directory of apt's lists in which every archive of binaries that this machine uses is one of sources."""
    lists = place / "apt"
    lists.mkdir(parents=True, exist_ok=True)
    for path in (_APT / "sources.list", *(_APT / "sources.list.d").glob("*")):
        text = path.read_text() if path.exists() else ""
        if "debian" in text:  # others need not have sources
            text = re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.MULTILINE)
            name = path.name if path.suffix in (".list", ".sources") else f"{path.name}.list"
            (lists / name).write_text(re.sub(r"^deb\s", "deb-src ", text, flags=re.MULTILINE))
    return lists
