"""Random programs of plain accesses, in every build: what comes out is exactly what some order of their accesses makes.

The model knows no rule of the search, of the race detector or of patched code: it runs every order. `python -m
tests.native.test_plain_against_model SECONDS [SEED]` takes as many programs as there is time for.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest

from tests.native.compiled import compiled
from tests.native.tool import run_inside

pytestmark = pytest.mark.needs("gcc")

SOURCE = Path(__file__).parent / "plain.c"
PLACES, MUTEX_FREE = 5, -1
AS_PLAIN = {"g": "r", "l": "r", "m": "r", "s": "w", "p": "w"}  # by assembler, which only machine code tells
OUTSIDE = "g"  # of any function, where an instrumented program does not see it
BUILDS: dict[str, tuple[tuple[str, ...], bool, tuple[str, ...]]] = {
    "plain": ((), False, ()),
    "fixed addresses": (("-no-pie", "-fno-pie"), False, ()),
    "optimised": (("-O2",), False, ()),
    "instrumented": ((), True, ("--races=explore",)),
}

Step = tuple[str, int, int]  # what, which place, of a write the value


def steps_of(text: str, number: int) -> tuple[Step, ...]:
    """Accesses one by one: an update reads and writes, and so does a copy, of which only the first word is ever looked at."""
    found: list[Step] = []
    writes = 0
    letters = iter(text)
    for letter in letters:
        if letter in "LU":
            found.append((letter, 0, 0))
        elif letter == "c":
            found += [("get", int(next(letters)), 0), ("give", int(next(letters)), 0)]
        else:
            place = int(next(letters))
            letter = AS_PLAIN.get(letter, letter)
            writes += letter == "w"
            if letter == "u":
                found += [("get", place, 0), ("put", place, 0)]
            else:
                found.append((letter, place, 100 * number + writes))
    return tuple(found)


def outcomes(texts: tuple[str, ...]) -> frozenset[str]:
    """What every order prints."""
    threads = [steps_of(text, number) for number, text in enumerate(texts, 1)]
    begin = (tuple(0 for _ in threads), (0,) * PLACES, tuple(() for _ in threads), tuple(0 for _ in threads), MUTEX_FREE)
    seen, todo, ends = {begin}, [begin], set()
    while todo:
        at, memory, reads, kept, owner = todo.pop()
        if all(position == len(steps) for position, steps in zip(at, threads, strict=True)):
            ends.add(" ".join(map(str, [*(value for one in reads for value in one), *memory])))
        for thread, steps in enumerate(threads):
            if at[thread] == len(steps):
                continue
            what, place, other = steps[at[thread]]
            words, mine, held, holder = list(memory), list(reads), list(kept), owner
            if what == "L":
                if owner != MUTEX_FREE:
                    continue
                holder = thread
            elif what == "U":
                holder = MUTEX_FREE
            elif what == "r":
                mine[thread] = (*reads[thread], memory[place])
            elif what == "w":
                words[place] = other
            elif what == "get":
                held[thread] = memory[place]
            else:
                words[place] = kept[thread] + (what == "put")
            next_at = (*at[:thread], at[thread] + 1, *at[thread + 1 :])
            state = (next_at, tuple(words), tuple(mine), tuple(held), holder)
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return frozenset(ends)


def draw(source: random.Random) -> tuple[str, ...]:
    places = source.sample(range(PLACES), 2)
    kinds = "rrwwuc" + "".join(AS_PLAIN) * source.randrange(2)

    def op() -> str:
        what = source.choice(kinds)
        return what + "".join(str(place) for place in (source.sample(places, 2) if what == "c" else [source.choice(places)]))

    def text() -> str:
        ops = [op() for _ in range(source.randint(1, 3))]
        if source.random() < 0.3:
            first = source.randrange(len(ops))
            ops[first:] = ["L", *ops[first:], "U"]
        return "".join(ops)

    return tuple(text() for _ in range(source.choice((2, 2, 3))))


def printed(texts: tuple[str, ...], build: str) -> frozenset[str]:
    flags, instrumented, options = BUILDS[build]
    run = run_inside(compiled(SOURCE, flags, instrumented), list(texts), ["--bound", "none", "--outcomes", "--memory=sc", *options])
    assert run.exit_code == 0, (texts, build, run)
    return frozenset(one["stdout"].strip() for one in run.report["outcomes"])


def differences(texts: tuple[str, ...]) -> list[str]:
    expected = outcomes(texts)
    outside = any(OUTSIDE in text for text in texts)
    found = {build: printed(texts, build) for build, (_, instrumented, _) in BUILDS.items() if not (outside and instrumented)}
    wrong = {build: got for build, got in found.items() if got != expected}
    return [f"{build}: {texts}: missed {sorted(expected - got)}, beyond {sorted(got - expected)}" for build, got in wrong.items()]


def test_the_model_knows_a_lost_update() -> None:
    assert outcomes(("u0", "u0")) == {"1 0 0 0 0", "2 0 0 0 0"}
    assert outcomes(("Lu0U", "Lu0U")) == {"2 0 0 0 0"}


@pytest.mark.parametrize("texts", [("u3", "u3"), ("r4c40", "w4w0"), ("Lw2Ur0", "w0Lr2U"), ("g0m3", "s0p3"), ("Lp3U", "r3")])
def test_a_plain_program_does_what_some_order_does(texts: tuple[str, ...]) -> None:
    assert differences(texts) == []


@pytest.mark.parametrize("seed", range(3))
def test_random_plain_programs_do_what_some_order_does(seed: int) -> None:
    assert differences(draw(random.Random(seed))) == []


def main(seconds: float, seed: int) -> int:
    end, programs, wrong = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end:
        found = differences(draw(random.Random(seed + programs)))
        programs += 1
        wrong += bool(found)
        for line in found:
            print(f"seed {seed + programs - 1}: {line}", flush=True)
    print(f"plain accesses against the model: {programs} programs in {len(BUILDS)} builds, {wrong} wrong")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
