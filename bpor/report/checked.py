"""Checked: one test of a gate: its result beside what was expected of it. JUnit, SARIF, GitHub and the table are views of these.

Invariant: only the expected verdict is a pass. A search that did not finish is never one, whatever the exit code is mapped to.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from bpor.lazy_dataclass import dataclass
from bpor.report.finding import FindingKind
from bpor.report.result import Result
from bpor.report.verdict import VerdictKind

EXPECTABLE = tuple(kind.value for kind in (VerdictKind.PASS, VerdictKind.BUG, VerdictKind.INCONCLUSIVE, VerdictKind.UNCONTROLLED)) + tuple(
    kind.value for kind in FindingKind
)
_GRAVEST_FIRST = (99, 1, 5, 4, 2, 3, 0)


class Standing(Enum):
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"  # it could not be tested
    SKIPPED = "skipped"  # known not to be a pass, and accepted


@dataclass(frozen=True, slots=True)
class Replayed:
    """A finding of the corpus, tried again."""

    file: str
    state: str  # "still fails", "fixed" or "cannot be replayed"
    why: str = ""
    damaged: bool = False  # the file itself says nothing

    def __str__(self) -> str:
        return f"{self.file}: {self.state}" + (f": {self.why}" if self.why else "")


@dataclass(frozen=True, slots=True)
class Checked:
    name: str
    result: Result
    expected: str = "pass"
    seconds: float = 0.0
    replayed: tuple[Replayed, ...] = ()
    lost: tuple[str, ...] = ()  # what the baseline had and this run has not

    @property
    def standing(self) -> Standing:
        kind, settings = self.result.verdict.kind, self.result.settings
        if self.lost or self.spoilt:
            return Standing.FAILED
        if kind is VerdictKind.INCONCLUSIVE:
            accepted = settings.inconclusive == "pass" or self.expected == kind.value
            return Standing.SKIPPED if accepted else Standing.FAILED
        if kind is VerdictKind.UNCONTROLLED and settings.uncontrolled == "skip":
            return Standing.SKIPPED
        if self.as_expected:
            return Standing.PASSED
        return Standing.FAILED if kind in (VerdictKind.PASS, VerdictKind.BUG) else Standing.ERROR

    @property
    def spoilt(self) -> tuple[Replayed, ...]:
        """Kept bugs of which nobody can say any more whether they are still there."""
        return tuple(one for one in self.replayed if one.damaged)

    @property
    def as_expected(self) -> bool:
        found = {finding.kind.value for finding in self.result.findings}
        return self.expected == self.result.verdict.kind.value or self.expected in found

    @property
    def summary(self) -> str:
        """Why it stands as it does, in one line."""
        parts = [str(one) for one in self.replayed if one.state == "still fails" or one.damaged]
        parts += [f"less than the baseline: {text}" for text in self.lost]
        if not self.as_expected and self.expected != "pass":
            parts.append(f"expected {self.expected}")
        return "; ".join([*parts, self.result.verdict.statement])

    @property
    def warnings(self) -> tuple[str, ...]:
        found = [str(one) for one in self.replayed if one.state != "still fails"]
        search = self.result.search
        if search is not None and search.counts.threads <= 1 and self.result.verdict.kind is VerdictKind.PASS:
            found.append("nothing to interleave: only one thread ever ran")
        found += [f"suppression not used: {text}" for text in self.result.unused_suppressions]
        return tuple(found)

    @property
    def exit_code(self) -> int:
        standing = self.standing
        if standing in (Standing.PASSED, Standing.SKIPPED):
            return 0
        return self.result.verdict.exit_code(self.result.settings) or (3 if self.spoilt or (self.lost and self.as_expected) else 1)


def gravest(codes: Iterable[int]) -> int:
    """One exit code for many: our own fault first, then bugs, then what could not be tested."""
    found = set(codes)
    return next((code for code in _GRAVEST_FIRST if code in found), 0)
