"""How many executions weak memory takes for each distinct graph (who read from whom, and in which order stores are), in simulation.

Random programs of atomic accesses with orders, fences, read-modify-writes and compare-exchanges, without a bound. `complete` counts
executions that ran to their end, `all` those too that sleep sets ended. Litmus tests have few graphs, of which one often has two schedules
(of store buffering: either thread is late), so they stand apart. Prints JSON; exits 1 if the geometric mean of `complete` is above LIMIT.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bpor.simulate.notation import parse  # noqa: E402
from tests.property.random_atomics import bend, generate  # noqa: E402
from tests.property.weak_trial import reach  # noqa: E402

PROGRAMS, SEED = 1_000, 1
LIMIT = 1.05
DRAWN: dict[str, Callable[[random.Random], str]] = {
    "litmus tests, bent": lambda source: bend(source.randint),
    "up to 7 accesses": lambda source: generate(source.randint, 7),
    "up to 10 accesses": lambda source: generate(source.randint, 10),
}


def measure(programs: int, draw: Callable[[random.Random], str], memory: str) -> dict[str, float]:
    source = random.Random(SEED)
    complete, everything, executions, graphs = [], [], 0, 0
    while len(complete) < programs:
        try:
            found = reach(parse(draw(source)), memory, engine="library")
        except AssertionError:
            continue  # too many executions
        complete.append(found.complete / len(found.graphs))
        everything.append(found.result.executions / len(found.graphs))
        executions += found.complete
        graphs += len(found.graphs)
    return {
        "programs": programs,
        "executions": executions,
        "graphs": graphs,
        "complete": round(statistics.geometric_mean(complete), 4),
        "all": round(statistics.geometric_mean(everything), 4),
        "largest": round(max(complete), 2),
    }


def main(programs: int) -> int:
    figures = {f"{memory}, {name}": measure(programs, draw, memory) for memory in ("c11", "tso") for name, draw in DRAWN.items()}
    print(json.dumps({"benchmark": "weak_graphs", "limit": LIMIT, "figures": figures}, indent=1))
    return 0 if all(one["complete"] <= LIMIT for name, one in figures.items() if "litmus" not in name) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else PROGRAMS))
