"""`python -m tests.native.soak_states SECONDS [SEED]`: random programs with loops, races and locks, with states recognised and without:
the same kinds of failures within the same bound, and no livelock that is none.

Some of them by fork, too, where states must be the same as by rollback, and so each count.

Searches that do not end within some thousand executions are not compared, but whatever they find the other must find too. Prints what
differs, and exits 1 if anything does.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from bpor.model.trace import Outcome
from bpor.search.budget import SearchStop
from bpor.search.options import MEMORY, OFF, SearchOptions
from bpor.target.options import TargetOptions
from tests.native.compiled import compiled
from tests.native.engines import Run, run

MOST, MOST_FORKED = 4000, 200  # executions of one search
TARGET = TargetOptions(watchdog=5)
BOUNDS = ("none", "none", "preemption:0", "preemption:1", "preemption:2", "fair:1", "fair:2,preemption:1")
PLAIN = ("w0", "W0", "r0", "r0", "w1", "r1")
ATOMIC = ("sx", "zx", "Sx", "Zx", "sy", "Sy", "lx", "Lx", "ly", "Ly", "cx", "Cx", "ax", "p0", "y_")
ENDLESS = "&"


@dataclass(frozen=True, slots=True)
class Sample:
    threads: tuple[str, ...]
    wrong: int
    bound: str

    @property
    def argv(self) -> list[str]:
        return [str(self.wrong), *self.threads]


def _words(source: random.Random, endless: bool) -> str:
    words: list[str] = []
    while len(words) < source.randint(2, 5):
        kind = source.random()
        if kind < 0.3:
            words.append(source.choice(PLAIN))
        elif kind < 0.65:
            words.append(source.choice(ATOMIC))
        elif kind < 0.75:
            words += ["m_", source.choice((*PLAIN, *ATOMIC)), "u_"]
        elif kind < 0.88:
            words += [source.choice(("lx", "Lx", "cx", "ly", "t_")), "?1", source.choice((*PLAIN, *ATOMIC))]
        else:
            words += [source.choice(("lx", "Lx", "cx", "t_")), (ENDLESS if endless else "*") + "1"]
    return " ".join(words) + " "


def _without_a_trace(source: random.Random) -> tuple[str, ...]:
    """One thread does something, or not, that its state does not show; only then is there a race, or is there none: the two ways must not
    be taken for one."""
    loads, signals = ("lx", "Lx"), ("sx", "Sx", "ax")
    optional = ["Ly", "?1", source.choice(("p0", "r0", "lx", "w0", "Lx", "cx"))]
    threads = [
        [*optional, source.choice(signals)] if source.random() < 0.7 else [source.choice(("w0", "r0")), source.choice(signals)],
        ["Sy", "Zy"],
        [*(optional if source.random() < 0.3 else ()), source.choice(loads), "&1", source.choice(("w0", "r0", "p0"))],
    ]
    if source.random() < 0.4:
        threads.append([source.choice(loads), "&1", source.choice(("Sx", "sx", "ax", "w0"))])
    source.shuffle(threads)
    return tuple(" ".join(words) + " " for words in threads)


def draw(source: random.Random) -> Sample:
    if source.random() < 0.5:
        return Sample(_without_a_trace(source), 9, source.choice(("none", "none", "preemption:2", "fair:2")))
    endless = source.random() < 0.4
    threads = tuple(_words(source, endless) for _ in range(source.choice((2, 2, 3))))
    return Sample(threads, source.randint(0, 3), source.choice(BOUNDS))


def player() -> Path:
    """Linked before it runs: else the first call of each function is a change of memory, which only rollback sees to itself."""
    return compiled(Path(__file__).with_name("loops.c"), ["-Wl,-z,now"], instrumented=True)


def kinds(found: Run) -> set[Outcome]:
    """A livelock is found only where states are known, or under a fair bound."""
    return {failure.trace.end.outcome for failure in found.result.failures if failure.livelock is None}


def counted(found: Run) -> tuple[object, ...]:
    """What must be the same however executions are reset."""
    return kinds(found), found.result.stop, found.result.counts, len(found.result.failures)


def by_reset(sample: Sample, program: Path, most: int) -> list[Run]:
    """States recognised after rollback and after fork."""
    options = SearchOptions(max_steps=2000, match=MEMORY)
    targets = (TARGET, replace(TARGET, reset="fork"))
    return [run("native", [str(program), *sample.argv], sample.bound, most, options, target) for target in targets]


def attempt(sample: Sample, program: Path) -> tuple[str, bool]:
    """What differs (empty: nothing), and whether both came to their ends."""
    argv = [str(program), *sample.argv]
    fair = "fair:2" if ENDLESS in "".join(sample.threads) and sample.bound == "none" else sample.bound  # it must end
    plain = run("native", argv, fair, MOST, SearchOptions(max_steps=200, match=OFF), TARGET)
    states = run("native", argv, sample.bound, MOST, SearchOptions(max_steps=2000, match=MEMORY), TARGET)
    if not states.result.exhausted and states.result.stop is not SearchStop.EXHAUSTED:
        return "", False
    whole = plain.result.stop is SearchStop.EXHAUSTED and plain.result.counts.cut == 0 and fair == sample.bound
    missed = kinds(plain) - kinds(states)
    more = kinds(states) - kinds(plain) if whole else set()
    return (f"missed {missed}, more {more}" if missed or more else ""), whole


def main() -> int:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 40)
    print(f"soak of states: {seconds:g} seconds from seed {seed}", flush=True)
    program, counts, end = player(), Counter[str](), time.monotonic() + seconds
    while time.monotonic() < end:
        seed += 1
        sample = draw(random.Random(seed))
        found, whole = attempt(sample, program)
        counts["tried"] += 1
        counts["compared as a whole"] += whole
        if not found and seed % 4 == 0:
            rolled_back, forked = by_reset(sample, program, MOST_FORKED)
            found = "" if counted(forked) == counted(rolled_back) else f"by fork {counted(forked)}, by rollback {counted(rolled_back)}"
            counts["by fork"] += 1
        if found:
            counts["wrong"] += 1
            print(f"seed {seed}: {sample}: {found}", flush=True)
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    return int(counts["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
