"""Executions per second of one pytest test under control against starting the test anew each time, in one run.

The extension is that of tests/native/extension_cases; the test has two threads with one call each. Starting anew is measured before and after,
so that a machine whose load changes treats both alike. Prints JSON: rates and ratios for `python -m pytest` and for `python script.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROBE = ROOT / "tests" / "native" / "extension_cases" / "probe.c"
BODY = """
    bpor.threads(*[lambda: [probe.safe() for _ in range(3)]] * 2)
    assert probe.get() == 6
"""
TEST = f"import probe\nimport pytest\n\n@pytest.mark.bpor(bound='preemption:1')\ndef test_it(bpor):{BODY}"
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


def started(directory: str, times: int, *arguments: str) -> float:
    """Seconds for that many processes, one after another."""
    begun = time.perf_counter()
    for _ in range(times):
        subprocess.run([sys.executable, *arguments], cwd=directory, env=environment(), check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def explored(directory: str) -> tuple[int, float]:
    """Schedules of the test and the seconds that the test took, its templates included."""
    command = [sys.executable, "-m", "pytest", "-q", "--bpor", "--durations=1", "-vv", "--junitxml=report.xml", "test_it.py"]
    said = subprocess.run(command, cwd=directory, env=environment(), check=True, capture_output=True, text=True).stdout
    seconds = next(float(line.split("s ")[0]) for line in said.splitlines() if "s call " in line)
    schedules = next(line.split(": ")[1].split(" schedules")[0] for line in said.splitlines() if " schedules; pass" in line)
    return int(schedules), seconds


def build(directory: Path) -> None:
    compiler = ROOT / "bpor" / "_native" / "bpor-cc"
    include = f"-I{sysconfig.get_path('include')}"
    subprocess.run([compiler, "-g", "-O1", "-shared", "-fPIC", include, "-o", directory / "probe.so", PROBE], check=True)
    (directory / "test_it.py").write_text(TEST)
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
        schedules, seconds = explored(directory)
        after = {name: started(directory, half, *words) for name, words in ways.items()}
    rate = schedules / seconds
    report: dict[str, object] = {"schedules": schedules, "per_s": round(rate, 1), "load": os.getloadavg()[0]}
    for name in ways:
        anew = 2 * half / (before[name] + after[name])
        report[name] = {"per_s": round(anew, 2), "ratio": round(rate / anew, 1)}
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
