"""`python -m tests.native.soak_options SECONDS [SEED]`: random programs, every search with any combination of options, until time is up.

The truth about a program is what unbounded DPOR finds without known steps, recognised states or workers. A search that says "all
schedules" has to have found the same kinds of bugs; any other may find fewer, and none may find more. The command line is the way in, so
that `-j`, `--resume` and files of state are part of it. Prints the first difference and exits 1.
"""

from __future__ import annotations

import io
import json
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bpor.cli import main as command_line
from bpor.errors import BporError
from bpor.report.finding import FindingKind
from tests.native.compiled import compiled
from tests.native.engines import random_scripts

SCRIPT = Path(__file__).with_name("script.c")
MOST = 1_000  # executions of one search
PLAIN = ("--bound", "none", "--search", "dpor", "--no-known-steps", "--match", "off")
SEARCHES = (
    *(None, "bpor", "dpor", "optimal", "optimal:stride", "cb-por"),
    *("best-first:random", "best-first:pb,dpor", "cartesian", "extension"),
)
BOUNDS = {
    "bpor": ("none", "preemption:2", "fair:2", "fair:2,preemption:1", "context:2"),
    "dpor": ("none", "fair:2"),
    "cb-por": ("none", "preemption:1"),
    "best-first:random": ("none", "preemption:1", "fair:2"),
    "best-first:pb,dpor": ("none", "preemption:2"),
    "extension": ("preemption:2", "fair:2,preemption:2"),
}
IN_PARTS = (None, "bpor", "dpor", "cartesian")


@dataclass(frozen=True, slots=True)
class Told:
    whole: bool  # it says "all schedules"
    finished: bool  # and nothing was cut
    kinds: frozenset[str] = field(default_factory=frozenset)


def draw(source: random.Random) -> list[str]:
    """A combination of options that the tool accepts."""
    search = source.choice(SEARCHES)
    words = [] if search is None else ["--search", search, "--bound", source.choice(BOUNDS.get(search, ("none",)))]
    if search in IN_PARTS and source.random() < 0.3:
        words += ["-j", str(source.choice((2, 3)))]
    for option, share in (("--no-known-steps", 0.2), ("--engine=python", 0.1), ("--machine-code=off", 0.2), ("--max-memory=256M", 0.2)):
        words += [option] if source.random() < share else []
    if search in (None, "bpor", "dpor") and source.random() < 0.3:
        words += ["--match", source.choice(("off", "memory", "happens-before"))]
    return words


def searched(argv: list[str], words: list[str], place: Path, resumed: int | None) -> Told | None:
    """`resumed`: it is stopped after so many executions first, and goes on. None: the options do not go together."""
    path = place / "result.json"
    path.unlink(missing_ok=True)
    common = ["-q", "--keep-going", "--max-time", "10", "--max-steps", "400", "--state", str(place / "state"), "--json", str(path)]
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        if resumed is not None:
            command_line([*common, *words, "--max-executions", str(resumed), *argv])
            words = [*words, "--resume"]
        code = command_line([*common, *words, "--max-executions", str(MOST), *argv])
    return None if code == BAD_USAGE else told(json.loads(path.read_text()), code)


BAD_USAGE, INTERNAL = 2, 99


def told(result: dict[str, Any], code: int) -> Told:
    if code >= INTERNAL:
        raise BporError(f"exit code {code}: {result}")
    statement = str(result["statement"]).partition(";")[0]
    whole = statement.startswith("pass: all schedules") and "≤" not in statement
    kinds = frozenset(str(finding["kind"]) for finding in result["findings"])
    return Told(whole, result["exit_reason"] == "exhausted" and not result["cut"], kinds)


def attempt(seed: int, place: Path) -> tuple[str, str]:
    """The name of the search, and what is wrong."""
    source = random.Random(seed)
    argv = [str(compiled(SCRIPT)), *random_scripts(source, longest=4)]
    truth = searched(argv, list(PLAIN), place, None)
    if truth is None or not truth.finished:
        return "", ""
    words = draw(source)
    resumed = source.choice((None, None, 3, 20))
    found = searched(argv, words, place, resumed)
    if found is None:
        return "", ""
    more, fewer = found.kinds - truth.kinds - ENDLESS, truth.kinds - found.kinds - ENDLESS
    name = words[1] if words[:1] == ["--search"] else "default"
    wrong = more or (fewer and found.whole)
    return name, f"{' '.join(words)} resumed={resumed} {argv[1:]}: {found}, truth {truth}" if wrong else ""


ENDLESS = frozenset({FindingKind.LIVELOCK.value})  # which DPOR does not look for


def main() -> int:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 40)
    print(f"soak of the options: {seconds:g} seconds from seed {seed}", flush=True)
    tried: Counter[str] = Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        seed += 1
        with tempfile.TemporaryDirectory() as place:
            name, wrong = attempt(seed, Path(place))
        tried[name] += bool(name)
        if wrong:
            print(f"seed {seed}: {wrong}", flush=True)
            return 1
    print(", ".join(f"{name} {count}" for name, count in sorted(tried.items()) if count), "agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
