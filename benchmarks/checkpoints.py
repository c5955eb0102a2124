"""What checkpoints save where executions have something long before their first conflict: 5 ms of arithmetic, or 10,000 steps.

Prints JSON: µs of processor time per execution without and with them, within one run, and the ratios; exits 1 if a law is broken (LAWS).
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "benchmarks"))

from engines import compile_program, processor_time  # noqa: E402

from bpor.model.plan import Plan  # noqa: E402
from bpor.search.bounds import parse_bound  # noqa: E402
from bpor.search.budget import Budget  # noqa: E402
from bpor.search.explorer import Explorer  # noqa: E402
from bpor.search.options import SAMPLED, SearchOptions  # noqa: E402
from bpor.search.registry import make_strategy  # noqa: E402
from bpor.target.exploring import ExploringExecutor  # noqa: E402
from bpor.target.options import TargetOptions  # noqa: E402

SOURCE = ROOT / "benchmarks" / "checkpoints.c"
PROGRAMS = {"compute": ("-DCOMPUTE=4000000", "-DSTEPS=0"), "steps": ("-DCOMPUTE=0", "-DSTEPS=10000")}
LAWS = {"compute": 10.0, "steps": 10.0}  # times, at least
EXECUTIONS = 2_000  # one of 64 begins at the fork point all the same


def microseconds(executable: str, checkpoints: str) -> float:
    options = SearchOptions(engine="native", states_cap=SAMPLED, max_steps=50_000)
    with ExploringExecutor([executable], TargetOptions(reset="rollback", checkpoints=checkpoints)) as executor:
        executor.run(Plan(stop_after_prefix=True))
        before = processor_time(executor)
        strategy = make_strategy("dpor", parse_bound("none"), options)
        result = Explorer(executor, strategy, Budget(max_executions=EXECUTIONS)).run()
        return (processor_time(executor) - before) / result.executions * 1e6


def main() -> int:
    rows: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as directory:
        for name, flags in PROGRAMS.items():
            executable = compile_program(SOURCE, directory, *flags)
            off, on = microseconds(executable, "off"), microseconds(executable, "on")
            rows[name] = {"us_without": round(off, 1), "us_with": round(on, 1), "ratio": round(off / on, 1)}
    broken = [name for name, law in LAWS.items() if rows[name]["ratio"] < law]
    print(json.dumps({"benchmark": "checkpoints", **rows, "broken": broken}, indent=2))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
