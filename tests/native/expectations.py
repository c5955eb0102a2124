"""What a native test program says about itself: the comment lines on top of its file, as values.

Grammar, one directive per `//` line (other `//` lines before the first directive are the purpose):

    expect: WHAT                       a run without --bound
    bound BOUND: WHAT                  a run with --bound BOUND; `preemption:0..3` is four runs
    with NAME=VALUE [NAME=VALUE ...], (expect|bound ...): WHAT     the same, compiled with -DNAME=VALUE
    says: TEXT                         every run that is not a plain pass mentions it in its statement or a finding's message
    args: / options: / flags: WORDS    of the program / of the tool / of the compiler
    compiler: bpor                     built with `bpor-native cc`, so that its accesses of memory are seen
    needs: FUNCTION|FAMILY ...         collected only once the table of intercepted functions has them
    machine: NAME                      only on this machine type

WHAT is `pass`, `inconclusive`, `uncontrolled`, kinds of findings joined by `and`, or `inconclusive with` kinds that are in doubt, then
`, traces N` (exact; for a bug it implies
--keep-going) and `, slow`. Invariant: a line that looks like a directive and is none is an error, never a comment.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

KINDS = frozenset({"deadlock", "livelock", "assertion", "crash", "terminate", "exit", "race", "misuse", "memory", "nonlinearizable"})
EXIT_CODES = {"pass": 0, "bug": 1, "inconclusive": 3, "uncontrolled": 4}

_RUN = re.compile(r"(?:with (?P<defines>[^,:]+), )?(?:expect|bound (?P<bound>\S+)): (?P<what>.+)")
_RANGE = re.compile(r"(?<=:)(\d+)\.\.(\d+)")
_IN_DOUBT = "inconclusive with "
_WORDS = re.compile(r"(?P<name>says|compiler|args|options|flags|needs|machine): (?P<words>.+)")
_SUSPICIOUS = re.compile(r"(?:with|expect|bound|says|compilers?|args|options?|flags?|needs?|machine)\b[^.]*:|\w+: ")


@dataclass(frozen=True, slots=True)
class Expectation:
    """One run of the tool and how it must end."""

    verdict: str
    kinds: frozenset[str] = frozenset()
    bound: str | None = None
    defines: tuple[str, ...] = ()
    traces: int | None = None
    slow: bool = False

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]

    def __str__(self) -> str:
        return " ".join((*self.defines, self.bound or "default"))


@dataclass(frozen=True, slots=True)
class Program:
    """A file of native_tests/ and its directives."""

    path: Path
    purpose: str
    expectations: tuple[Expectation, ...]
    says: tuple[str, ...] = ()
    compiler: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    machine: tuple[str, ...] = ()

    @property
    def instrumented(self) -> bool:
        return bool(self.compiler)


def read_program(path: Path) -> Program:
    return parse_program(path, path.read_text(encoding="utf-8"))


def parse_program(path: Path, text: str) -> Program:
    """Raises ValueError with file and line."""
    purpose: list[str] = []
    expectations: list[Expectation] = []
    words: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("//"):
            break
        content = line.removeprefix("//").strip()
        try:
            if run := _RUN.fullmatch(content):
                expectations += _expectations(run)
            elif given := _WORDS.fullmatch(content):
                name = given["name"]
                words[name] = words.get(name, ()) + ((given["words"],) if name == "says" else tuple(shlex.split(given["words"])))
            elif expectations or words or _SUSPICIOUS.match(content):
                raise ValueError(f"{content!r} is not a directive")
            else:
                purpose.append(content)
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from None
    if words.get("compiler", ("bpor",)) != ("bpor",):
        raise ValueError(f"{path}:1: the only compiler there is to choose is `bpor`")
    if not purpose or not expectations:
        raise ValueError(f"{path}:1: a program opens with its purpose and at least one expectation")
    return Program(path, " ".join(purpose), tuple(expectations), **words)


def _expectations(run: re.Match[str]) -> list[Expectation]:
    """One for each bound of the line."""
    what, *qualities = run["what"].split(", ")
    doubt = what.removeprefix(_IN_DOUBT)
    kinds = frozenset(doubt.split(" and "))
    verdict = what if not kinds <= KINDS else "bug" if doubt == what else _IN_DOUBT.split()[0]
    if verdict not in EXIT_CODES:
        raise ValueError(f"{what!r} is neither a verdict nor a kind of finding")
    traces, slow = None, False
    for quality in qualities:
        if quality == "slow":
            slow = True
        elif match := re.fullmatch(r"traces (\d+)", quality):
            traces = int(match[1])
        else:
            raise ValueError(f"{quality!r} is neither `traces N` nor `slow`")
    defines = tuple((run["defines"] or "").split())
    found = kinds & KINDS
    return [Expectation(verdict, found, bound, defines, traces, slow) for bound in _bounds(run["bound"])]


def _bounds(text: str | None) -> list[str | None]:
    """`preemption:0..2` is three bounds."""
    match = _RANGE.search(text or "")
    if text is None or match is None:
        return [text]
    first, last = int(match[1]), int(match[2])
    if first >= last:
        raise ValueError(f"{match[0]!r} is no range")
    return [f"{text[: match.start()]}{number}{text[match.end() :]}" for number in range(first, last + 1)]
