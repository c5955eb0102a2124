"""How each test framework reports a failed check: the lines of an output -> the first failure in it.

Invariant: a reader returns None for what is not surely its framework's report; it never raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, takewhile

from bpor.report.own_failure import OwnFailure, in_one_line, same_value, with_actual

Lines = Sequence[str]


# ---- googletest ----

_GTEST_FAILURE = re.compile(r"(?:(?P<file>.+?):(?P<line>\d+)|unknown file): Failure")
_GTEST_STATUS = re.compile(r"\[( RUN      |  FAILED  |       OK |-{10}|={10}|  PASSED  )\]")
_GTEST_NAME = re.compile(r"\[ (?:RUN     | FAILED ) \] (\S+)")
_GTEST_COMPARED = re.compile(r"Expected: \((?P<left>.*)\) (?P<op>[=!<>]=|<|>) \((?P<right>.*)\), actual: (?P<values>.*)", re.DOTALL)
_GTEST_BOOLEAN = re.compile(
    r"Value of: (?P<value>.*) Actual: (?P<actual>true|false)(?: \((?P<why>.*)\))? Expected: (?:true|false)(?P<rest>.*)", re.DOTALL
)


def googletest(lines: Lines) -> OwnFailure | None:
    for number, line in enumerate(lines):
        match = _GTEST_FAILURE.fullmatch(line)
        if match is None:
            continue
        before = next((m[1] for text in reversed(lines[:number]) if (m := _GTEST_NAME.match(text))), "")
        after = next((m[1] for text in lines[number:] if (m := _GTEST_NAME.match(text))), "")
        if not before and not after:
            continue  # no googletest is near
        said = list(takewhile(lambda text: not _ends_gtest_failure(text), lines[number + 1 :]))
        return OwnFailure("googletest", before or after, match["file"] or "", int(match["line"] or 0), _gtest_text(said))
    return None


def _ends_gtest_failure(line: str) -> bool:
    return not line or line == "Google Test trace:" or _GTEST_STATUS.match(line) is not None or _GTEST_FAILURE.fullmatch(line) is not None


def _gtest_text(said: list[str]) -> str:
    if said[:1] == ["Expected equality of these values:"]:
        return _gtest_equality(said[1:])
    text = in_one_line("\n".join(said))
    if match := _GTEST_COMPARED.fullmatch(text):
        left, _, rest = match["values"].partition(" vs ")
        right, _, message = rest.partition(" ")
        actual = left if same_value(match["right"], right) else f"{left} vs {right}"
        return f"{match['left']} {match['op']} {match['right']}, actual {actual}" + _message(message)
    if match := _GTEST_BOOLEAN.fullmatch(text):
        why = f" ({match['why']})" if match["why"] else ""
        return f"`{match['value']}` is {match['actual']}{why}" + _message(match["rest"])
    return text.removeprefix("Failed ")


def _gtest_equality(said: list[str]) -> str:
    """Two expressions, each indented by two, its value below it where that is not the same."""
    values: list[list[str]] = []
    message: list[str] = []
    for line in said:
        if line.startswith("    Which is: ") and values:
            values[-1].append(line.removeprefix("    Which is: "))
        elif line.startswith("  ") and len(values) < 2 and not message:
            values.append([line.strip()])
        else:
            message.append(line)
    if len(values) != 2:
        return in_one_line("\n".join(said))
    (left, *left_value), (right, *right_value) = values
    actual = " vs ".join(filter(None, (left_value[0] if left_value else "", right_value[0] if right_value else "")))
    return in_one_line(f"{left} == {right}" + (f", actual {actual}" if actual else "") + _message(" ".join(message)))


def _message(text: str) -> str:
    return f" ({text.strip()})" if text.strip() else ""


def _negated(macro: str, expression: str) -> str:
    """CHECK_FALSE( x ) fails if x holds."""
    return f"!({expression})" if macro.endswith("_FALSE") else expression


# ---- Catch2 ----

_CATCH_FAILED = re.compile(r"(?P<file>.+):(?P<line>\d+): FAILED:")
_CATCH_CHECK = re.compile(r"(?P<macro>[A-Z_]*(?:CHECK|REQUIRE)[A-Z_]*)\( (?P<what>.*) \)")
_RULE = re.compile(r"[-=.~]{70,}")


def catch2(lines: Lines) -> OwnFailure | None:
    for number, line in enumerate(lines):
        match = _CATCH_FAILED.fullmatch(line)
        if match is not None:
            said = list(takewhile(lambda text: not _RULE.fullmatch(text) and not _CATCH_FAILED.fullmatch(text), lines[number + 1 :]))
            return OwnFailure("Catch2", _catch_name(lines[:number]), match["file"], int(match["line"]), _catch_text(said))
    return None


def _catch_name(before: Lines) -> str:
    """Between the last two lines of dashes: the test case, and the sections below it, each indented further."""
    rules = [number for number, line in enumerate(before) if line and set(line) == {"-"} and len(line) >= 70]
    if len(rules) < 2:
        return ""
    return " / ".join(line.strip() for line in before[rules[-2] + 1 : rules[-1]] if line.strip())


def _catch_text(said: list[str]) -> str:
    parts: dict[str, list[str]] = {"": []}
    title = ""
    for line in said:
        if line and not line.startswith(" "):
            title = line.rstrip(":")
            parts[title] = []
        elif line.strip():
            parts[title].append(line.strip())
    checked = in_one_line(" ".join(parts.pop("")))
    match = _CATCH_CHECK.fullmatch(checked)
    text = _negated(match["macro"], match["what"]) if match is not None else checked
    if (expansion := parts.pop("with expansion", None)) is not None:
        text = with_actual(text, in_one_line(" ".join(expansion)))
    explicit = parts.pop("explicitly with message", [])
    rest = [f"{title} {' '.join(more)}".strip() for title, more in parts.items() if not title.startswith("with message")]
    messages = [" ".join(more) for title, more in parts.items() if title.startswith("with message")]
    return in_one_line(", ".join(filter(None, (text, *explicit, *rest))) + _message("; ".join(messages)))


# ---- doctest ----

_DOCTEST = re.compile(r"(?P<file>.+):(?P<line>\d+): (?:FATAL )?ERROR: (?P<what>.*)")
_DOCTEST_CHECK = re.compile(r"(?P<macro>[A-Z_]+)\( (?P<what>.*) \) (?P<how>is NOT correct!|.*)")
_DOCTEST_BINARY = {"EQ": " == ", "NE": " != ", "LT": " < ", "LE": " <= ", "GT": " > ", "GE": " >= "}  # CHECK_EQ( a, b )
_DOCTEST_VALUES = re.compile(r"\s*values: [A-Z_]+\( (?P<values>.*) \)")


def doctest(lines: Lines) -> OwnFailure | None:
    if not any(line.startswith(("[doctest] ", "TEST CASE:  ")) for line in lines):
        return None
    for number, line in enumerate(lines):
        if (match := _DOCTEST.fullmatch(line)) is None:
            continue
        text = match["what"]
        said = list(takewhile(str.strip, lines[number + 1 :]))
        if check := _DOCTEST_CHECK.fullmatch(text):
            text = (
                _negated(check["macro"], check["what"])
                if check["how"] == "is NOT correct!"
                else f"{check['what']} {check['how'].rstrip('!')}"
            )
            values = next((m["values"] for other in said if (m := _DOCTEST_VALUES.fullmatch(other))), "")
            operator = _DOCTEST_BINARY.get(check["macro"].rpartition("_")[2], ", ")
            text = with_actual(text.replace(", ", operator), in_one_line(values).replace(", ", operator))
        logged = in_one_line(" ".join(said)).partition("logged: ")[2]
        return OwnFailure("doctest", _doctest_name(lines[:number]), match["file"], int(match["line"]), in_one_line(text + _message(logged)))
    return None


def _doctest_name(before: Lines) -> str:
    start = next((number for number in reversed(range(len(before))) if before[number].startswith(("TEST CASE:  ", "  Scenario:"))), None)
    if start is None:
        return ""
    sections = takewhile(str.strip, before[start + 1 :])
    return " / ".join([before[start].removeprefix("TEST CASE:  ").strip(), *(line.strip() for line in sections)])


# ---- Boost.Test ----

_BOOST = re.compile(r"(?:(?P<file>.+)\((?P<line>\d+)\)|unknown location\(0\)): (?:fatal )?error: in \"(?P<test>[^\"]+)\": (?P<what>.*)")
_BOOST_CHECK = re.compile(r"(?:critical )?check (?P<what>.*) has failed(?: \[(?P<values>.*)\])?(?P<rest>.*)")
_BOOST_LAST = re.compile(r"(?P<file>.+)\((?P<line>\d+)\): last checkpoint")


def boost_test(lines: Lines) -> OwnFailure | None:
    for number, line in enumerate(lines):
        if (match := _BOOST.fullmatch(line)) is None:
            continue
        text = match["what"]
        if check := _BOOST_CHECK.fullmatch(text):
            text = with_actual(check["what"], check["values"] or "") + _message(check["rest"].strip(" ."))
        where: re.Match[str] | None = match
        if match["file"] is None or not int(match["line"]):
            where = next((m for other in lines[number : number + 3] if (m := _BOOST_LAST.match(other))), None)
        file, at = (where["file"], int(where["line"])) if where is not None else ("", 0)
        return OwnFailure("Boost.Test", match["test"], file, at, in_one_line(text))
    return None


# ---- libcheck, Criterion ----

_CHECK = re.compile(r"(?P<file>[^:]+):(?P<line>\d+):[FE]:(?P<case>[^:]*):(?P<test>[^:]*):-?\d+: (?P<what>.*)")
_CHECK_ASSERTION = re.compile(r"Assertion '(?P<what>.*)' failed(?:: (?P<values>.*))?")
_CHECK_VALUES = re.compile(r"(?P<left>.+) == (?P<actual>.+), (?P<right>.+) == (?P<expected>[^,]+)")


def libcheck(lines: Lines) -> OwnFailure | None:
    if not any("%: Checks: " in line for line in lines):
        return None
    for line in lines:
        if match := _CHECK.fullmatch(line):
            name = ":".join(filter(None, (match["case"], match["test"])))
            return OwnFailure("libcheck", name, match["file"], int(match["line"]), in_one_line(_check_text(match["what"])))
    return None


def _check_text(said: str) -> str:
    """`Assertion 'total == 2' failed: total == 1, 2 == 2` -> `total == 2, actual 1`."""
    match = _CHECK_ASSERTION.fullmatch(said)
    if match is None:
        return said
    values = _CHECK_VALUES.fullmatch(match["values"] or "")
    if values is None:
        return match["what"] + _message(match["values"] or "")
    other = "" if values["right"].strip() == values["expected"].strip() else f" vs {values['expected']}"
    return f"{match['what']}, actual {values['actual']}{other}"


_CRITERION = re.compile(r"(?P<test>[^\s:]+/[^\s:]+): failed: (?P<file>.+?):(?P<line>\d+): (?P<what>.*)")
_CRITERION_EXPRESSION = re.compile(r"The expression (?P<what>.*) is false\.")


def criterion(lines: Lines) -> OwnFailure | None:
    """As the runtime tells it in place of Criterion's own reporter (csrc/intercept/criterion.c)."""
    for line in lines:
        if match := _CRITERION.fullmatch(line):
            plain = _CRITERION_EXPRESSION.fullmatch(match["what"])
            text = f"`{plain['what'].strip()}` is false" if plain is not None else match["what"]
            return OwnFailure("Criterion", match["test"], match["file"], int(match["line"]), in_one_line(text))
    return None


# ---- Rust ----

_PANIC = re.compile(r"thread '(?P<thread>.*)'(?: \(\d+\))? panicked at (?P<file>[^':]+):(?P<line>\d+):\d+:")
_OLD_PANIC = re.compile(r"thread '(?P<thread>.*)' panicked at '(?P<what>.*)', (?P<file>[^':]+):(?P<line>\d+):\d+")
_TEST_OUTPUT = re.compile(r"---- (?P<test>\S+) stdout ----")
_ENDS_PANIC = re.compile(r"(note: |stack backtrace:|---- |failures:$|thread ')")
_NO_PANIC = re.compile(r"note: test did not panic as expected(?: at (?P<file>[^:]+):(?P<line>\d+):\d+)?")
_LEFT_RIGHT = re.compile(
    r"assertion `left (?P<op>[!=]=) right` failed(?:: (?P<message>.*?))?\s+left: (?P<left>.*?)\s+right: (?P<right>.*)", re.DOTALL
)


_CONSEQUENCE = re.compile(r"Any \{ \.\. \}|PoisonError|a scoped thread panicked|(Send|Recv\w*)Error|Disconnected")


def rust(lines: Lines) -> OwnFailure | None:
    """The first panic, because a thread that joins a panicked one panics after it; but main's, which ended the program, if it had a reason
    of its own."""
    panics = [(number, match) for number, line in enumerate(lines) if (match := _PANIC.fullmatch(line) or _OLD_PANIC.fullmatch(line))]
    if not panics:
        return _without_panic(lines)
    of_main = (each for each in reversed(panics) if each[1]["thread"] == "main" and not _CONSEQUENCE.search("\n".join(_said(lines, *each))))
    number, match = next(of_main, panics[0])
    tests = (m["test"] for text in reversed(lines[:number]) if (m := _TEST_OUTPUT.fullmatch(text)))
    name = next(tests, match["thread"] if "::" in match["thread"] else "")
    test = name or f"thread {match['thread']}"
    return OwnFailure("cargo test" if name else "Rust", test, match["file"], int(match["line"]), _panic(_said(lines, number, match)))


def _said(lines: Lines, number: int, match: re.Match[str]) -> list[str]:
    """With a panic, which stands in this line."""
    said = [match["what"]] if match.re is _OLD_PANIC else []
    return [*said, *takewhile(lambda text: text.strip() and not _ENDS_PANIC.match(text), lines[number + 1 :])]


def _without_panic(lines: Lines) -> OwnFailure | None:
    """A test that returned an error, or that did not panic as it should."""
    for before, line in pairwise(lines):
        if (test := _TEST_OUTPUT.fullmatch(before)) is None:
            continue
        if match := _NO_PANIC.fullmatch(line):
            return OwnFailure("cargo test", test["test"], match["file"] or "", int(match["line"] or 0), "it did not panic as expected")
        if line.startswith("Error: "):
            return OwnFailure("cargo test", test["test"], text=in_one_line(line))
    return None


def _panic(said: Iterable[str]) -> str:
    text = "\n".join(said)
    if match := _LEFT_RIGHT.fullmatch(text):
        return in_one_line(f"left {match['op']} right, actual {match['left']} vs {match['right']}" + _message(match["message"] or ""))
    return in_one_line(text.removeprefix("assertion failed: "))


# ---- Python, GLib ----

_FRAME = re.compile(r'  File "(?P<file>.+)", line (?P<line>\d+), in (?P<function>.+)')


def python(lines: Lines) -> OwnFailure | None:
    """The last traceback, which is the one that ended the program: its innermost frame and the exception."""
    start = next((n for n in reversed(range(len(lines))) if lines[n] == "Traceback (most recent call last):"), None)
    if start is None:
        return None
    frames = [m for line in takewhile(lambda text: text.startswith("  "), lines[start + 1 :]) if (m := _FRAME.fullmatch(line))]
    raised = next((line for line in lines[start + 1 :] if not line.startswith("  ")), "")
    if not frames or not raised:
        return None
    at = frames[-1]
    name = at["function"] if at["function"] != "<module>" else "the script"
    return OwnFailure("Python", name, at["file"], int(at["line"]), in_one_line(raised))


_GLIB = re.compile(
    r"(?:Bail out! |not ok \S+ )?ERROR:(?P<file>[^:]+):(?P<line>\d+):(?P<function>[^:]+): assertion failed(?:: | )\(?(?P<what>.*)"
)


def glib(lines: Lines) -> OwnFailure | None:
    for line in lines:
        if match := _GLIB.fullmatch(line):
            expression, found, values = match["what"].partition("): (")
            text = with_actual(expression, values.removesuffix(")")) if found else expression.removesuffix(")")
            return OwnFailure("GLib", match["function"], match["file"], int(match["line"]), in_one_line(text))
    return None


FORMATS: tuple[Callable[[Lines], OwnFailure | None], ...] = (
    googletest,
    catch2,
    doctest,
    boost_test,
    libcheck,
    criterion,
    rust,
    glib,
    python,
)
ABORTING = (rust, glib)
