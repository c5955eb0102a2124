"""How the cost of an execution grows: with threads, objects, pages that are written and pages that are allocated. Prints JSON.

    python benchmarks/growth.py [--seconds 0.3] [--tries 3]

Each curve has the law that it should follow and a ratio; the benchmark fails where a ratio is beyond its limit. Growth with the number of
steps: length.py; with the number of executions: endurance.py.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_suffix(".c")
sys.path.insert(0, str(SOURCE.parents[1]))

from benchmarks.executing import seconds_per_execution  # noqa: E402

Costs = dict[str, dict[int, float]]  # name of a program, size: seconds


@dataclass(frozen=True)
class Law:
    """What a curve should follow: `ratio` of the measured costs is 1 where it does exactly, and at most `limit`."""

    says: str
    sizes: dict[str, tuple[int, ...]]
    ratio: Callable[[Costs], float]
    limit: float


def dearer_steps(costs: Costs) -> float:
    """Of 55 threads against 10. Every thread makes as many steps as every other, so the number of steps grows as that of threads does. A
    step that only looked at every thread would be 5.5 times as dear; most of one does not depend on how many there are."""
    few, many = 10, 55
    return (costs["threads"][many] / many) / (costs["threads"][few] / few)


def objects_against_one(costs: Costs) -> float:
    return costs["objects"][1000] / costs["one-object"][1000]


def slope(cost: dict[int, float], low: int, high: int) -> float:
    return (cost[high] - cost[low]) / (high - low)


def dearer_pages(costs: Costs) -> float:
    return slope(costs["pages"], 100, 1000) / slope(costs["pages"], 10, 100)


def allocated_against_static(costs: Costs) -> float:
    return max(costs["allocated"][size] / costs["pages"][size] for size in costs["pages"])


LAWS = {
    "threads": Law("a step of 55 threads costs at most 2.5 times one of 10", {"threads": (10, 20, 40, 55)}, dearer_steps, 2.5),
    "objects": Law("independent of the number of objects", {"objects": (1000,), "one-object": (1000,)}, objects_against_one, 1.5),
    "pages": Law("linear in the pages that are written", {"pages": (1, 10, 100, 1000)}, dearer_pages, 2.0),
    "allocation": Law(
        "the same for allocated pages as for static ones",
        {"allocated": (1, 10, 33, 100, 1000), "pages": (1, 10, 33, 100, 1000)},
        allocated_against_static,
        2.0,
    ),
}


def measured(program: Path, seconds: float, tries: int) -> Costs:
    """The least of several tries, which alternate between the programs."""
    wanted = sorted({(name, size) for law in LAWS.values() for name, sizes in law.sizes.items() for size in sizes})
    costs: Costs = {}
    for _ in range(tries):
        for name, size in wanted:
            one = seconds_per_execution([str(program), name, str(size)], seconds)
            sizes = costs.setdefault(name, {})
            sizes[size] = min(one, sizes.get(size, one))
    return costs


def row(law: Law, costs: Costs) -> dict[str, Any]:
    ratio = law.ratio(costs)
    micro = {name: {str(size): round(costs[name][size] * 1e6, 1) for size in sizes} for name, sizes in law.sizes.items()}
    return {"law": law.says, "us_per_execution": micro, "ratio": round(ratio, 2), "limit": law.limit, "holds": ratio <= law.limit}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.3, help="processor time per point and try (default 0.3)")
    parser.add_argument("--tries", type=int, default=3, help="how often each point is measured (default 3)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory) / "growth"
        subprocess.run(["cc", "-g", "-O1", "-pthread", "-o", program, SOURCE], check=True)
        costs = measured(program, options.seconds, options.tries)
    rows = {name: row(law, costs) for name, law in LAWS.items()}
    load = [round(one, 2) for one in os.getloadavg()]
    print(json.dumps({"benchmark": "growth", "load_average": load, "curves": rows}, indent=2))
    return 0 if all(one["holds"] for one in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
