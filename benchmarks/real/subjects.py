"""What is tried (subjects.toml): a library of Debian's, and a test of it that a user of its public API would write."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TESTS = HERE / "tests"


@dataclass(frozen=True)
class Subject:
    name: str  # of the library, with what is tried of it
    kind: str
    test: str  # a file of tests/
    packages: tuple[str, ...] = ()  # Debian's, by which the library comes; the first one's version is told
    flags: tuple[str, ...] = ()  # of the compiler and linker; "pkg-config:NAME" stands for what that says of NAME
    crates: dict[str, str] = field(default_factory=dict)  # of a test in Rust: the versions of Cargo.toml
    environment: dict[str, str] = field(default_factory=dict)  # of the test
    source: str = ""  # Debian's source package: the instrumented build has the library's own code in it
    sources: tuple[str, ...] = ()  # patterns of its files that are compiled with the test
    without: tuple[str, ...] = ()  # patterns of those that are left out
    source_flags: tuple[str, ...] = ()  # of the instrumented build, in place of `flags`; "@" is the directory of the source
    build: tuple[tuple[str, ...], ...] = ()  # commands in that directory, under `bpor-native build`
    remark: str = ""  # what was looked at by hand
    judged: str = ""  # its finding, by hand: true, meant (a race by the standard that changes nothing), false
    changed: str = "nothing"  # what a maintainer has to change for it

    @property
    def stem(self) -> str:
        """Of its files: the name in letters that a path may have."""
        return re.sub(r"\W+", "_", self.name.lower()).strip("_")

    @property
    def is_rust(self) -> bool:
        return self.test.endswith(".rs")


def read_subjects(path: Path = HERE / "subjects.toml") -> tuple[Subject, ...]:
    entries = tomllib.loads(path.read_text())["subject"]
    return tuple(Subject(**{key: _frozen(value) for key, value in entry.items()}) for entry in entries)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(one) for one in value) if isinstance(value, list) else value
