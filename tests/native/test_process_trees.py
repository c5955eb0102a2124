"""Random process trees: forks, execs, orphans and waits, with threads in none, one or several of the processes.

What the verdict must be is said by a model of the tree, which knows who has threads, who is alive beside whom and whose status reaches the
first process. Every way of starting anew must agree with it. `python -m tests.native.test_process_trees SECONDS` tries as many as it can.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bpor.api import check
from bpor.report.result import Result
from tests.native.compiled import compiled

pytestmark = pytest.mark.needs("gcc")
RESETS = ("auto", "fork", "exec")
STARTS = "wicoxp"
THREADS = "gbd"
FEW = 5


@dataclass
class Process:
    """`deeds`: letters, and (how, process) for those that it starts. `then`: what it goes on as, by exec."""

    deeds: list[str | tuple[str, Process]] = field(default_factory=list)
    then: Process | None = None
    quick: bool = False

    def __str__(self) -> str:
        done = "".join(deed if isinstance(deed, str) else f"{deed[0]}({deed[1]})" for deed in self.deeds)
        return "q" * self.quick + done + (f"e({self.then})" if self.then else "")

    def images(self) -> Iterator[Process]:
        """The programs that one process is, one after the other."""
        yield self
        if self.then:
            yield from self.then.images()

    def starts(self) -> list[tuple[str, Process]]:
        return [deed for deed in self.deeds if not isinstance(deed, str)]

    def own_threads(self) -> list[str]:
        return [deed for image in self.images() for deed in image.deeds if isinstance(deed, str) and deed in THREADS]

    def family(self) -> Iterator[tuple[str, Process]]:
        """How it was started, and each process, this one first."""
        yield "", self
        for image in self.images():
            for how, child in image.starts():
                for deeper, process in child.family():
                    yield deeper or how, process


def random_process(chance: random.Random, depth: int = 0) -> Process:
    process = Process(quick=chance.random() < 0.2)
    for _ in range(chance.choice((0, 1, 1, 2, 3) if depth else (1, 1, 2, 3))):
        roll = chance.random()
        if roll < 0.3:
            process.deeds.append(chance.choice("ggbbd"))
        elif roll < 0.38:
            process.deeds.append("1")
        elif depth < 3:
            process.deeds.append((chance.choice(STARTS), random_process(chance, depth + 1)))
    if depth < 3 and chance.random() < 0.1:
        process.then = random_process(chance, depth + 1)
    return process


# ---- the model ----


def status(process: Process, lost: Process | None) -> int:
    """With which it ends if an update is lost in `lost`, and nowhere else."""
    images = list(process.images())
    found = 2 * any(deed == "1" for deed in images[-1].deeds)
    found |= process is lost and "b" in images[-1].deeds
    for how, child in images[-1].starts():
        found |= status(child, lost) if how not in "io" else 0
    return found


def takes_turns(top: Process) -> bool:
    """No process with threads is there beside another: none is an orphan or waited for later, none starts another behind its own threads,
    and none becomes another program."""
    for how, process in top.family():
        threaded = any(one.own_threads() for _, one in process.family())
        if (how in ("c", "o") and threaded) or (process.then and threaded):
            return False
        seen = False
        for deed in process.deeds:
            if isinstance(deed, str):
                seen |= deed in THREADS
            elif seen and any(one.own_threads() for _, one in deed[1].family()):
                return False
    return True


def in_turn(process: Process) -> list[Process]:
    """Those with threads, in the order in which they make the first."""
    found: list[Process] = []
    for deed in process.deeds:
        if not isinstance(deed, str):
            found += in_turn(deed[1])
        elif deed in THREADS and process not in found:
            found.append(process)
    return found


def expected(top: Process, which: int) -> str:
    """`which`: --process; 0: without."""
    threaded = [process for _, process in top.family() if process.own_threads()]
    if len(threaded) > 1 and not which:
        return "uncontrolled"
    if not threaded:
        return "bug" if status(top, None) else "pass"
    one = in_turn(top)[which - 1] if which else threaded[0]
    orphan = next(how for how, process in top.family() if process is one) == "o"
    failing = any(process is not one and status(process, None) for process in threaded)

    def judged(lost: Process | None) -> int:
        return status(top, lost) or (status(one, lost) if orphan else 0)

    if judged(None) and failing and not status(one, None):
        return "uncontrolled"
    return "bug" if "d" in one.own_threads() or judged(None) or judged(one) else "pass"


def leaves_threads(top: Process) -> bool:
    """Some program that has made threads becomes another one, whose end nobody tells: everything but a pass is right."""
    images = (image for _, process in top.family() for image in process.images() if image.then)
    return any(isinstance(deed, str) and deed in THREADS for image in images for deed in image.deeds)


# ---- trying ----


def tried(program: Path, top: Process, reset: str, which: int) -> Result:
    return check([str(program), str(top)], bound="preemption:1", reset=reset, process=which, watchdog=5.0)


def differences(program: Path, top: Process) -> list[str]:
    if leaves_threads(top):
        results = [tried(program, top, reset, 0) for reset in RESETS]
        return [f"'{top}': {result.verdict.statement}" for result in results if result.verdict.kind.value == "pass"]
    threaded = sum(bool(process.own_threads()) for _, process in top.family())
    several = range(1, threaded + 1) if threaded > 1 and takes_turns(top) else ()
    found = []
    for which in (0, *several):
        wanted = expected(top, which)
        for reset in RESETS if not which else RESETS[:1]:
            result = tried(program, top, reset, which)
            if result.verdict.kind.value != wanted:
                found.append(f"'{top}' --reset {reset} --process {which}: not {wanted} but {result.verdict.statement}")
    return found


def program() -> Path:
    return compiled(Path(__file__).with_name("process_tree.c"))


@pytest.mark.parametrize("seed", range(FEW))
def test_the_verdict_on_a_random_process_tree_is_what_the_tree_says(seed: int) -> None:
    assert differences(program(), random_process(random.Random(seed))) == []


def main(seconds: float) -> int:
    until, seed, found = time.monotonic() + seconds, int(time.time()), 0
    first = seed
    while time.monotonic() < until:
        for text in differences(program(), random_process(random.Random(seed))):
            found += 1
            print(f"seed {seed}: {text}", flush=True)
        seed += 1
    print(f"{seed - first} process trees, {found} differences")
    return found > 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
