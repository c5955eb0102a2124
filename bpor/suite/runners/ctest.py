"""CTest. `ctest --show-only=json-v1` names every test with its command, its directory and its properties.

The source tree is the one here, or that of the build directory which is here or is named (--test-dir); what such a build was configured
with (its cache) is taken over, but for the compilers.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bpor.errors import UsageError
from bpor.suite.runners.listed import Listed, Project
from bpor.suite.runners.native import output_of, prepare_place, processors, run_quietly

_CACHE = "CMakeCache.txt"
_ENTRY = re.compile(r"([A-Za-z_][^:=]*):(BOOL|STRING|PATH|FILEPATH|UNINITIALIZED)=(.*)")
# Of CMake's own variables those that a person sets; the others are what it found out about compilers, which are others here.
_KEPT = re.compile(r"CMAKE_(BUILD_TYPE|PREFIX_PATH|MODULE_PATH|FIND_\w+|C(XX)?_STANDARD|C(XX)?_FLAGS(_\w+)?|\w+_LINKER_FLAGS)")
_JUDGED_BY = {
    "WILL_FAIL": "it is expected to fail (WILL_FAIL)",
    "PASS_REGULAR_EXPRESSION": "its output decides (PASS_REGULAR_EXPRESSION), not its exit status",
    "FAIL_REGULAR_EXPRESSION": "its output decides (FAIL_REGULAR_EXPRESSION), not its exit status",
}


def ctest_project(words: Sequence[str], here: Path, build: Path, compilers: Mapping[str, str]) -> Project:
    """Builds into `build` and asks for the tests. Raises UsageError."""
    theirs, words = _build_directory(list(words), here)
    definitions, words = _definitions(words)
    cache = read_cache(theirs / _CACHE) if theirs is not None else {}
    source = Path(cache["CMAKE_HOME_DIRECTORY"]) if theirs is not None else here
    if not (source / "CMakeLists.txt").is_file():
        raise UsageError(f"ctest: {source} has no CMakeLists.txt; go to the source tree or a build directory, or name one: --test-dir DIR")
    prepare_place(build)
    chosen = [f"-D{name}={value}" for name, value in cache.items() if name != "CMAKE_HOME_DIRECTORY"]
    run_quietly(["cmake", "-S", str(source), "-B", str(build), *chosen, *definitions], here, compilers)
    run_quietly(["cmake", "--build", str(build), "--parallel", str(processors())], here, compilers)
    asked = ["ctest", "--test-dir", str(build), "--show-only=json-v1", *words]
    return parse_project(json.loads(output_of(asked, here, os.environ)), os.environ)


def _build_directory(words: list[str], here: Path) -> tuple[Path | None, list[str]]:
    """The user's own, if there is one, and the other words."""
    for number, word in enumerate(words):
        flag, _, value = word.partition("=")
        if flag == "--test-dir":
            used = 1 if value else 2
            directory = here / (value or "".join(words[number + 1 : number + 2]))
            if not (directory / _CACHE).is_file():
                raise UsageError(f"ctest: {directory} is no build directory: it has no {_CACHE}")
            return directory, [*words[:number], *words[number + used :]]
        if flag in ("--preset", "--build-and-test", "--script", "-S", "-SP", "--dashboard"):
            raise UsageError(f"ctest: {flag} is not understood; name a build directory (--test-dir DIR) or variables (-DNAME=VALUE)")
    return (here if (here / _CACHE).is_file() else None), words


def _definitions(words: list[str]) -> tuple[list[str], list[str]]:
    """-DVARIABLE=VALUE is for the configuration; ctest itself has no use for it here."""
    ours = [word for word in words if re.match(r"-D[^=]+=", word)]
    return ours, [word for word in words if word not in ours]


def read_cache(path: Path) -> dict[str, str]:
    """What a person may have chosen, and where the sources are."""
    text = path.read_text("utf-8", "surrogateescape")
    home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", text, re.MULTILINE)
    if home is None:
        raise UsageError(f"ctest: {path} does not say where the sources are")
    entries = [match.groups() for line in text.splitlines() if (match := _ENTRY.fullmatch(line))]
    kept = {f"{name}:{kind}": value for name, kind, value in entries if not name.startswith("CMAKE_") or _KEPT.fullmatch(name)}
    return {"CMAKE_HOME_DIRECTORY": home[1], **{name: value for name, value in kept.items() if value and not _found(name, value)}}


def _found(name: str, value: str) -> bool:
    """`GTest_DIR`, `PKG_LIBRARY-NOTFOUND` and their kind are looked for again; what was fetched or lies in that build is of that build."""
    bare = name.partition(":")[0]
    return value.endswith("-NOTFOUND") or bare.startswith("FETCHCONTENT_") or bare.endswith(("_BINARY_DIR", "_SOURCE_DIR"))


def parse_project(document: dict[str, Any], environment: Mapping[str, str]) -> Project:
    rows = [(test, {one["name"]: one["value"] for one in test.get("properties", ())}) for test in document["tests"]]
    enabled = [(test, properties) for test, properties in rows if not properties.get("DISABLED")]
    listed = {test["name"]: _listed(test, properties, environment) for test, properties in enabled}

    def with_property(name: str) -> list[str]:
        return [test["name"] for test, properties in enabled if properties.get(name)]

    before, after = with_property("FIXTURES_SETUP"), with_property("FIXTURES_CLEANUP")
    return Project(
        tuple(one for name, one in listed.items() if name not in (*before, *after)),
        tuple(listed[name] for name in before),
        tuple(listed[name] for name in after),
    )


def _listed(test: dict[str, Any], properties: dict[str, Any], environment: Mapping[str, str]) -> Listed:
    refused = [why for name, why in _JUDGED_BY.items() if properties.get(name)]
    if not test.get("command"):
        refused.insert(0, "its program was not built")
    skips = properties.get("SKIP_RETURN_CODE")
    return Listed(
        test["name"],
        tuple(test.get("command") or (test["name"],)),
        properties.get("WORKING_DIRECTORY", "."),
        (*_given(properties.get("ENVIRONMENT", ())), *modified(properties.get("ENVIRONMENT_MODIFICATION", ()), environment)),
        refused[0] if refused else "",
        int(skips) if skips is not None else None,
    )


def _given(entries: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, value) for name, _, value in (entry.partition("=") for entry in entries)]


def modified(entries: Iterable[str], environment: Mapping[str, str]) -> list[tuple[str, str | None]]:
    """ENVIRONMENT_MODIFICATION: `PATH=path_list_prepend:/opt/bin`."""
    values: dict[str, str | None] = {}
    for entry in entries:
        name, _, operation = entry.partition("=")
        what, _, value = operation.partition(":")
        old = values.get(name, environment.get(name))
        values[name] = _operated(what, value, old, environment.get(name))
    return list(values.items())


def _operated(what: str, value: str, old: str | None, original: str | None) -> str | None:
    kind, _, side = what.rpartition("_")
    if kind in ("string", "path_list", "cmake_list"):
        separator = {"string": "", "path_list": os.pathsep, "cmake_list": ";"}[kind] if old else ""
        return f"{old or ''}{separator}{value}" if side == "append" else f"{value}{separator}{old or ''}"
    if what not in ("set", "unset", "reset"):
        raise UsageError(f"ctest: ENVIRONMENT_MODIFICATION {what!r} is not known")
    return {"set": value, "unset": None, "reset": original}[what]
