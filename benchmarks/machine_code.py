"""What patched machine code costs: to decode it, the first time; a plain program that computes, against the same unpatched; and searches of
plain programs, against those of their instrumented builds.

Each kernel of machine_code.c runs in one thread while another exists, so that every access of memory is looked at for conflicts, and
measures itself by what the kernel says it used: the search, the start and other people's load do not count. Of a search it is the
processor time of the target, less that of a search of one execution, and the two builds alternate. The least of several tries.
Prints JSON; exits 1 if a computation costs more than LIMIT times the unpatched one, or a plain build has less than LEAST_RATE of the
executions per second of the instrumented build, or another number of executions, or if a module takes longer to decode than it may.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.peers.rows import ROWS, Row  # noqa: E402
from bpor.api import check  # noqa: E402
from bpor.machine import scan as scanning  # noqa: E402
from bpor.settings import Settings  # noqa: E402
from bpor.target.elf import open_image  # noqa: E402

TRIES = 3
LIMIT = 4.0
KERNELS = {
    "crc": 20_000_000,
    "sort": 20_000_000,
    "hash": 5_000_000,
    "list": 60_000_000,
    "matrix": 60_000_000,
    "arithmetic": 100_000_000,
}  # rounds: some 0.1 s each
LEAST_RATE = 0.85
MOST_SCANNING = {"compute": 0.1, "libstdc++.so.6": 1.5}  # seconds
SEARCHED = Settings(bound="none", match="off", memory="sc", races="explore", max_time=None)
BUILDS = {"instrumented": str(ROOT / "bpor/_native/bpor-cc"), "plain": "gcc"}


def cost(program: str, mode: str, kernel: str, rounds: int) -> float:
    """Seconds of computing, in one execution."""
    options = ["--show-output", "--state=none", "--bound=preemption:0", "--max-executions=1", "--watchdog=600", f"--machine-code={mode}"]
    words = [sys.executable, "-m", "bpor", *options, program, kernel, str(rounds)]
    texts = (subprocess.run(words, check=False, capture_output=True, text=True, cwd=ROOT).stdout for _ in range(TRIES))
    return min(int(found[1]) for text in texts if (found := re.search(r"used (\d+) us", text))) / 1e6


def compute(directory: Path) -> str:
    program = str(directory / "compute")
    subprocess.run(["gcc", "-O2", "-g", "-pthread", "-o", program, ROOT / "benchmarks/machine_code.c"], check=True)
    return program


def scans(directory: Path) -> dict[str, Any]:
    """Of libstdc++ all functions, not only those of its containers."""
    library = subprocess.run(["gcc", "-print-file-name=libstdc++.so.6"], check=True, capture_output=True, text=True).stdout.strip()
    scanning.container_code = lambda image: []
    rows = {}
    for path in (compute(directory), library):
        tries = []
        for _ in range(TRIES):
            begun = time.process_time()
            with open_image(path) as image:
                assert image is not None
                sites = scanning.scan(image).summary.sites
            tries.append(time.process_time() - begun)
        rows[os.path.basename(path)] = {"sites": sites, "seconds": round(min(tries), 3), "limit": MOST_SCANNING[os.path.basename(path)]}
    return rows


def kernels(directory: Path) -> dict[str, Any]:
    program = compute(directory)
    rows = {}
    for kernel, rounds in KERNELS.items():
        plain, patched = cost(program, "off", kernel, rounds), cost(program, "auto", kernel, rounds)
        rows[kernel] = {"unpatched_seconds": round(plain, 3), "patched_seconds": round(patched, 3), "ratio": round(patched / plain, 1)}
    return rows


def search(program: Path, most: int | None) -> tuple[float, int]:
    """Processor seconds of the target, and executions."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = check([str(program)], SEARCHED, max_executions=most)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert result.search is not None, result.verdict
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result.search.executions


def rate(directory: Path, row: Row, tries: int) -> dict[str, Any]:
    """Executions per second of both builds, and how many of the instrumented one's the plain one has."""
    programs = {build: directory / f"{row.program}_{row.threads}x{row.rounds}.{build}" for build in BUILDS}
    for build, program in programs.items():
        subprocess.run([BUILDS[build], "-O2", "-g", "-pthread", *row.defines, row.source, "-o", program], check=True)
    one = dict.fromkeys(BUILDS, float("inf"))
    all_of_them = dict.fromkeys(BUILDS, float("inf"))
    executions = dict.fromkeys(BUILDS, 0)
    for _ in range(tries):
        for build, program in programs.items():
            one[build] = min(one[build], search(program, 1)[0])
            seconds, executions[build] = search(program, None)
            all_of_them[build] = min(all_of_them[build], seconds)
    each = {build: (all_of_them[build] - one[build]) / executions[build] for build in BUILDS}
    return {
        "executions": executions,
        "us_per_execution": {build: round(seconds * 1e6, 2) for build, seconds in each.items()},
        "ratio": round(each["instrumented"] / each["plain"], 2),
    }


def is_fast(row: dict[str, Any]) -> bool:
    return bool(row["ratio"] >= LEAST_RATE and len(set(row["executions"].values())) == 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=("scans", "kernels", "searches"), help="one of them; all without it")
    parser.add_argument("--tries", type=int, default=7, help="of each search (default 7)")
    given = parser.parse_args()
    document: dict[str, Any] = {"benchmark": "machine_code", "load_average": [round(one, 2) for one in os.getloadavg()]}
    good = True
    with tempfile.TemporaryDirectory() as name:
        if given.part in (None, "scans"):
            rows = scans(Path(name))
            document |= {"scans": rows}
            good = all(row["seconds"] <= row["limit"] for row in rows.values())
        if given.part in (None, "kernels"):
            rows = kernels(Path(name))
            document |= {"limit": LIMIT, "kernels": rows}
            good = good and all(row["ratio"] <= LIMIT for row in rows.values())
        if given.part in (None, "searches"):
            searches = {row.name: rate(Path(name), row, given.tries) for row in ROWS}
            document |= {"least_rate": LEAST_RATE, "searches": searches}
            good = good and all(is_fast(row) for row in searches.values())
    print(json.dumps(document, indent=2))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
