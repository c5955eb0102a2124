"""The words of the command line: verbs, names that are interpreters, and how near two words are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bpor.settings import RUNNERS

VERBS = ("run", "replay", "suite", *RUNNERS, "mutate", "compare", "doctor", "list", "show", "clean", "help", "completion")
NAMING = (
    "suite",
    "list",
    "show",
    "clean",
    "help",
    "completion",
)  # no program follows, so every option is ours

# After one of these everything is the program's: its arguments name the real program, and their options are not ours.
_PYTHON = r"python|pypy|pytest|py\.test|tox|nox"
_OTHERS = (
    r"perl|ruby|lua|luajit|node|nodejs|php|tclsh|wish|guile|julia|java|R|Rscript|deno|bun|ocaml|racket|erl|escript|sh|bash|dash|zsh|ksh|mksh"
    r"|fish|busybox|env|nice|timeout|taskset|stdbuf|setarch|xvfb-run|make|ctest|meson|cargo"
)
_VERSION = r"(-?\d[\d.]*[a-z]*)?"
_OF_THE_SYSTEM = ("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin")


def is_interpreter(program: str) -> bool:
    """By its name. A path says more: Pythons live anywhere (`.venv/bin/python`), but a `./nice` or `build/node` is somebody's test."""
    directory, slash, name = program.rpartition("/")
    names = _PYTHON if slash and directory not in _OF_THE_SYSTEM else f"{_PYTHON}|{_OTHERS}"
    return re.fullmatch(f"({names}){_VERSION}", name) is not None


def distance(a: str, b: str) -> int:
    """Levenshtein's: insertions, deletions, substitutions."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def nearest(word: str, words: Iterable[str], within: int = 2) -> str | None:
    """The word that `word` was probably meant to be."""
    near = [(distance(word, other), other) for other in words if abs(len(word) - len(other)) <= within]
    best = min(near, default=(within + 1, ""))
    return best[1] if best[0] <= within else None
