"""What is known of the pairs so far: a line of JSON when one begins and another when it has ended.

Invariant: a line is written at once, so a survey that is stopped loses the pair that ran and nothing else.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HUNG = "hung"


@dataclass(frozen=True)
class Ended:
    kind: str  # of the finding; else the verdict
    schedules: int = 0
    says: str = ""  # the verdict in words
    replay: str = ""  # the command


class Record:
    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self, pair: str) -> None:
        self._add({"begun": pair})

    def end(self, pair: str, ended: Ended) -> None:
        self._add({"pair": pair, **asdict(ended)})

    def ended(self) -> dict[str, Ended]:
        return {line.pop("pair"): Ended(**line) for line in self._lines() if "pair" in line}

    def running(self) -> str | None:
        """The pair that began last, if it did not end."""
        lines = self._lines()
        return lines[-1].get("begun") if lines else None

    def _add(self, line: dict[str, object]) -> None:
        with open(self.path, "a") as file:
            file.write(json.dumps(line) + "\n")

    def _lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []
