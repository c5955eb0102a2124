"""What computing costs in an instrumented program: a sort between locks, with race checks and without, against the plain build.

Processor time per execution, the least of several tries that alternate. Prints JSON; exits 1 if a ratio is beyond its limit (LIMITS).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
ROOT = SOURCE.parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.executing import seconds_per_execution  # noqa: E402
from bpor.target.options import TargetOptions  # noqa: E402

LIMITS = {"off": 2.5, "report": 6.0}  # times the plain build


def compiled(compiler: str | Path, directory: str, name: str) -> str:
    program = str(Path(directory) / name)
    subprocess.run([compiler, "-g", "-O1", "-pthread", SOURCE, "-o", program], check=True)
    return program


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="processor time per point and try (default 1)")
    parser.add_argument("--tries", type=int, default=3, help="how often each point is measured (default 3)")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        plain, instrumented = compiled("cc", directory, "plain"), compiled(ROOT / "bpor" / "_native" / "bpor-cc", directory, "instrumented")
        points = {"plain": (plain, "off"), **{races: (instrumented, races) for races in LIMITS}}
        seconds = {name: float("inf") for name in points}
        for _ in range(chosen.tries):
            for name, (program, races) in points.items():
                seconds[name] = min(seconds[name], seconds_per_execution([program], chosen.seconds, TargetOptions(races=races)))
    ratios = {name: seconds[name] / seconds["plain"] for name in LIMITS}
    rows = {name: {"ratio": round(ratio, 2), "limit": LIMITS[name], "holds": ratio <= LIMITS[name]} for name, ratio in ratios.items()}
    document = {
        "benchmark": "sorting",
        "load_average": [round(one, 2) for one in os.getloadavg()],
        "ms_per_execution": {name: round(one * 1e3, 2) for name, one in seconds.items()},
        "ratios": rows,
    }
    print(json.dumps(document, indent=2))
    return 0 if all(row["holds"] for row in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
