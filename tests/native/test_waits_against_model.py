"""Random C programs over locks and barriers against the oracle of the same simulated program: traces and deadlocks must be equal.

The text of the simulated program is the only source; the C is a translation of it, operation by operation.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import bpor
from bpor.simulate.bounds import Combined
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from bpor.simulate.program import Semantics
from tests.native.compiled import compiled

pytestmark = pytest.mark.needs("gcc")

SEEDS = range(10)
BOUNDS: tuple[int | None, ...] = (None, 0, 1)

CALLS = {
    "rdlock": "pthread_rwlock_rdlock(&{})",
    "wrlock": "pthread_rwlock_wrlock(&{})",
    "tryrdlock": "pthread_rwlock_tryrdlock(&{})",
    "trywrlock": "pthread_rwlock_trywrlock(&{})",
    "timedrdlock": "pthread_rwlock_timedrdlock(&{}, &later)",
    "timedwrlock": "pthread_rwlock_timedwrlock(&{}, &later)",
    "rdunlock": "pthread_rwlock_unlock(&{})",
    "wrunlock": "pthread_rwlock_unlock(&{})",
    "lock": "pthread_spin_lock(&{})",
    "trylock": "pthread_spin_trylock(&{})",
    "unlock": "pthread_spin_unlock(&{})",
    "barrier": "pthread_barrier_wait(&{})",
}
PROLOGUE = """
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
static pthread_rwlock_t k = PTHREAD_RWLOCK_INITIALIZER, l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t m, n;
static pthread_barrier_t b;
static const struct timespec later = {4000000000, 0};
"""


class Sentence:
    """Draws threads of well-formed sections. A writer never asks for its own lock again: libc answers that with EDEADLK, where a
    simulated lock blocks."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def threads(self) -> list[list[str]]:
        return [self._thread() for _ in range(self._random.randint(2, 3))]

    def _thread(self) -> list[str]:
        return [word for _ in range(self._random.randint(1, 2)) for word in self._section(True)]

    def _section(self, may_nest: bool) -> list[str]:
        rwlock, spin = self._random.choice("kl"), self._random.choice("mn")
        inner = self._section(False) if may_nest and self._random.random() < 0.3 else []
        elsewhere = [word for word in inner if word.split()[-1] != rwlock]
        return self._random.choice(
            [
                [f"rdlock {rwlock}", *inner, f"rdunlock {rwlock}"],
                [f"wrlock {rwlock}", *elsewhere, f"wrunlock {rwlock}"],
                [f"rdlock {rwlock}", f"rdlock {rwlock}", f"rdunlock {rwlock}", f"rdunlock {rwlock}"],
                [f"tryrdlock {rwlock}", f"if rdunlock {rwlock}"],
                [f"trywrlock {rwlock}", f"if wrunlock {rwlock}"],
                [f"timedrdlock {rwlock}", f"if rdunlock {rwlock}"],
                [f"timedwrlock {rwlock}", f"if wrunlock {rwlock}"],
                [f"lock {spin}", *inner, f"unlock {spin}"],
                [f"trylock {spin}", f"if unlock {spin}"],
                ["barrier b"],
            ]
        )


def statement(operation: str) -> str:
    verb, *words = operation.split()
    if verb == "if":
        return f"if (last == 0) {statement(' '.join(words))}"
    remember = "last = " if verb.startswith(("try", "timed")) else ""
    return f"{remember}{CALLS[verb].format(words[0])};"


def c_source(threads: list[list[str]]) -> str:
    bodies = "".join(
        f"static void *t{number}(void *unused) {{ int last = 0; (void)last; {' '.join(map(statement, thread))} return unused; }}\n"
        for number, thread in enumerate(threads)
    )
    numbers = range(len(threads))
    create = " ".join(f"pthread_create(&t[{number}], 0, t{number}, 0);" for number in numbers)
    join = " ".join(f"pthread_join(t[{number}], 0);" for number in numbers)
    init = "pthread_barrier_init(&b, 0, 2); pthread_spin_init(&m, 0); pthread_spin_init(&n, 0);"
    return f"{PROLOGUE}{bodies}int main(void) {{ pthread_t t[{len(threads)}]; {init} {create} {join} return 0; }}\n"


@pytest.mark.parametrize("timeouts", ["idle", "explore"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_program_has_the_traces_that_its_model_has(seed: int, timeouts: str, tmp_path: Path) -> None:
    threads = Sentence(seed).threads()
    text = " | ".join("; ".join(thread) for thread in threads)
    source = tmp_path / "program.c"
    source.write_text(c_source(threads))
    program = compiled(source, ["-Wno-unused-variable"])
    for bound in BOUNDS:
        oracle = Oracle(parse(text), Semantics(explore_timeouts=timeouts == "explore"))
        truth = oracle.explore(None if bound is None else Combined(bound))
        result = bpor.check([str(program)], bound="none" if bound is None else f"preemption:{bound}", timeouts=timeouts, keep_going=True)
        assert result.search is not None
        found = {str(finding.kind.value) for finding in result.findings}
        assert (result.search.counts.distinct_traces, found) == (truth.traces, {"deadlock"} if truth.deadlocks else set()), (text, bound)
