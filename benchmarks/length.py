"""How the time of an execution grows with its length: 10 to 1,000,000 steps, beside the program. Prints JSON.

Processor time of the target, rollback and search included, after a warm-up: what an execution costs does not depend on who else uses the
machine. `us_per_step` of long executions must not grow with their length (`growth`: the longest against one of a hundredth).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.executing import seconds_per_execution  # noqa: E402

LENGTHS = (10, 100, 1000, 10_000, 100_000, 1_000_000)
LIMIT = 2.0  # caches make long ones a little dearer
PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int steps;
static void pass(pthread_mutex_t *through)
{
    pthread_mutex_lock(through);
    pthread_mutex_unlock(through);
}
static void *alone(void *unused)
{
    for (int i = 0; i < steps / 2; i++)
        pass(&mutex);
    pass(&other);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    steps = argc > 1 ? atoi(argv[1]) : 10;
    pthread_create(&thread, NULL, alone, NULL);
    pass(&other);
    pthread_join(thread, NULL);
    return 0;
}
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5, help="processor time per length (default 0.5)")
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as directory:
        source, program = Path(directory) / "long.c", str(Path(directory) / "long")
        source.write_text(PROGRAM)
        subprocess.run(["cc", "-g", "-O1", "-pthread", "-o", program, source], check=True)
        each = {steps: seconds_per_execution([program, str(steps)], seconds) for steps in LENGTHS}
    rows = [
        {"steps": steps, "us_per_execution": round(one * 1e6, 1), "us_per_step": round(one / steps * 1e6, 3)} for steps, one in each.items()
    ]
    growth = each[LENGTHS[-1]] / each[LENGTHS[-3]] / (LENGTHS[-1] / LENGTHS[-3])
    load = [round(one, 2) for one in os.getloadavg()]
    print(json.dumps({"benchmark": "length", "load_average": load, "lengths": rows, "growth": round(growth, 2), "limit": LIMIT}, indent=2))
    return 0 if growth <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
