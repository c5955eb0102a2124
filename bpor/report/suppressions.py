"""Suppressions in ThreadSanitizer's syntax: `deadlock:transfer`, one a line, `#` comments.

A pattern matches a function, a source file or an object file of any frame that the finding is about. `*` stands for anything, `^` and `$`
tie it to the begin and the end, otherwise it may match anywhere (compiler-rt's TemplateMatch). Invariant: a line that is not understood
is an error; one that matched nothing can be told from one that did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from bpor.errors import UsageError
from bpor.lazy_dataclass import dataclass
from bpor.model.trace import Description
from bpor.report.finding import Finding, FindingKind, SourceSite

LIMIT = 1 << 20
# tsan's words for what we call otherwise.
_TSAN = {"mutex": FindingKind.MISUSE, "race_top": FindingKind.RACE}
_FOREIGN = ("thread", "signal", "called_from_lib")  # of tsan, about what we never report


@dataclass(frozen=True, slots=True)
class Suppression:
    kind: FindingKind | None  # None: for tsan only
    pattern: str
    text: str  # the line, for people
    top: bool = False  # only the innermost frames

    def matches(self, finding: Finding) -> bool:
        if self.kind is not finding.kind:
            return False
        return any(map(self.matches_name, _names(finding, self.top)))

    def matches_end(self, finding: Finding) -> bool:
        """By where the failing thread stood alone, and the one that it met there."""
        stack = finding.stack[:1] if self.top else (*finding.stack, *finding.other_stack)
        return self.kind is finding.kind and any(map(self.matches_name, _names_of(stack)))

    def matches_name(self, name: str) -> bool:
        return _expression(self.pattern).search(name) is not None


def read_suppressions(path: str) -> tuple[Suppression, ...]:
    try:
        with open(path, "rb") as stream:
            data = stream.read(LIMIT + 1)
    except OSError as error:
        raise UsageError(f"--suppressions {path}: {error.strerror}") from None
    if len(data) > LIMIT:
        raise UsageError(f"--suppressions {path}: larger than {LIMIT} bytes")
    return parse_suppressions(data.decode("utf-8", "surrogateescape"), path)


def parse_suppressions(text: str, name: str = "suppressions") -> tuple[Suppression, ...]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        word, colon, pattern = line.partition(":")
        if not colon or not pattern:
            raise UsageError(f"{name}:{number}: {line!r} is not KIND:PATTERN, such as deadlock:transfer")
        if word in _FOREIGN:
            continue  # the same file serves tsan
        if word not in _TSAN and word not in {kind.value for kind in FindingKind}:
            raise UsageError(f"{name}:{number}: {word!r} is not one of {', '.join([*FindingKind, *_TSAN, *_FOREIGN])}")
        found.append(Suppression(_TSAN.get(word) or FindingKind(word), pattern.strip(), line, word == "race_top"))
    return tuple(found)


def matching(finding: Finding, suppressions: Sequence[Suppression]) -> Suppression | None:
    return next((one for one in suppressions if one.matches(finding)), None)


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    begin, end = pattern.startswith("^"), pattern.endswith("$")
    body = pattern[begin : len(pattern) - end if len(pattern) > begin else None]
    return re.compile(("^" if begin else "") + ".*".join(map(re.escape, body.split("*"))) + ("$" if end else ""), re.DOTALL)


def _names(finding: Finding, top: bool) -> set[str]:
    names = _names_of(_top_sites(finding) if top else _sites(finding))
    return names if top else names | _objects(finding) - {""}


def _names_of(sites: Iterable[SourceSite]) -> set[str]:
    return {name for site in sites for name in (site.function, site.file, Path(site.file).name) if name}


def _top_sites(finding: Finding) -> Iterable[SourceSite]:
    return [site for site in (finding.site, *finding.stack[:1]) if site is not None]


def _sites(finding: Finding) -> Iterable[SourceSite]:
    """Where it failed; for a deadlock, where everybody in the cycle waits and took what the next one wants."""
    yield from _top_sites(finding)
    yield from finding.stack
    yield from finding.other_stack
    for thread in finding.threads:
        if thread.number in finding.cycle or (thread.blocked and not finding.cycle):
            yield from thread.stack
            places = [thread.site, *(held.step.site for held in thread.held if held.step is not None)]
            yield from (site for site in places if site is not None)


def _objects(finding: Finding) -> set[str]:
    """The program and the libraries that the stacks lead through, by path and by name."""
    addresses = set(finding.trace.end.stack) | {step.operation.site for step in finding.trace.steps[-1:]}
    for thread in finding.cycle:
        last = max((n for t, n in finding.description.stacks if t == thread), default=None)
        addresses |= set(finding.description.stacks.get((thread, last), ())) if last is not None else set()
    paths = {path for address in addresses if address for path in [_module(address, finding.description)] if path}
    return paths | {Path(path).name for path in paths}


def _module(address: int, description: Description) -> str:
    below = [(base, path) for base, path in description.modules if base <= address]
    return max(below, default=(0, ""))[1]
