"""`python -m tests.native.soak_cluster SECONDS [SEED [PROGRAMS [CLUSTERS]]]`: random C programs and those of native_tests, searched by
one process and by clusters of 1, 2, 4 and 8 workers: the same counts, kinds of findings and verdict, word by word. For SECONDS:

random  PROGRAMS (200) random programs that have parts to be handed out, each by all four clusters without known steps, and by one with
native  every program of native_tests, but not by clusters that have twice as many workers as it has executions
all     both

CLUSTERS: so many of the four, drawn for each program.

Executions and steps are compared within bounds and without known steps: whom a table spares an execution depends on whose table it is, and
the default search alternates between two trees, and may try in either order whether states come back (docs/cluster.md). As long as it is
told to run, every member is repeated by another one, and none may be said to lie.

Prints what differs, and how many members took part; exits 1 if anything differs.
"""

from __future__ import annotations

import collections
import itertools
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bpor.cluster import connection, host, jury, recovering, remote
from bpor.search.engine import beside_tree
from tests.native import quick_members
from tests.native.compiled import compiled
from tests.native.expectations import Program
from tests.native.random_c import Sentence, c_source
from tests.native.test_cluster import make_cluster, on_cluster
from tests.native.test_programs import ALL
from tests.native.tool import Run, run_inside

SIZES = (1, 2, 4, 8)
DEFAULT = ""  # search: no bound is given
BOUNDS = (DEFAULT, "none", "preemption:1", "preemption:2", "fair:2,preemption:1")
SHOWN_EVERY = 25  # programs
RANDOM = 200  # programs, if all are to be compared
PLAIN = [one for one in ALL if not one.args and not one.options and one.expectations]
LEAST, MOST = 30, 5000  # executions of a search of a random program that is compared
COUNTED = ("verdict", "statement", "threads")
COUNTED_IN_TRACES = ("distinct_traces", "local_states")  # of a search that does not recognise states
COUNTED_WITHOUT_TABLE = ("executions", "steps", "redundant", "over_bound", "cut", "levels")
LIMITED = ("--max-executions", str(MOST), "--max-time", "30s", "--keep-going")


OWN = (  # which one process has no reason to say
    r"\[\d+\]|; not all files that it asks for were compared with those of the workers"
    r"|; its workers were believed, because threads share files"
)
FOUND_IN = r"found in \d+ (executions?|traces?)"
OF_THE_BOUND = r" within (fair:\d+,)?preemption:\d+| with ≤ \d+ preemptions?"


def facts(run: Run, counted: Sequence[str], *varying: str) -> Any:
    """Whatever a search tells that does not depend on who did which part of it, nor on the numbers of processes."""
    return run.exit_code, run.kinds, *(re.sub("|".join((OWN, *varying)), "", str(run.report.get(name))) for name in counted)


def ended(run: Run) -> bool:
    return run.exit_code in (0, 1) and run.report["executions"] < MOST and all(level["complete"] for level in run.report["levels"])


def random_program(draw: random.Random, directory: Path) -> Path:
    """In every fourth one the main thread leaves."""
    seed = draw.randrange(1 << 30)
    source = directory / f"program{seed}.c"
    source.write_text(c_source(Sentence(seed, threads=(4, 4), sections=(2, 4)).threads(), seed % 4 == 3))
    return compiled(source, ["-Wno-unused-variable"])


def built(program: Program) -> Path:
    defines = [f"-D{define}" for define in program.expectations[0].defines]
    return compiled(program.path, [*program.flags, *defines], program.instrumented)


class Comparison:
    """The clusters, what was compared by how many workers, and what differed."""

    def __init__(self) -> None:
        self._cluster, places = make_cluster(max(SIZES)), connection.Connection.places
        self._tried = dict.fromkeys(SIZES, 0)
        self._took_part: collections.Counter[int] = collections.Counter()
        self._slow = 0
        self._knew_more = 0  # that a bound refused nothing that matters: only one of the two
        self._found: list[str] = []
        self._opened = 0  # members, of the search that runs
        opens = remote.RemoteMember._open

        def count(member: remote.RemoteMember) -> None:
            self._opened += 1
            opens(member)

        remote.RemoteMember._open = count  # type: ignore[method-assign]
        self._size = 0  # of the cluster that searches: so many workers of the largest
        connection.Connection.places = lambda one: places(one)[: self._size]  # type: ignore[method-assign]
        host.Host._start = quick_members.start  # type: ignore[assignment,method-assign]

    def of(self, program: Path, bound: str, known_steps: bool, sizes: Sequence[int], least: int = 1) -> bool:
        """False: it has fewer executions than `least`, and was not compared."""
        options = (*(["--bound", bound] if bound else []), *([] if known_steps else ["--no-known-steps"]), *LIMITED)
        alone = run_inside(program, (), ["--state", "none", *options])
        if not ended(alone) or alone.report["executions"] < least:
            return False
        counted = [*COUNTED, *COUNTED_IN_TRACES, *(COUNTED_WITHOUT_TABLE if bound and not known_steps else ())]
        for size in sizes if len(sizes) == 1 else [size for size in sizes if size < 2 * alone.report["executions"]]:
            self._compare(program, options, alone, counted, size)
        return True

    def _compare(self, program: Path, options: Sequence[str], alone: Run, counted: Sequence[str], size: int) -> None:
        self._opened, self._size = 0, size
        there = on_cluster(program, self._cluster.scheduler_address, *options)
        if not ended(there) and (there.exit_code == alone.exit_code or "--max-time" in there.report.get("statement", "")):
            self._slow += 1  # a machine that is busy: what was not searched is not compared
            return
        self._tried[size] += 1
        self._took_part[self._opened] += 1
        matched = bool(alone.report["matched"] or there.report["matched"])
        counted = [name for name in counted if not matched or name not in COUNTED_IN_TRACES]
        varying = (FOUND_IN,) if matched and "executions" not in counted else ()
        before, now = (facts(run, counted, *varying) for run in (alone, there))
        if before != now and facts(alone, counted, OF_THE_BOUND, *varying) == facts(there, counted, OF_THE_BOUND, *varying):
            self._knew_more += 1
        elif before != now or "lied" in there.stdout:
            self._found.append(f"{program} {' '.join(options)}: {before} alone, {now} by {size} workers: {there.stderr}")
            print(self._found[-1], flush=True)

    def __str__(self) -> str:
        members = ", ".join(f"{count} by {number}" for number, count in sorted(self._took_part.items()))
        counts = f"{len(self._found)} differences; only one knew that a bound refused nothing: {self._knew_more}; not in time: {self._slow}"
        return f"comparisons, by workers: {self._tried} ({members} members); {counts}"

    def end(self) -> int:
        self._cluster.close()
        print(self)
        return bool(self._found)


def compare_for(seconds: float, draw: random.Random, directory: Path, comparison: Comparison) -> None:
    jury.SHARE, recovering.INTERVAL, recovering.TURN = 1, 0.0, 0.5  # type: ignore[misc]  # everybody is repeated, and lots are drawn often
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        program = random_program(draw, directory) if draw.random() < 0.5 else built(draw.choice(PLAIN))
        comparison.of(program, draw.choice(BOUNDS), draw.random() < 0.5, [draw.choice(SIZES)])


def compare_each(programs: Iterable[Path], draw: random.Random, comparison: Comparison, clusters: int, least: int = 1) -> Iterator[Path]:
    """Those that were compared."""
    for program in programs:
        bound = draw.choice(BOUNDS)
        if comparison.of(program, bound, False, sorted(draw.sample(SIZES, clusters)), least):
            comparison.of(program, bound, True, [draw.choice(SIZES)])
            yield program


def show(compared: Iterable[Path], comparison: Comparison) -> None:
    for number, _ in enumerate(compared, 1):
        if number % SHOWN_EVERY == 0:
            print(f"{number} programs: {comparison}", flush=True)


def main(how_long: str, seed: int, programs: int, clusters: int) -> int:
    if find_spec("distributed") is None:
        print("clusters are not compared: needs dask.distributed (pip install 'bpor-native[cluster]')")
        return 0
    remote._SLOWER, beside_tree._SHORT = 1, 0.0001  # type: ignore[misc]  # short batches: more is handed out
    draw, comparison = random.Random(seed), Comparison()
    with tempfile.TemporaryDirectory() as directory:
        if how_long in ("random", "all"):
            endless = (random_program(draw, Path(directory)) for _ in itertools.count())
            show(itertools.islice(compare_each(endless, draw, comparison, clusters, LEAST), programs), comparison)
        if how_long in ("native", "all"):
            show(compare_each(map(built, PLAIN), draw, comparison, clusters), comparison)
        if how_long not in ("random", "native", "all"):
            compare_for(float(how_long), draw, Path(directory), comparison)
    return comparison.end()


if __name__ == "__main__":
    given = dict(enumerate(sys.argv))
    sys.exit(main(given[1], int(given.get(2, time.time())), int(given.get(3, RANDOM)), int(given.get(4, len(SIZES)))))
