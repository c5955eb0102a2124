"""From the entries of a suite to its cases: one search each, with a name that is the same tomorrow.

Invariant: the list does not depend on the machine's directory order, on sharding or on what an earlier case did, so that `--shard i/n` of
n jobs runs every case exactly once.
"""

from __future__ import annotations

import fnmatch
import glob
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bpor.errors import UsageError
from bpor.lazy_dataclass import replace
from bpor.store.place import Place
from bpor.suite.case import Case
from bpor.suite.frameworks import GTEST, Framework, framework_of
from bpor.suite.gtest import SHARDING

if TYPE_CHECKING:
    from bpor.suite.config import ConfiguredTest, SuiteConfig  # and a parser of TOML: one test needs none


def cases_of(config: SuiteConfig, environment: Mapping[str, str]) -> list[Case]:
    """Raises UsageError: a pattern that matches nothing is a test that silently no longer runs."""
    root = config.root
    cases = [case for entry in config.tests for path in _programs(root, entry) for case in _cases(root, entry, path, environment)]
    seen: set[str] = set()
    for case in cases:
        if case.name in seen:
            raise UsageError(f"two tests are called {case.name!r}: give one of them a name")
        seen.add(case.name)
    return cases


def _programs(root: Path, entry: ConfiguredTest) -> list[str]:
    matches = sorted(glob.glob(entry.program, root_dir=root, recursive=True))
    programs = [path for path in matches if os.path.isfile(root / path) and os.access(root / path, os.X_OK)]
    if not programs:
        found = f"{len(matches)} files, none of them a program" if matches else "nothing; was it built?"
        raise UsageError(f"test {entry.program!r} matches {found}")
    return programs


def _cases(root: Path, entry: ConfiguredTest, path: str, environment: Mapping[str, str]) -> list[Case]:
    program = path if "/" in path else f"./{path}"
    name = entry.name if entry.name and not glob.has_magic(entry.program) else f"{entry.name}{'/' * bool(entry.name)}{path}"
    plain = Case(name, (program, *entry.arguments), entry.settings, Place(str(root), entry.environment), entry.expect)
    framework = GTEST if entry.gtest else framework_of(str(root / path)) if entry.gtest is None else None
    if framework is None or (framework is not GTEST and framework.chooses(entry.arguments)):
        return [plain]
    cases = each_test(plain, framework, environment)
    if not cases:
        raise UsageError(f"{path} lists no test that would run, so nothing would be tested")
    return cases


def each_test(program: Case, framework: Framework, environment: Mapping[str, str]) -> list[Case]:
    """A case for every test that the program would run. Raises UsageError."""
    tests = framework.tests(list(program.argv), program.place.directory, program.place.applied_to(environment))
    return [replace(program, name=f"{program.name}:{test}", argv=framework.only(program.argv, test)) for test in tests]


def selected(cases: Sequence[Case], patterns: Sequence[str]) -> list[Case]:
    """Those named on the command line, by name or pattern; without any, all."""
    if not patterns:
        return list(cases)
    for pattern in patterns:
        if not any(_named(case, pattern) for case in cases):
            raise UsageError(f"no test is called {pattern!r}; there are: {', '.join(case.name for case in cases)}")
    return [case for case in cases if any(_named(case, pattern) for pattern in patterns)]


def _named(case: Case, pattern: str) -> bool:
    """A program's name means all of its cases."""
    program = os.path.normpath(case.argv[0])
    names = (case.name, os.path.basename(case.name), case.name.partition(":")[0], program, os.path.basename(program))
    return pattern in names or os.path.normpath(pattern) == program or fnmatch.fnmatchcase(case.name, pattern)


def sharded(cases: Sequence[Case], shard: str | None, environment: Mapping[str, str]) -> list[Case]:
    """`--shard i/n` (from 1), else googletest's variables (from 0)."""
    index, total = _shard(shard, environment)
    return [case for number, case in enumerate(cases) if number % total == index]


def _shard(shard: str | None, environment: Mapping[str, str]) -> tuple[int, int]:
    if shard is not None:
        index, _, total = shard.partition("/")
        return int(index) - 1, int(total)
    index_name, total_name = SHARDING[1], SHARDING[0]
    if not environment.get(total_name):
        return 0, 1
    try:
        index, total = environment.get(index_name, "0"), environment[total_name]
        if not 0 <= int(index) < int(total):
            raise ValueError
    except ValueError:
        raise UsageError(f"{index_name}={index} of {total_name}={total} is no shard") from None
    if status := environment.get(SHARDING[2]):
        Path(status).touch()  # googletest's sign that sharding was understood
    return int(index), int(total)
