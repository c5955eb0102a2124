"""What a search keeps in memory, beside what `--max-memory` allows it: prints JSON, and exits 1 if a process that searches kept more.

Of each process the largest resident set is taken, without what it shares with files (program text, libraries), while the mutex counter
with 6 threads is searched without a bound by `--cluster local:2`, for as long as told.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.cluster import built  # noqa: E402

PROGRAM, DEFINES = "correct/mutex/counter.c", ["-DTHREADS=6"]
EVERY = 0.5  # seconds


def kept(process: psutil.Process) -> int:
    """Bytes of its own that are resident: anonymous memory, and what is shared with other processes of the search."""
    text = Path(f"/proc/{process.pid}/status").read_text("ascii", "replace")
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return sum(int(fields[name].split()[0]) for name in ("RssAnon", "RssShmem") if name in fields) << 10


def is_searching(process: psutil.Process, program: str) -> bool:
    """A member, or the program that it runs."""
    return "bpor.cluster.member" in " ".join(process.cmdline()) or Path(process.exe()).name == Path(program).name


def measured(program: str, memory: str, seconds: int) -> dict[str, object]:
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        words = [sys.executable, "-m", "bpor", "run", "--cluster", "local:2", "--bound", "none", "--max-memory", memory]
        words += ["--max-time", f"{seconds}s", "--state", "none", "-q", "--json", report.name, "--", program]
        search = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL)
        largest = 0
        while search.poll() is None:
            for one in psutil.Process(search.pid).children(recursive=True):
                try:
                    largest = max(largest, kept(one) if is_searching(one, program) else 0)
                except (psutil.Error, OSError):
                    continue  # it has just ended
            time.sleep(EVERY)
        told = json.loads(Path(report.name).read_text("utf-8"))
    names = ("executions", "distinct_traces", "distinct_traces_estimated", "distinct_traces_error", "local_states")
    return {"max_memory": memory, "largest_resident_bytes": largest} | {name: told[name] for name in names}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--memory", default="256M", help="in M")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        found = measured(built(Path(directory), PROGRAM, DEFINES), given.memory, given.seconds)
    print(json.dumps(found))
    largest = found["largest_resident_bytes"]
    return int(not isinstance(largest, int) or largest > int(given.memory.removesuffix("M")) << 20)


if __name__ == "__main__":
    sys.exit(main())
