"""Checks the names of functions, variables and files that options give: a name that no program has is an error before anything is run.

A suppressions file may serve a whole suite, and so may a seal: there a name has to be in one of the programs. Invariant: a name that may
still turn out to exist (in a script's program, in Python code, in a library that is loaded later) is accepted; if nothing matched it in the
end, the report says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING

from bpor.errors import Uncontrolled, UsageError
from bpor.model.trust import parse_trust
from bpor.settings import Settings
from bpor.target.census import libraries_of
from bpor.target.program import inspect_program
from bpor.target.python import is_python

if TYPE_CHECKING:
    from bpor.report.program_words import ProgramWords
    from bpor.report.suppressions import Suppression


def require_names(tests: Iterable[tuple[Sequence[str], Settings]]) -> None:
    """(command, settings) of everything that is going to be run. Raises UsageError."""
    known: dict[str, ProgramWords | None] = {}
    wanted: dict[tuple[str, str], tuple[Callable[[str], bool], list[str]]] = {}
    for argv, settings in tests:
        for what, name, matches in _names(settings):
            wanted.setdefault((what, name), (matches, []))[1].append(argv[0] if settings.control is None else "")
    for (what, name), (matches, programs) in wanted.items():
        words = [known.setdefault(path, _words(path)) for path in dict.fromkeys(programs)]
        if not any(one is None or one.has(matches) for one in words):
            of = programs[0] if len(words) == 1 else f"the {len(words)} programs"
            raise UsageError(f"{what} {name}: no function, variable, source file or library of {of} has such a name")


def _names(settings: Settings) -> Iterable[tuple[str, str, Callable[[str], bool]]]:
    for pattern in filter(None, (settings.seal or "").split(",")):
        yield "--seal", pattern, partial(_fits, pattern)
    for trust in parse_trust(settings.trust):
        yield "--trust", str(trust), partial(_fits, trust.pattern)
    for line in _suppressions(settings.suppressions) if settings.suppressions is not None else ():
        yield f"--suppressions {settings.suppressions}:", line.text, line.matches_name
    for priority in (settings.search or "").partition(":")[2].split(","):
        kind, _, name = priority.strip().partition(":")
        if kind in _PRIORITIES and name:
            yield f"--search ...{kind}:", name, partial(_PRIORITIES[kind], name)


def _suppressions(path: str) -> tuple[Suppression, ...]:
    from bpor.report.suppressions import read_suppressions

    return read_suppressions(path)


def _fits(pattern: str, word: str) -> bool:
    return fnmatchcase(word, pattern)


def _of_function(name: str, word: str) -> bool:
    from bpor.search.best_first.priority import is_called

    return is_called(word, name)


def _of_variable(name: str, word: str) -> bool:
    """Of `pool.slot[3]` the symbol table knows `pool`."""
    from bpor.search.best_first.priority import is_part_of

    base = name.partition(".")[0].partition("[")[0]
    return is_part_of(word, name) or word == base or word.endswith(f"::{base}")


_PRIORITIES: dict[str, Callable[[str, str], bool]] = {"method": _of_function, "var": _of_variable}


def _words(name: str) -> ProgramWords | None:
    """None: what its words are is not known before it runs."""
    from bpor.report.program_words import ProgramWords

    if not name:
        return None
    try:
        program = inspect_program(name)
    except (Uncontrolled, UsageError, OSError):
        return None  # running it says why
    if program.elf is None or is_python(program):
        return None
    return ProgramWords([os.path.realpath(program.path), *libraries_of(program.elf)[0]])
