"""A cluster beside `-j`: what a search costs there, what its messages cost, and how far it would scale (cluster_scale.py). Prints JSON;
`--plot FILE` writes the speed-up as SVG.

Processor seconds, of all processes together: how long it takes depends on who else uses the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.cluster_scale import Costs, depths, seconds  # noqa: E402
from bpor.cluster import remote  # noqa: E402
from bpor.cluster.member import Answer  # noqa: E402
from bpor.model.trace import Trace  # noqa: E402
from bpor.report.plot import Axis, lines  # noqa: E402
from bpor.search.bounds import parse_bound  # noqa: E402
from bpor.search.options import SearchOptions  # noqa: E402
from bpor.search.registry import make_strategy  # noqa: E402
from bpor.target.executor import NativeExecutor  # noqa: E402

PROGRAMS = {  # source, defines, bound
    "mutex counter 4": ("correct/mutex/counter.c", ["-DTHREADS=4"], "none"),
    "mutex counter 5, 3 preemptions": ("correct/mutex/counter.c", ["-DTHREADS=5"], "preemption:3"),
    "mutex counter 6, 1 preemption": ("correct/mutex/counter.c", ["-DTHREADS=6"], "preemption:1"),
    "queue of two consumers": ("correct/condition/queue_two_consumers.c", [], "none"),
    "thread pool": ("correct/condition/thread_pool.c", [], "none"),
}
WORKERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
MOST = 40_000  # executions of a program
REPEATED = 200  # messages whose cost is measured
EXECUTIONS = (0.01, 1.0)  # seconds: a test that does something, and one that does much


def built(directory: Path, source: str, defines: Sequence[str]) -> str:
    program = directory / "_".join([Path(source).stem, *defines])
    subprocess.run(["cc", "-g", "-O1", "-pthread", *defines, "-o", program, ROOT / "native_tests" / source], check=True)
    return str(program)


def prefixes(program: str, bound: str) -> list[tuple[int, ...]]:
    """The schedules of its executions, in the order of the search."""
    strategy = make_strategy("bpor", parse_bound(bound), SearchOptions(), 0)
    found = []
    with NativeExecutor([program]) as executor:
        while len(found) < MOST and (plan := strategy.next_plan()) is not None:
            trace = executor.run(plan)
            found.append((*plan.prefix[: trace.first], *(step.thread for step in trace.steps)))
            strategy.learn(trace)
    return found


def cost_of(program: str, bound: str, *options: str) -> dict[str, float]:
    words = [sys.executable, "-m", "bpor", *options, "--bound", bound, "--state", "none", "-q", "--json", "/dev/stdout", "--", program]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(run.stdout[run.stdout.index("{") :])
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"executions": report["executions"], "distinct": report["distinct_traces"], "cpu_s": round(spent, 2)}


class Messages:
    """What RemoteMember sends and hears, weighed."""

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.heard: list[int] = []
        self.client = 0.0  # its processor time for one, in seconds

    def watch(self) -> None:
        real = remote.RemoteMember._heard

        def heard(member: Any, method: str, message: Any) -> Any:
            self.sent.append(len(message) if isinstance(message, bytes) else len(pickle.dumps(message)))
            value = real(member, method, message)
            self.heard.append(len(pickle.dumps(Answer(value))))
            if isinstance(value, Trace) and not self.client:
                begun = time.process_time()
                for _ in range(REPEATED):
                    real(member, "ask", pickle.dumps(("save", (0,)), protocol=5))
                self.client = (time.process_time() - begun) / REPEATED
            return value

        remote.RemoteMember._heard = heard  # type: ignore[method-assign]


def messages_of(program: str, bound: str) -> dict[str, float]:
    from bpor import api
    from bpor.cluster.members import Members
    from bpor.settings import Settings

    weighed = Messages()
    weighed.watch()
    settings = Settings(bound=bound, cluster="local:2")
    with Members((program,), settings) as members:
        api.check((program,), Settings(bound=bound, workers=members.size), elsewhere=members)
    count = len(weighed.sent)
    return {
        "messages": count,
        "bytes_of_an_order": round(sum(weighed.sent) / count),
        "largest_order": max(weighed.sent),
        "bytes_of_an_answer": round(sum(weighed.heard) / count),
        "largest_answer": max(weighed.heard),
        "client_ms_per_message": round(1000 * weighed.client, 2),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plot", help="write the speed-up as SVG")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        programs = {name: (built(Path(directory), source, defines), bound) for name, (source, defines, bound) in PROGRAMS.items()}
        measured = programs["mutex counter 5, 3 preemptions"]
        ways = (("-j", "1"), ("-j", "2"), ("--cluster", "local:1"), ("--cluster", "local:2"))
        costs = {" ".join(way): cost_of(*measured, *way) for way in ways}
        messages = messages_of(*measured)
        trees = {name: depths(prefixes(program, bound)) for name, (program, bound) in programs.items()}
    message = messages["client_ms_per_message"] / 1000
    rows = {
        f"{name}, {each:g} s": {
            workers: round((len(shared) + 1) * each / seconds(shared, workers, Costs(message, 0.001, each)), 2) for workers in WORKERS
        }
        for each in EXECUTIONS
        for name, shared in trees.items()
    }
    if arguments.plot:
        series = {name: [(float(workers), speed) for workers, speed in row.items()] for name, row in rows.items()}
        series["one for each"] = [(float(workers), float(workers)) for workers in WORKERS]
        text = lines("Speed-up, simulated", Axis("workers", log=True), Axis("times one process", log=True), series)
        Path(arguments.plot).write_text(text)
    load = [round(one, 2) for one in os.getloadavg()]
    sizes = {name: len(shared) + 1 for name, shared in trees.items()}
    told = {"benchmark": "cluster", "load_average": load, "costs": costs, "messages": messages, "executions": sizes, "speed_up": rows}
    print(json.dumps(told, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
