"""What one execution of a tiny test costs, its search included, in instructions and system calls: no load of the machine changes them.

The target is stopped in the midst of a search and stepped through a number of executions (ptrace), from one call of the keeper's
`bpor_plan_next` to the next. Prints JSON, with the functions that took most; exits 1 if a law is broken (LAWS). The kernel needs 7
microseconds of processor time for each instruction, and a busy machine ten times that: it ends after --seconds, with the executions that
were stepped through by then.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "benchmarks"))

from engines import COUNTER, compile_program  # noqa: E402

LAWS = {"system_calls": 2, "instructions": 200_000}  # per execution, medians, at most
LIBRARY = ROOT / "bpor" / "_native" / "libbpor.so"
MARK = "bpor_plan_next"
PEEK_TEXT, PEEK_USER, SINGLE_STEP, ATTACH, DETACH = 1, 3, 9, 16, 17
RIP = 16 * 8  # in struct user
SYSTEM_CALL = 0x050F

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.restype = ctypes.c_long
_libc.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)


@dataclass
class Symbols:
    """Functions of libbpor.so where one process has it."""

    starts: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    end: int = 0

    def at(self, address: int) -> str:
        if not self.starts or not self.starts[0] <= address < self.end:
            return "(elsewhere)"
        return self.names[bisect_right(self.starts, address) - 1]

    def address(self, name: str) -> int:
        return self.starts[self.names.index(name)]


def symbols_of(pid: int) -> Symbols:
    mapped = [line.split() for line in Path(f"/proc/{pid}/maps").read_text().splitlines() if line.endswith(str(LIBRARY))]
    base = min(int(fields[0].split("-")[0], 16) for fields in mapped)
    listed = subprocess.run(["nm", "-n", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout.splitlines()
    functions = [line.split() for line in listed if line.split()[1] in "tTiIwW"]
    end = max(int(fields[0].split("-")[1], 16) for fields in mapped if "x" in fields[1])
    return Symbols([base + int(one[0], 16) for one in functions], [one[2] for one in functions], end)


def ptrace(request: int, pid: int, address: int = 0, data: int = 0) -> int:
    ctypes.set_errno(0)
    result: int = _libc.ptrace(request, pid, address, data)
    if ctypes.get_errno():
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def steps(pid: int) -> Iterator[int]:
    """Addresses of the instructions that the thread executes, for as long as they are asked for. Signals are passed on."""
    pending = 0
    while True:
        ptrace(SINGLE_STEP, pid, 0, pending)
        _, status = os.waitpid(pid, 0x40000000)  # __WALL
        if not os.WIFSTOPPED(status):
            raise RuntimeError("the target has ended")
        pending = 0 if os.WSTOPSIG(status) in (signal.SIGTRAP, signal.SIGSTOP) else os.WSTOPSIG(status)
        yield ptrace(PEEK_USER, pid, RIP)


@dataclass
class Cost:
    instructions: int = 0
    system_calls: int = 0
    functions: Counter[str] = field(default_factory=Counter)


def count(pid: int, executions: int, seconds: float) -> list[Cost]:
    """Of as many executions as there is time for, and of one at least."""
    until = time.monotonic() + seconds
    symbols = symbols_of(pid)
    begins = symbols.address(MARK)
    calls: dict[int, bool] = {}  # is the instruction at this address a system call?
    found: list[Cost] = []
    ptrace(ATTACH, pid)
    os.waitpid(pid, 0x40000000)
    try:
        for address in steps(pid):
            if address == begins:
                if len(found) > executions or (len(found) > 1 and time.monotonic() > until):
                    break
                found.append(Cost())
            if not found:
                continue
            cost = found[-1]
            cost.instructions += 1
            cost.functions[symbols.at(address)] += 1
            if address not in calls:
                calls[address] = ptrace(PEEK_TEXT, pid, address) & 0xFFFF == SYSTEM_CALL
            cost.system_calls += calls[address]
    finally:
        ptrace(DETACH, pid)
    return found[:-1]


def process_of(executable: str, search: subprocess.Popen[bytes]) -> int:
    """The process that runs the executable, once there is one."""
    wanted = os.path.realpath(executable)
    while search.poll() is None:
        for process in Path("/proc").glob("[0-9]*/exe"):
            with contextlib.suppress(OSError):
                if os.readlink(process) == wanted:
                    return int(process.parent.name)
        time.sleep(0.05)
    raise RuntimeError("the search has ended")


def measure(executable: str, executions: int, seconds: float) -> list[Cost]:
    options = ["--bound=none", "--search=dpor", "--no-known-steps", "--reset=rollback", "--state=none", "--quiet"]
    search = subprocess.Popen([sys.executable, "-m", "bpor", *options, executable], cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        pid = process_of(executable, search)
        time.sleep(0.5)  # tables and pages that one execution after another needs are there from now on
        return count(pid, executions, seconds)
    finally:
        search.terminate()
        search.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executions", type=int, default=15, help="that are stepped through (default 15)")
    parser.add_argument("--seconds", type=float, default=60, help="after which no further one is (default 60)")
    parser.add_argument("--functions", type=int, default=12, help="that are named (default 12)")
    parser.add_argument("program", nargs="?", help="instead of the mutex counter with 5 threads")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        costs = measure(chosen.program or compile_program(COUNTER, directory, "-DTHREADS=5"), chosen.executions, chosen.seconds)
    functions: Counter[str] = Counter()
    for cost in costs:
        functions.update(cost.functions)
    medians = {name: statistics.median(getattr(cost, name) for cost in costs) for name in LAWS}
    laws = {} if chosen.program else LAWS
    broken = [f"{name}: {medians[name]}, and not at most {law}" for name, law in laws.items() if medians[name] > law]
    most = {name: round(total / len(costs)) for name, total in functions.most_common(chosen.functions)}
    document = {"benchmark": "execution_cost", "executions": len(costs), "per_execution": medians, "by_function": most, "broken": broken}
    print(json.dumps(document, indent=2))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
