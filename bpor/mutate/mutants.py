"""Mutants of one program, and what the search says of each.

A mutant that fails in some schedule is noticed: a test covers that synchronisation. A mutant that passes as the program did is not noticed.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

from bpor import api
from bpor.errors import BporError, UsageError
from bpor.lazy_dataclass import dataclass, replace
from bpor.model.plan import Plan
from bpor.model.trace import Description
from bpor.mutate.calls import Call, Calls
from bpor.mutate.sites import SINGLE, Sites
from bpor.native_target import native_target
from bpor.report.finding import SourceSite
from bpor.report.names import Names
from bpor.report.result import Result
from bpor.report.verdict import VerdictKind
from bpor.settings import Settings
from bpor.target.program import inspect_program

SAMPLES = 200  # executions that show which calls there are
SAMPLE_SECONDS = 10.0
WATCHDOG = 3.0  # seconds: a wait that became nothing often is an endless loop


class Fate(Enum):
    NOTICED = "noticed"
    UNNOTICED = "NOT NOTICED"
    UNCLEAR = "unclear"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Mutant:
    what: str  # "critical section", "wait", ...
    sites: tuple[SourceSite, ...]
    calls: tuple[Call, ...] = ()
    why_not: str = ""  # not tried

    def __str__(self) -> str:
        places = ", ".join(dict.fromkeys(site.with_function for site in self.sites))
        return f"{self.what} at {places}"


@dataclass(frozen=True, slots=True)
class Tried:
    mutant: Mutant
    fate: Fate
    reason: str

    def __str__(self) -> str:
        return f"{self.fate.value}: {self.mutant}: {self.reason}"


def mutants_of(argv: Sequence[str], settings: Settings) -> list[Mutant]:
    """From random executions of the program. Raises UsageError for a script: there is no file to change."""
    program = inspect_program(argv[0])
    if program.is_script:
        raise UsageError(f"{argv[0]}: a script; name the program that it starts")
    sites = Sites()
    sampling = replace(settings, bound=None, search="random", max_executions=SAMPLES, max_time=SAMPLE_SECONDS, keep_going=True)
    api.check(argv, sampling, observers=[sites])
    with native_target(argv, settings).open() as executor:
        _, description = executor.describe(Plan(stop_after_prefix=True))
    return merged(_Maker(program.path, description).mutants(sites))


def merged(mutants: Iterable[Mutant]) -> list[Mutant]:
    """One per place of the source: the compiler may have made several calls of it (an unrolled loop, a function inlined twice)."""
    found: dict[str, Mutant] = {}
    for mutant in mutants:
        known = found.get(str(mutant))
        found[str(mutant)] = (
            mutant if known is None else replace(known, calls=known.calls + mutant.calls, why_not=known.why_not or mutant.why_not)
        )
    return list(found.values())


class _Maker:
    def __init__(self, path: str, description: Description) -> None:
        self._calls = Calls(path)
        self._names = Names(description)
        self._bases = sorted(description.modules)
        self._path = path

    def mutants(self, sites: Sites) -> Iterator[Mutant]:
        for section in sites.sections:
            why = "a condition is waited for inside it, which needs the lock" if section & sites.waited_in else ""
            yield self._mutant("critical section", sorted(section), ("lock",), why)
        for site, kind in sorted(sites.single.items()):
            yield self._mutant(SINGLE[kind], [site], _WORDS.get(SINGLE[kind], (SINGLE[kind],)))

    def _mutant(self, what: str, addresses: list[int], words: tuple[str, ...], why: str = "") -> Mutant:
        places = tuple(next(iter(self._names.stack((address,))), SourceSite(function=f"{address:#x}")) for address in addresses)
        calls: list[Call] = []
        for address in addresses:
            call = self._call(address)
            if call is None or not any(word in call.name for word in words):
                return Mutant(what, places, (), why or "the call is in a library, inlined into one, or a jump")
            calls.append(call)
        return Mutant(what, places, tuple(calls), why)

    def _call(self, address: int) -> Call | None:
        base, path = max(((base, path) for base, path in self._bases if base <= address), default=(0, ""))
        return self._calls.before(address - base) if path == self._path else None


_WORDS = {"semaphore wait": ("wait",), "post": ("post",)}


def try_mutants(
    mutants: Sequence[Mutant], argv: Sequence[str], settings: Settings, share: Callable[[int], float | None]
) -> Iterator[Tried]:
    """`share(n)`: the seconds for the next one, with n to come (itself included)."""
    calls = Calls(inspect_program(argv[0]).path)
    for number, mutant in enumerate(mutants):
        if mutant.why_not:
            yield Tried(mutant, Fate.NOT_TRIED, mutant.why_not)
            continue
        limited = replace(settings, max_time=share(len(mutants) - number), watchdog=min(settings.watchdog, WATCHDOG))
        with _copy(argv[0], calls.without(mutant.calls)) as copy:
            try:
                yield Tried(mutant, *judged(api.check([copy, *argv[1:]], limited)))
            except BporError as error:
                yield Tried(mutant, Fate.UNCLEAR, str(error))


def judged(result: Result) -> tuple[Fate, str]:
    """Whether a search noticed the mutant, and how."""
    kind = result.verdict.kind
    if kind is VerdictKind.BUG:
        return Fate.NOTICED, result.findings[0].summary
    if kind is VerdictKind.PASS:
        return Fate.UNNOTICED, f"{result.verdict.reason.partition(';')[0]} pass without it"
    if kind is VerdictKind.UNCONTROLLED and result.search is not None and result.search.executions:
        return Fate.NOTICED, f"it hangs: {result.verdict.reason}"
    return Fate.UNCLEAR, result.verdict.statement


@contextmanager
def _copy(program: str, contents: bytes) -> Iterator[str]:
    """Under the same name elsewhere; libraries that the program finds beside itself are still found."""
    path = inspect_program(program).path
    with tempfile.TemporaryDirectory(prefix="bpor-mutant-") as directory:
        copy = Path(directory) / os.path.basename(path)
        copy.write_bytes(contents)
        copy.chmod(0o700)
        before = os.environ.get("LD_LIBRARY_PATH")
        os.environ["LD_LIBRARY_PATH"] = ":".join([*_beside(path), *([before] if before else [])])
        try:
            yield str(copy)
        finally:
            os.environ.pop("LD_LIBRARY_PATH")
            if before is not None:
                os.environ["LD_LIBRARY_PATH"] = before


def _beside(path: str) -> list[str]:
    """The program's own search path with $ORIGIN replaced."""
    with open(path, "rb") as stream:
        dynamic = ELFFile(stream).get_section_by_name(".dynamic")
        if not isinstance(dynamic, DynamicSection):
            return []
        tags = [tag for tag in dynamic.iter_tags() if tag.entry.d_tag in ("DT_RUNPATH", "DT_RPATH")]
        paths = [str(getattr(tag, "runpath", None) or getattr(tag, "rpath", "")) for tag in tags]
    origin = os.path.dirname(path)
    entries = [entry for path in paths for entry in path.split(":") if entry]
    return [entry.replace("${ORIGIN}", origin).replace("$ORIGIN", origin) for entry in entries]
