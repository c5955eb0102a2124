"""The programs on which the tools are compared, and how large each is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True)
class Row:
    name: str
    program: str  # programs/NAME.c, relacy/NAME.cpp
    threads: int = 1
    rounds: int = 1
    symmetry: str = ""  # what --symmetry may say of its threads; empty: nothing
    retries: bool = False  # it looks until it finds what it needs

    @property
    def source(self) -> Path:
        return PROGRAMS / f"{self.program}.c"

    @property
    def defines(self) -> list[str]:
        return [f"-DTHREADS={self.threads}", f"-DROUNDS={self.rounds}"]


TRIVIAL = Row("start", "trivial", retries=True, symmetry="same")
ROWS = (
    Row("mutex 4x2", "mutex", 4, 2, "same"),
    Row("lost update 3x2", "lost_update", 3, 2, "same"),
    Row("lost update 2x5", "lost_update", 2, 5, "same"),
    Row("readers 12", "readers", 12, symmetry="same"),
    Row("indexer 14", "indexer", 14),
    Row("treiber 3", "treiber", 3, retries=True, symmetry="any"),
)
