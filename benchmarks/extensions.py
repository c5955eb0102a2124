"""Executions of one pytest test under control against starting the test anew each time, in one run.

The extension is that of tests/native/extension_cases; the test has two threads with three calls each. Starting anew is measured before and
after, so that a machine whose load changes treats both alike. Prints JSON: rates for `python -m pytest` and for `python script.py`, their
ratios, and the ratios of processor time, which do not depend on what else the machine does: without what `pytest --bpor` takes for a test
that explores nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROBE = ROOT / "tests" / "native" / "extension_cases" / "probe.c"
BODY = """
    bpor.threads(*[lambda: [probe.safe() for _ in range(3)]] * 2)
    assert probe.get() == 6
"""
TEST = f"import probe\nimport pytest\n\n@pytest.mark.bpor(bound='preemption:2')\ndef test_it(bpor):{BODY}"
SCRIPT = """
import threading
import probe

threads = [threading.Thread(target=lambda: [probe.safe() for _ in range(3)]) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert probe.get() == 6
"""


def environment() -> dict[str, str]:
    """Byte code is kept, as everywhere but in a container that forbids it: else starting anew would be slower than it is."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": "-p no:cacheprovider"}


@dataclass(frozen=True)
class Cost:
    wall: float
    processor: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.wall + other.wall, self.processor + other.processor)


def measured(directory: str, *arguments: str) -> tuple[Cost, str]:
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([sys.executable, *arguments], cwd=directory, env=environment(), check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(time.perf_counter() - begun, processor), run.stdout


def started(directory: str, times: int, *arguments: str) -> Cost:
    """That many processes, one after another."""
    return sum((measured(directory, *arguments)[0] for _ in range(times)), Cost(0, 0))


def explored(directory: str) -> tuple[int, Cost]:
    """Schedules of the test and what they cost: the wall time of the test, its templates included, and the processor time of pytest."""
    cost, said = measured(directory, "-m", "pytest", "--bpor", "--durations=1", "-vv", "test_it.py")
    seconds = next(float(line.split("s ")[0]) for line in said.splitlines() if "s call " in line)
    schedules = next(line.split(": ")[1].split(" schedules")[0] for line in said.splitlines() if " schedules; pass" in line)
    return int(schedules), Cost(seconds, cost.processor)


def build(directory: Path) -> None:
    compiler = ROOT / "bpor" / "_native" / "bpor-cc"
    include = f"-I{sysconfig.get_path('include')}"
    subprocess.run([compiler, "-g", "-O1", "-shared", "-fPIC", include, "-o", directory / "probe.so", PROBE], check=True)
    (directory / "test_it.py").write_text(TEST)
    (directory / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
    (directory / "script.py").write_text(SCRIPT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=4, help="of python, each way (default 4)")
    half = max(parser.parse_args().starts // 2, 1)
    ways = {"python -m pytest": ("-m", "pytest", "-q", "test_it.py"), "python script.py": ("script.py",)}
    with tempfile.TemporaryDirectory() as directory:
        build(Path(directory))
        explored(directory)  # byte code
        before = {name: started(directory, half, *words) for name, words in ways.items()}
        once, _ = measured(directory, "-m", "pytest", "--bpor", "test_nothing.py")
        schedules, cost = explored(directory)
        after = {name: started(directory, half, *words) for name, words in ways.items()}
    report: dict[str, object] = {
        "benchmark": "extensions",
        "schedules": schedules,
        "per_s": round(schedules / cost.wall, 1),
        "processor_ms": round((cost.processor - once.processor) / schedules * 1000, 2),
    }
    for name in ways:
        anew = before[name] + after[name]
        report[name] = {
            "per_s": round(2 * half / anew.wall, 2),
            "ratio": round(anew.wall / (2 * half) / (cost.wall / schedules), 1),
            "processor_ratio": round(anew.processor / (2 * half) / ((cost.processor - once.processor) / schedules), 1),
        }
    print(json.dumps({**report, "load_average": os.getloadavg()[0]}, indent=2))


if __name__ == "__main__":
    main()
