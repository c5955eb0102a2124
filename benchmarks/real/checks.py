"""Where rows contradict each other or what was judged by hand: a false pass, a false alarm, or a bug of ours until somebody has looked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.real.build import BUILDS
from benchmarks.real.row import FAILED, Row
from benchmarks.real.subjects import Subject

_ENDINGS = ("pass", "bug", "inconclusive", "uncontrolled", FAILED)


def contradictions(subjects: Sequence[Subject], rows: Mapping[tuple[str, str], Row]) -> Iterator[str]:
    for subject in subjects:
        both = [rows[subject.name, how] for how in BUILDS if (subject.name, how) in rows]
        for row in both:
            if row.verdict not in _ENDINGS:
                yield f"{row.name}, {row.how}: ended with {row.verdict!r}: {row.says}"
            if row.found:
                yield f"{row.name}, {row.how}: passes, and a random search finds {'; '.join(row.found)}"
        found = [row.how for row in both if row.verdict == "bug"]
        passed = [row.how for row in both if row.verdict == "pass"]
        if found and subject.judged == "false":
            yield f"{subject.name}, {found[0]}: a false alarm"
        elif found and passed and not subject.judged:
            yield f"{subject.name}: passes {passed[0]}, has a finding {found[0]}, and nobody has said why"
