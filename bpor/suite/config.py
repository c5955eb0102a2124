"""The suite's file: `bpor.toml`, or `[tool.bpor]` in pyproject.toml. Read and checked here, once; nothing is run.

Invariant: a word that is not known, or a value of the wrong kind, is an error that names the file, the test and the word. Commands are
lists of words, never a line for a shell.
"""

from __future__ import annotations

import glob
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bpor.errors import UsageError
from bpor.knobs.knob import Knob
from bpor.lazy_dataclass import dataclass, field, replace
from bpor.report.checked import EXPECTABLE
from bpor.search.bounds import parse_bound
from bpor.settings import KNOBS, Settings

NAMES = ("bpor.toml", "pyproject.toml")
LIMIT = 1 << 20  # bytes
_OPTIONS = {
    knob.flag.removeprefix("--"): knob
    for knob in KNOBS
    if knob.group in ("search", "meaning", "target") or knob.field in ("inconclusive", "uncontrolled")
}
_TEST = ("program", "name", "arguments", "environment", "expect", "gtest")
_SUITE = ("build", "budget", "jobs", "environment", "options", "suppressions", "corpus", "test")


@dataclass(frozen=True, slots=True)
class ConfiguredTest:
    """One `[[test]]`: a pattern that may stand for many programs."""

    program: str  # a pattern, relative to the file
    settings: Settings = field(default_factory=Settings)
    name: str = ""
    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    expect: str = "pass"
    gtest: bool | None = None  # None: if it looks like one


@dataclass(frozen=True, slots=True)
class SuiteConfig:
    root: Path  # the directory of the file: everything is relative to it
    tests: tuple[ConfiguredTest, ...]
    build: tuple[str, ...] = ()
    budget: float | None = None
    jobs: int | None = None
    suppressions: str | None = None
    corpus: str | None = None


def find_config(directory: Path, needed: bool = True) -> Path | None:
    """`bpor.toml`, else a pyproject.toml that speaks of us; None: there is none, and none is needed."""
    for name in NAMES:
        path = directory / name
        if path.is_file() and (name == NAMES[0] or "bpor" in _load(path).get("tool", {})):
            return path
    if not needed:
        return None
    raise UsageError(f"no suite here: {directory} has neither bpor.toml nor [tool.bpor] in pyproject.toml; see bpor-native suite --help")


def config_of(commands: Sequence[Sequence[str]], given: Mapping[str, Any]) -> SuiteConfig:
    """A suite without a file: the tests of programs, each with its arguments."""
    settings = replace(Settings(), **given)
    names = [os.path.basename(command[0]) for command in commands]
    entries = [
        ConfiguredTest(glob.escape(program), settings, name=name if names.count(name) == 1 else program, arguments=tuple(arguments))
        for name, (program, *arguments) in zip(names, commands, strict=True)
    ]
    return SuiteConfig(root=Path.cwd(), tests=tuple(entries))


def read_config(path: Path, given: Mapping[str, Any] | None = None) -> SuiteConfig:
    """`given`: fields of Settings from the command line, which win over the file. Raises UsageError."""
    document = _load(path)
    if path.name == "pyproject.toml":
        document = _Table(str(path), document).table("tool").get("bpor", {})
    suite = _Table(str(path), document)
    suite.know(_SUITE)
    common = tuple(suite.strings("environment").items())
    defaults = _options(suite.inner("options"), Settings())
    entries = [_Table(f"{path}: test {number}", entry) for number, entry in enumerate(suite.tables("test"), 1)]
    if not entries:
        raise UsageError(f"{path}: lists no [[test]]")
    return SuiteConfig(
        root=path.resolve().parent,
        tests=tuple(_test(entry, defaults, common, given or {}) for entry in entries),
        build=suite.words("build"),
        budget=suite.read("budget", "--budget"),
        jobs=suite.read("jobs", "--jobs"),
        suppressions=suite.text("suppressions") or None,
        corpus=suite.text("corpus") or None,
    )


def _test(entry: _Table, defaults: Settings, common: tuple[tuple[str, str], ...], given: Mapping[str, Any]) -> ConfiguredTest:
    entry.know((*_TEST, *_OPTIONS))
    expect = entry.text("expect") or "pass"
    if expect not in EXPECTABLE:
        raise entry.error("expect", f"{expect!r} is not one of {', '.join(EXPECTABLE)}")
    if not entry.text("program"):
        raise entry.error("program", "is missing")
    return ConfiguredTest(
        program=entry.text("program"),
        settings=replace(_options(entry.only(_OPTIONS), defaults), **given),
        name=entry.text("name"),
        arguments=entry.words("arguments"),
        environment=(*common, *entry.strings("environment").items()),
        expect=expect,
        gtest=entry.flag("gtest"),
    )


def _options(table: _Table, base: Settings) -> Settings:
    table.know(tuple(_OPTIONS))
    given = {_OPTIONS[word].field: table.option(word, _OPTIONS[word]) for word in table.value}
    settings = replace(base, **given)
    if settings.bound is not None:
        try:
            parse_bound(settings.bound)
        except UsageError as error:
            raise table.error("bound", str(error).splitlines()[0]) from None
    return settings


class _Table:
    """A table of the file, read by kind; every complaint names where it stands."""

    def __init__(self, where: str, value: object) -> None:
        if not isinstance(value, dict):
            raise UsageError(f"{where}: not a table")
        self._where = where
        self.value: dict[str, Any] = value

    def error(self, key: str, reason: str) -> UsageError:
        return UsageError(f"{self._where}: {key}: {reason}")

    def know(self, words: tuple[str, ...]) -> None:
        for key in self.value:
            if key not in words:
                raise self.error(key, f"is not known here; known are {', '.join(words)}")

    def only(self, words: Mapping[str, object]) -> _Table:
        return _Table(self._where, {key: value for key, value in self.value.items() if key in words})

    def table(self, key: str) -> dict[str, Any]:
        table: dict[str, Any] = self._typed(key, dict, "a table", {})
        return table

    def inner(self, key: str) -> _Table:
        return _Table(f"{self._where}: {key}", self.table(key))

    def tables(self, key: str) -> list[Any]:
        tables: list[Any] = self._typed(key, list, "a list of tables", [])
        return tables

    def text(self, key: str) -> str:
        return _without_zero(self._typed(key, str, "text", ""), lambda reason: self.error(key, reason))

    def flag(self, key: str) -> bool | None:
        flag: bool | None = self._typed(key, bool, "true or false", None)
        return flag

    def words(self, key: str) -> tuple[str, ...]:
        words: list[Any] = self._typed(key, list, 'a list of words, such as ["make", "tests"]; nothing is run through a shell', [])
        if not all(isinstance(word, str) for word in words):
            raise self.error(key, "holds something that is not text")
        return tuple(_without_zero(word, lambda reason: self.error(key, reason)) for word in words)

    def strings(self, key: str) -> dict[str, str]:
        values = self.table(key)
        for name, value in values.items():
            if not isinstance(value, str) or "\0" in value + name or "=" in name or not name:
                raise self.error(f"{key}.{name}", "is not a name with a text")
        return values

    def read(self, key: str, flag: str) -> Any:
        """A value in the words of one of our options; None: it is not there."""
        return self.option(key, next(knob for knob in KNOBS if knob.flag == flag)) if key in self.value else None

    def option(self, key: str, knob: Knob) -> Any:
        value = self.value[key]
        if not knob.takes_value:
            if value is not True:
                raise self.error(key, "is a switch: only true means something")
            return knob.switched
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self.error(key, f"is not {knob.metavar}")
        try:
            return knob.read(str(value))
        except ValueError as error:
            raise self.error(key, str(error)) from None

    def _typed(self, key: str, kind: type, what: str, default: Any) -> Any:
        value = self.value.get(key, default)
        if value is not default and not isinstance(value, kind):
            raise self.error(key, f"must be {what}")
        return value


def _without_zero(text: str, error: Callable[[str], UsageError]) -> str:
    if "\0" in text:
        raise error("holds a zero byte")
    return text


def _load(path: Path) -> dict[str, Any]:
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as stream:
            data = stream.read(LIMIT + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    if len(data) > LIMIT:
        raise UsageError(f"{path}: larger than {LIMIT} bytes")
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: {error}") from None
