"""Random programs with inputs that are left open, assumptions and calls that may fail, strewn into those of random_programs."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.property.random_programs import Sample, from_random

_OPEN = (
    "choose 2",
    "choose 2",
    "choose 3",
    "choose 2; if Wx",
    "choose 2; assert",
    "choose 2; refute",
    "choose 3; assume",
    "Rx; assume",
    "Ry; unless Wx",
)
_FAILING = ("fault", "fault; if Wx", "fault eintr", "fault eintr; if Rx", "fault; unless Wy", "fault; if assert")


def with_choices(source: random.Random, spinning: bool = False, max_operations: int = 7) -> Sample:
    sample = from_random(source, spinning, max_operations)
    threads = [[part for part in body.strip().split("; ") if part] for body in sample.text.split("|")]
    for _ in range(source.randint(1, 3)):
        thread = source.choice(threads)
        at = source.randint(0, len(thread))
        thread[at:at] = source.choice(_OPEN if source.random() < 0.5 else _FAILING).split("; ")
    text = " | ".join("; ".join(thread) for thread in threads)
    return replace(sample, text=text, semantics=replace(sample.semantics, faults=source.randint(0, 2)))
