"""From the words of the command line to a Command.

The rules: our long options, by their exact names, are ours anywhere before `--`; after the program every other word is the program's, but
a short option of ours there, or a word within two letters of a long one, is an error, since either reading could be meant; after an
interpreter everything is the program's; a first word that equals a verb is that verb. Behind a verb that is a runner (`ctest`) every word
that is not ours is the runner's. Nothing is executed or opened here.
"""

from __future__ import annotations

from typing import Any

from bpor.cli.words import NAMING, VERBS, is_interpreter, nearest
from bpor.errors import UsageError
from bpor.knobs.knob import Knob
from bpor.lazy_dataclass import dataclass, field
from bpor.settings import KNOBS, RUNNERS, Settings

_BY_FLAG = {knob.flag: knob for knob in KNOBS}
_BY_SHORT = {knob.short: knob for knob in KNOBS if knob.short}
_ASKS = ("--help", "--version")
_HELP = "-h"
_FLAGS = (*_BY_FLAG, *_ASKS)


@dataclass(frozen=True, slots=True)
class Command:
    verb: str = "run"
    settings: Settings = field(default_factory=Settings)
    program: tuple[str, ...] = ()  # the program and its arguments
    schedule: str | None = None  # replay's
    asks: str = ""  # "help" or "version": nothing is run


class _Words:
    """The words not read yet."""

    def __init__(self, words: list[str]) -> None:
        self._words, self._next = words, 0

    def __bool__(self) -> bool:
        return self._next < len(self._words)

    def take(self) -> str:
        self._next += 1
        return self._words[self._next - 1]

    def peek(self) -> str | None:
        return self._words[self._next] if self else None

    def rest(self) -> tuple[str, ...]:
        words, self._next = tuple(self._words[self._next :]), len(self._words)
        return words


def parse(words: list[str]) -> Command:
    """Raises UsageError with one line."""
    left = _Words(list(words))
    verb: str | None = None
    schedule: str | None = None
    program: list[str] = []
    given: dict[str, tuple[Knob, Any]] = {}
    asks = ""
    while left:
        word = left.take()
        if word == "--":
            program += left.rest()
        elif word.split("=")[0] in _ASKS:
            asks = asks or _ask(word)
        elif word == _HELP and (not program or verb in NAMING):
            asks = asks or "help"
        elif verb in RUNNERS and not _is_ours(word, verb):
            program.append(word)
        elif knob := _option(word, in_program=bool(program) and verb not in (*NAMING, *RUNNERS)):
            _refuse_foreign(knob, verb)
            given[knob.field] = knob, _value(knob, word, left)
        elif program:
            _refuse_doubtful(word)
            program.append(word)
        elif word.startswith("-") and word != "-":
            raise UsageError(_unknown(word))
        elif verb is None and word in VERBS:
            verb = word
            for earlier, _ in given.values():
                _refuse_foreign(earlier, verb)
        elif verb == "replay" and schedule is None:
            schedule = word
        else:
            program.append(word)
            if is_interpreter(word):
                program += left.rest()
    settings = Settings(**{name: value for name, (_, value) in given.items()})
    return Command(verb or "run", settings, tuple(program), schedule, asks)


def _ask(word: str) -> str:
    if "=" in word:
        raise UsageError(f"{word.split('=')[0]} takes no value")
    return word.removeprefix("--")


def _option(word: str, in_program: bool) -> Knob | None:
    """Is it one of ours? Short options are ours only before the program."""
    if not in_program and word in _BY_SHORT:
        return _BY_SHORT[word]
    return _BY_FLAG.get(word.split("=")[0])


def _is_ours(word: str, verb: str) -> bool:
    knob = _option(word, in_program=False)
    return knob is not None and verb in knob.verbs


def _refuse_foreign(knob: Knob, verb: str | None) -> None:
    if verb is not None and verb not in knob.verbs:
        raise UsageError(f"{knob.flag} means nothing to `{verb}`; see bpor-native {verb} --help")


def _value(knob: Knob, word: str, left: _Words) -> Any:
    flag, separator, value = word.partition("=")
    if not knob.takes_value:
        if separator:
            raise UsageError(f"{flag} takes no value")
        return knob.switched
    if not separator:
        following = left.peek()
        if following is None or following.startswith("--"):
            raise UsageError(f"{flag} needs a value: {flag} {knob.metavar}")
        value = left.take()
    try:
        return knob.read(value)
    except ValueError as error:
        raise UsageError(f"{flag}: {error}") from None


def _unknown(word: str) -> str:
    given = word.split("=")[0]
    begun = [flag for flag in _FLAGS if flag.startswith(f"{given}-")]
    meant = begun[0] if len(begun) == 1 else nearest(given, _FLAGS)
    return f"no option {given}" + (f"; did you mean {meant}?" if meant else "; see bpor-native --help")


def _refuse_doubtful(word: str) -> None:
    """A word after the program that we may have been meant by."""
    if word[:2] in (*_BY_SHORT, _HELP) and (len(word) == 2 or word[2:].isdigit()):  # -q, -j, -j2
        whose = f"{word} after the program could be ours or the program's"
        raise UsageError(f"{whose}: put ours before the program, the program's own after `--`")
    if word.startswith("--") and (meant := nearest(word.split("=")[0], _FLAGS)):
        raise UsageError(f"{word.split('=')[0]} is close to our {meant}: correct it, or put the program's own options after `--`")
