"""Trust: code whose inside is not explored, as --trust names it (`module:libsqlite3*`, `independent:function:log_*`), and the address
ranges of modules that this stands for."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from bpor.lazy_dataclass import dataclass

MOST = 256  # pieces of one search (csrc/protocol/protocol.h)
_ONE = re.compile(r"(?P<independent>independent:)?(?P<kind>module|function):(?P<pattern>.+)")


@dataclass(frozen=True, slots=True)
class Trust:
    kind: str  # module | function
    pattern: str  # with `*` and `?`
    independent: bool = False  # of everything; else each call is one step, and all of them conflict

    def __str__(self) -> str:
        return f"{self.kind}:{self.pattern}"


@dataclass(frozen=True, slots=True)
class TrustedCode:
    """A piece of a module, or modules as a whole."""

    module: str  # the last part of its path; as a whole: a pattern
    start: int = 0
    end: int = 0  # 0: as a whole
    independent: bool = False


def parse_trust(text: str) -> tuple[Trust, ...]:
    """Of Settings.trust, which is well-formed."""
    found = (match for match in map(_ONE.fullmatch, text.split(",")) if match is not None)
    return tuple(Trust(match["kind"], match["pattern"], bool(match["independent"])) for match in found)


def trusts_module(text: str, name: str) -> bool:
    """As a whole."""
    return any(trust.kind == "module" and fnmatchcase(name, trust.pattern) for trust in parse_trust(text))


def but_functions(text: str) -> str:
    """Behind a list of modules whose accesses were seen."""
    return " outside of trusted functions" if any(trust.kind == "function" for trust in parse_trust(text)) else ""


def trust_words(text: str) -> list[str]:
    """What a verdict takes for granted because of it."""
    parts = parse_trust(text)
    atomic, independent = ([str(part) for part in parts if part.independent is alone] for alone in (False, True))
    return [
        *([f"taken on trust: {', '.join(atomic)}, each call of it atomic unless it waits"] if atomic else []),
        *([f"taken on trust: {', '.join(independent)}, independent of all else"] if independent else []),
    ]
