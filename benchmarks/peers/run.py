"""Our searches beside those of the peers that this machine has: unbounded, processor time, the least of five alternated runs.

    python -m benchmarks.peers.run [--relacy DIR] [--runs 5] [--json FILE] [--markdown FILE]

genmc and mcmini are taken from the PATH, Relacy from the directory that has relacy/relacy.hpp. Without peers there are our own
rows.
`seconds` is processor time of the whole command with all its processes; `searching` is the same less what the trivial program costs with
that tool (start, and compiling where the tool compiles). Without --json the JSON is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers.rows import ROWS, TRIVIAL, Row
from benchmarks.peers.tools import Tool, tools_here

LIMIT = 30  # seconds of processor time of each process of a run: a busy machine must not end one
LEAST = 0.01  # seconds: what less is, the clock of processes cannot tell


@dataclass(frozen=True)
class Run:
    seconds: float
    status: int
    output: str


def installed(directory: Path) -> dict[str, str]:
    """Python's modules are compiled once, by the first of several runs, as they are by whoever installs the tool."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(directory / "bytecode")}


def run(argv: Sequence[str], directory: Path) -> Run | None:
    """Processor seconds of a command and of every process that it waited for; None if it did not end in time."""
    with (directory / "output").open("w+") as output:
        limited = ["prlimit", f"--cpu={LIMIT}:{LIMIT + 1}", *argv]
        process = subprocess.Popen(limited, stdout=output, stderr=output, stdin=subprocess.DEVNULL, cwd=directory, env=installed(directory))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        if process.returncode == -signal.SIGXCPU:
            return None
        return Run(usage.ru_utime + usage.ru_stime, process.returncode, output.read())


def least_of(times: int, tools: Sequence[Tool], row: Row, directory: Path) -> dict[str, Run | None]:
    """The quickest run of each tool that has the row; tools take turns, so that a busy minute hits all of them."""
    commands = {tool.name: argv for tool in tools if (argv := tool.prepare(row, directory)) is not None}
    best: dict[str, Run | None] = {}
    for _ in range(times):
        for name, argv in commands.items():
            if name in best and best[name] is None:
                continue  # it did not end in time: once is enough
            one, before = run(argv, directory), best.get(name)
            best[name] = one if one is None or before is None or one.seconds < before.seconds else before
    return best


def cell(tool: Tool, one: Run | None, start: Run | None) -> dict[str, Any]:
    if one is None or start is None:
        return {"seconds": None, "searching": None, "executions": None, "status": None}
    searching = max(one.seconds - start.seconds, LEAST)
    return {
        "seconds": round(one.seconds, 3),
        "searching": round(searching, 3),
        "executions": tool.executions(one.output),
        "status": one.status,
    }


def measure(tools: Sequence[Tool], runs: int) -> dict[str, dict[str, dict[str, Any]]]:
    table: dict[str, dict[str, dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        start = least_of(runs, tools, TRIVIAL, directory)
        for row in (TRIVIAL, *ROWS):
            best = start if row is TRIVIAL else least_of(runs, tools, row, directory)
            table[row.name] = {tool.name: cell(tool, best[tool.name], start[tool.name]) for tool in tools if tool.name in best}
    return table


def words(one: dict[str, Any] | None) -> str:
    if one is None:
        return "-"
    if one["seconds"] is None:
        return f"> {LIMIT} s"
    return f"{one['searching']:.3f} ({one['executions']})"


def markdown(table: dict[str, dict[str, dict[str, Any]]], tools: Sequence[Tool]) -> str:
    """Searching seconds and executions; the row of the trivial program has whole seconds."""
    names = [tool.name for tool in tools]
    lines = ["| program | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    lines.append("| start | " + " | ".join(f"{table[TRIVIAL.name][name]['seconds']:.3f}" for name in names) + " |")
    for row in ROWS:
        lines.append(f"| {row.name} | " + " | ".join(words(table[row.name].get(name)) for name in names) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--relacy", type=Path, help="the directory that has relacy/relacy.hpp")
    parser.add_argument("--runs", type=int, default=5, help="how often each command is run (default 5)")
    parser.add_argument("--json", type=Path, help="where the table goes as JSON (default: printed)")
    parser.add_argument("--markdown", type=Path, help="where the table goes as Markdown")
    options = parser.parse_args()
    if options.relacy and not (options.relacy / "relacy" / "relacy.hpp").exists():
        parser.error(f"{options.relacy} has no relacy/relacy.hpp")
    tools = tools_here(options.relacy.resolve() if options.relacy else None)
    table = measure(tools, options.runs)
    load = [round(one, 2) for one in os.getloadavg()]
    text = json.dumps({"benchmark": "peers", "load_average": load, "rows": table}, indent=2, ensure_ascii=False)
    if options.json:
        options.json.write_text(text + "\n", "utf-8")
    else:
        print(text)
    if options.markdown:
        options.markdown.write_text(markdown(table, tools), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
