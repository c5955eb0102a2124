"""meson. `meson test --wrapper true` says in its log which tests it would run, under which names and whether they are meant to fail;
`meson introspect --tests` says how.

The source tree is the one here, or that of the build directory which is here or is named (-C); its options are taken over.
"""

from __future__ import annotations

import configparser
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bpor.errors import UsageError
from bpor.suite.frameworks import framework_of
from bpor.suite.runners.listed import Listed, Project
from bpor.suite.runners.native import output_of, prepare_place, run_quietly

_SKIPPED = 77  # meson's protocol `exitcode`
_ANY = tuple(range(256))


def meson_project(words: Sequence[str], here: Path, build: Path, compilers: Mapping[str, str]) -> Project:
    """`words`: after `meson test`. Builds into `build` and asks for the tests. Raises UsageError."""
    theirs, words = _build_directory(list(words), here)
    source = _source_of(theirs) if theirs is not None else here
    if not (source / "meson.build").is_file():
        raise UsageError(f"meson: {source} has no meson.build; go to the source tree or to a build directory, or name one: -C DIR")
    prepare_place(build)
    if not (build / "meson-private").is_dir():
        options = _options_of(theirs) if theirs is not None else []
        run_quietly(["meson", "setup", str(build), str(source), *options], here, compilers)
    run_quietly(["meson", "compile", "-C", str(build)], here, compilers)
    output_of(["meson", "test", "-C", str(build), "--no-rebuild", "--wrapper", "true", *words], here, os.environ, _ANY)
    log = (build / "meson-logs/testlog-true.json").read_text("utf-8")
    known = json.loads(output_of(["meson", "introspect", "--tests", str(build)], here, os.environ))
    return parse_project([json.loads(line) for line in log.splitlines() if line], known, str(build))


def _build_directory(words: list[str], here: Path) -> tuple[Path | None, list[str]]:
    for number, word in enumerate(words):
        if word == "-C" and number + 1 < len(words):
            return _required(here / words[number + 1]), [*words[:number], *words[number + 2 :]]
        if word in ("--wrapper", "--wrap", "--gdb", "--benchmark", "--repeat"):
            raise UsageError(f"meson: {word} cannot stand beside a search")
    return (here if (here / "meson-private").is_dir() else None), words


def _required(directory: Path) -> Path:
    if not (directory / "meson-private").is_dir():
        raise UsageError(f"meson: {directory} is no build directory")
    return directory


def _source_of(build: Path) -> Path:
    return Path(json.loads((build / "meson-info/meson-info.json").read_text("utf-8"))["directories"]["source"])


def _options_of(build: Path) -> list[str]:
    """What was given when it was set up."""
    given = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    given.optionxform = str  # type: ignore[assignment, method-assign]
    given.read(build / "meson-private/cmd_line.txt", "utf-8")
    return [f"-D{name}={value}" for name, value in given["options"].items()] if given.has_section("options") else []


def parse_project(log: Sequence[dict[str, Any]], known: Sequence[dict[str, Any]], build: str) -> Project:
    """The log has the names that are shown and the commands; the introspection what belongs to a command."""
    left = list(known)
    return Project(tuple(_listed(row, _fact_of(row, left), build) for row in log))


def _fact_of(row: dict[str, Any], left: list[dict[str, Any]]) -> dict[str, Any]:
    """Of the test that a row of the log is about. The shown name ends with the test's (`unit - zix:ring`, `zix:unit / ring`), and its
    command begins with the test's: behind it stands what --test-args gives. Of several the most exact, and each once, since two tests
    may differ in their environment alone."""
    command = row["command"][1:]  # behind `true`
    fitting = [one for one in left if row["name"].endswith(one["name"]) and command[: len(one["cmd"])] == one["cmd"]]
    if not fitting:
        raise UsageError(f"meson: its log names a test that `meson introspect` does not: {row['name']}")
    best = max(fitting, key=lambda one: (len(one["name"]), len(one["cmd"])))
    left.remove(best)
    return best


def _listed(row: dict[str, Any], fact: dict[str, Any], build: str) -> Listed:
    argv = tuple(row["command"][1:])
    return Listed(
        fact["name"],
        argv,
        fact["workdir"] or build,
        tuple(fact["env"].items()),
        _refused(row, fact, argv),
        _SKIPPED if fact["protocol"] == "exitcode" else None,
    )


def _refused(row: dict[str, Any], fact: dict[str, Any], argv: tuple[str, ...]) -> str:
    if row["result"] in ("UNEXPECTEDPASS", "EXPECTEDFAIL"):
        return "it is expected to fail (should_fail)"
    if fact["protocol"] == "tap" and not (os.path.isfile(argv[0]) and framework_of(argv[0])):
        return "it tells its result in TAP, not by its exit status"
    return ""
