"""Two binaries of a subject: plain, as its user would build it, and instrumented, with `bpor-native cc`, `c++` or `build`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.real.fetch import unpack
from benchmarks.real.subjects import TESTS, Subject

ROOT = Path(__file__).resolve().parents[2]
TOOL = [sys.executable, "-m", "bpor"]
COMMON = ("-g", "-O1", "-pthread", "-w")
BUILDS = ("plain", "instrumented")
_REGISTRY = "/usr/share/cargo/registry"  # where Debian's crates lie


def build(subject: Subject, how: str, place: Path, setting: str) -> Path:
    """The program's path, built unless that was done in the same setting; raises CalledProcessError with what the compiler said."""
    program = place / how / subject.stem
    stamp = program.with_suffix(".setting")
    if not stamp.exists() or stamp.read_text() != setting:
        program.parent.mkdir(parents=True, exist_ok=True)
        (_cargo if subject.is_rust else _compiled)(subject, how, place, program)
        stamp.write_text(setting)
    return program


def _compiled(subject: Subject, how: str, place: Path, program: Path) -> None:
    standard = ["-std=c++20"] if subject.test.endswith(".cpp") else []
    words = [*_compiler(subject, how), *standard, *COMMON, str(TESTS / subject.test)]
    own = _own(subject, place) if how == "instrumented" and subject.source else []
    flags = own or _expanded(subject.flags)
    _run([*words, *flags, "-o", str(program)], place)


def _compiler(subject: Subject, how: str) -> list[str]:
    is_plus = subject.test.endswith(".cpp")
    if how == "plain":
        return ["g++" if is_plus else "gcc"]
    return [*TOOL, "c++" if is_plus else "cc"]


def _expanded(flags: Sequence[str]) -> list[str]:
    words: list[str] = []
    for flag in flags:
        if flag.startswith("pkg-config:"):
            question = ["pkg-config", "--cflags", "--libs", flag.removeprefix("pkg-config:")]
            words += subprocess.run(question, check=True, capture_output=True, text=True).stdout.split()
        else:
            words.append(flag)
    return words


def _own(subject: Subject, place: Path) -> list[str]:
    """What puts the library's own code into the program: its files, or the archives that its build makes."""
    source = unpack(subject.source, place)
    built = source / ".built"
    if subject.build and not built.exists():
        for command in subject.build:
            _run([*TOOL, "build", *command], source)
        built.touch()
    left_out = {path for pattern in subject.without for path in source.glob(pattern)}
    files = [str(path) for pattern in subject.sources for path in sorted(source.glob(pattern)) if path not in left_out]
    return [*files, *(flag.replace("@", str(source)) for flag in _expanded(subject.source_flags))]


def _cargo(subject: Subject, how: str, place: Path, program: Path) -> None:
    """A package of one file, with crates from Debian's registry. The standard library stays as it is."""
    package = place / "crates" / subject.stem
    (package / "src").mkdir(parents=True, exist_ok=True)
    (package / ".cargo").mkdir(exist_ok=True)
    shutil.copyfile(TESTS / subject.test, package / "src" / "main.rs")
    crates = "".join(f"{name} = {version}\n" for name, version in subject.crates.items())
    manifest = f'[package]\nname = "it"\nversion = "0.0.0"\nedition = "2021"\n[profile.dev]\nopt-level = 1\n[dependencies]\n{crates}'
    (package / "Cargo.toml").write_text(manifest)
    text = f'[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "{_REGISTRY}"\n'
    (package / ".cargo" / "config.toml").write_text(text)
    target = package / how
    environment = {**os.environ, "CARGO_HOME": str(package / "home"), "CARGO_TARGET_DIR": str(target)}
    words = ["cargo", "build", "--quiet", "--offline"]
    if how == "instrumented":
        stub = ROOT / "bpor" / "_native" / "instrument" / "libtsan.a"
        flags = ["-Zsanitizer=thread", "-Zexternal-clangrt", *_mixing(), f"-Clink-arg={stub}"]
        environment |= {"RUSTC_BOOTSTRAP": "1", "RUSTFLAGS": " ".join(flags)}
        words += ["--target", "x86_64-unknown-linux-gnu"]  # build scripts and macros are not instrumented
    _run(words, package, environment)
    shutil.copy(target / ("x86_64-unknown-linux-gnu/debug/it" if how == "instrumented" else "debug/it"), program)


def _mixing() -> list[str]:
    """Newer compilers want to be told that crates of std are not instrumented."""
    said = subprocess.run(["rustc", "-C", "help"], check=True, capture_output=True, text=True).stdout
    return ["-Cunsafe-allow-abi-mismatch=sanitizer"] if "unsafe-allow-abi-mismatch" in said else []


def _run(words: Sequence[str], place: Path, environment: dict[str, str] | None = None) -> None:
    environment = {**(environment or os.environ), "PYTHONPATH": str(ROOT)}
    subprocess.run(words, check=True, cwd=place, env=environment, capture_output=True, text=True)
