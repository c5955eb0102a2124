"""Names in Rust's own mangling (RFC 2603, "v0"): `_RNvCs3Zb_4bank8transfer` -> `bank::transfer`.

Arguments of generics are left out: a path tells the reader which function or variable it is. Invariant: what is not understood is the
raw name, never a part of it.
"""

from __future__ import annotations

import re

_DISAMBIGUATOR = re.compile(r"s[0-9a-zA-Z]*_")
_BACK = re.compile(r"B([0-9a-zA-Z]*)_")
_IDENTIFIER = re.compile(r"(u?)(\d+)_?")
_LIFETIME = re.compile(r"L[0-9a-zA-Z]*_")
_CONSTANT = re.compile(r"[a-z]n?[0-9a-f]*_|p")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DEEPEST = 64


_HASH = re.compile(r"::h[0-9a-f]{16}$")
_ESCAPE = re.compile(r"\$(u[0-9a-f]{1,6}|SP|BP|RF|LT|GT|LP|RP|C)\$")
_ESCAPED = {"SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ","}


def is_rust(mangled: str) -> bool:
    """In the older mangling."""
    return re.search(r"17h[0-9a-f]{16}E$", mangled) is not None


def without_rust_hash(name: str) -> str:
    """The older mangling looks like C++'s: `bank::_$u7b$$u7b$closure$u7d$$u7d$::h9a42d5d3dc16230b` -> `bank::{closure}`."""
    if not _HASH.search(name):
        return name
    text = _ESCAPE.sub(lambda match: _ESCAPED.get(match[1]) or chr(int(match[1][1:], 16)), _HASH.sub("", name))
    parts = [part.removeprefix("_") if part.startswith(("_<", "_{")) else part for part in text.replace("..", "::").split("::")]
    return "::".join(parts).replace("{{closure}}", "{closure}").replace("{{vtable.shim}}", "{shim}")


class _Unknown(Exception):
    pass


def rust_name(name: str) -> str:
    try:
        return "::".join(_Reader(name[2:]).path()) or name
    except (_Unknown, IndexError):
        return name


class _Reader:
    def __init__(self, text: str, position: int = 0, depth: int = 0) -> None:
        self._text, self._at, self._depth = text, position, depth

    def path(self) -> list[str]:
        """The identifiers on the way; a closure is `{closure}`."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Unknown
        match self._next():
            case "C":
                return [self._identifier()]
            case "N":
                space, outer, inner = self._next(), self.path(), self._identifier()
                return [*outer, inner or {"C": "{closure}"}.get(space, "{…}")]
            case "M":
                self._impl()
                return self._type()
            case "X":
                self._impl()
                implemented = self._type()
                self.path()
                return implemented
            case "Y":
                implemented = self._type()
                self.path()
                return implemented
            case "I":
                generic = self.path()
                while not self._took("E"):
                    self._argument()
                return generic
        self._at -= 1
        return self._back(_Reader.path)

    def _impl(self) -> None:
        self._skip(_DISAMBIGUATOR)
        self.path()

    def _back(self, read: object) -> list[str]:
        """What stood at an earlier place of the name."""
        match = _BACK.match(self._text, self._at)
        if match is None:
            raise _Unknown
        self._at = match.end()
        number = 0
        for digit in match[1]:
            number = number * 62 + _DIGITS.index(digit)
        earlier = _Reader(self._text, number + bool(match[1]), self._depth + 1)
        return earlier.path() if read is _Reader.path else earlier._type()

    def _type(self) -> list[str]:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Unknown
        letter = self._text[self._at]
        if letter in "CNMXYI":
            return self.path()
        if letter == "B":
            return self._back(_Reader._type)
        self._at += 1
        if letter.islower():
            return [letter]  # a basic type: its letter says as much as a reader needs here
        if letter in "RQ":
            self._skip(_LIFETIME)
            return self._type()
        if letter in "PO":
            return self._type()
        if letter in "AS":
            inner = self._type()
            if letter == "A":
                self._constant()
            return [*inner[:-1], f"[{inner[-1]}]"]
        if letter == "T":
            while not self._took("E"):
                self._type()
            return ["(…)"]
        raise _Unknown

    def _argument(self) -> None:
        if self._skip(_LIFETIME):
            return
        if self._took("K"):
            self._constant()
        else:
            self._type()

    def _constant(self) -> None:
        if not self._skip(_CONSTANT):
            self._back(_Reader._type)

    def _identifier(self) -> str:
        self._skip(_DISAMBIGUATOR)
        match = _IDENTIFIER.match(self._text, self._at)
        if match is None or match[1]:
            raise _Unknown
        self._at = match.end() + int(match[2])
        return self._text[match.end() : self._at]

    def _next(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _took(self, letter: str) -> bool:
        if self._text[self._at] != letter:
            return False
        self._at += 1
        return True

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        match = pattern.match(self._text, self._at)
        if match is None:
            return False
        self._at = match.end()
        return True
