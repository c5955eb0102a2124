"""googletest programs: which tests one contains, so that each becomes a search of its own."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence

from bpor.errors import UsageError
from bpor.suite.listing import holds, links, listing

_MARK = b"gtest_list_tests"
_FILTER = "--gtest_filter="
_ALSO_DISABLED = "GTEST_ALSO_RUN_DISABLED_TESTS"
# Left in a search's environment they would hide the one test that it is about.
SHARDING = ("GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE")


def looks_like_gtest(path: str) -> bool:
    """It holds the option's name itself, or is linked with the library that does."""
    return links(path, "libgtest.so") or holds(path, _MARK)


def chooses_one(words: Sequence[str]) -> bool:
    """Do a program's arguments name a single test? A pattern may mean several."""
    filters = [word.removeprefix(_FILTER) for word in words if word.startswith(_FILTER)]
    return bool(filters) and not set("*?:") & set(filters[-1]) and not filters[-1].startswith("-")


def list_tests(command: list[str], directory: str, environment: Mapping[str, str]) -> list[str]:
    """`Suite.Test`, in the program's order; disabled ones are left out as the program itself would."""
    clean = {name: value for name, value in environment.items() if name not in SHARDING}
    names = parse_listing(listing(command, ["--gtest_list_tests"], directory, clean))
    return names if environment.get(_ALSO_DISABLED, "0") not in ("", "0") else [name for name in names if not _disabled(name)]


def require_tests(command: Sequence[str], environment: Mapping[str, str]) -> None:
    """A filter that matches nothing runs nothing, which googletest calls a success. Raises UsageError."""
    filtered = any(word.startswith(_FILTER) for word in command[1:]) or "GTEST_FILTER" in environment
    program = shutil.which(command[0])
    if filtered and program is not None and looks_like_gtest(program) and not list_tests([program, *command[1:]], ".", environment):
        raise UsageError(f"{command[0]}: the filter matches no test, so nothing would be tested; see --gtest_list_tests")


def parse_listing(text: str) -> list[str]:
    """A line `Suite.` opens a suite, indented lines are its tests; `# GetParam() = …` is for people."""
    names: list[str] = []
    suite = ""
    for line in text.splitlines():
        word = line.partition("#")[0].strip()
        if not word or " " in word:
            continue  # what the program itself printed
        if not line.startswith("  "):
            suite = word if word.endswith(".") else ""
        elif suite:
            names.append(suite + word)
    return names


def _disabled(name: str) -> bool:
    return any(part.startswith("DISABLED_") for dotted in name.split(".") for part in dotted.split("/"))
