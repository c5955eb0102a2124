"""The manual page, made from the table of knobs: `python -m bpor.cli.manual` prints docs/bpor-native.1; a test keeps that file fresh."""

from __future__ import annotations

from bpor.cli.help import ABOUT, GROUPS, USAGE
from bpor.knobs.knob import Knob
from bpor.settings import KNOBS
from bpor.version import VERSION

_EXIT = {
    0: "pass: every schedule within the bound was run or is equivalent to one that was",
    1: "bug: found, and found again from its own schedule in a fresh process",
    2: "usage: a bad option, a missing program, a file that cannot be read or written",
    3: "inconclusive: a budget or a cut ended the search; the last line says how to go on",
    4: "uncontrolled: a call that is refused, a thread out of sight, a program that cannot be entered",
    5: "nondeterministic: the program took another way when it was run again",
    77: "instead of 4 with --uncontrolled=skip: what automake, meson and ctest take for a skipped test",
    99: "internal: our own fault; the message names a log",
}
_FILES = {
    "bpor.toml": "the suite; or [tool.bpor] in pyproject.toml",
    ".bpor/": "the last result, the findings and the search of every test, private to its owner; bpor-native clean removes them",
}


def manual_page() -> str:
    lines = [
        '.\\" Made from bpor/settings.py by python -m bpor.cli.manual: do not edit.',
        f'.TH BPOR-NATIVE 1 "" "bpor-native {VERSION}" "User Commands"',
        ".SH NAME",
        "bpor-native \\- run a native test under every thread schedule that matters",
        ".SH SYNOPSIS",
    ]
    for usage in USAGE.values():
        lines += [f".B {_plain(usage)}", ".br"]
    lines += [".SH DESCRIPTION", _plain(_DESCRIPTION)]
    lines += [".SH COMMANDS"]
    for verb, about in ABOUT.items():
        lines += [".TP", f".B {_plain(verb)}", _plain(about)]
    lines += [".SH OPTIONS"]
    for group, title in GROUPS.items():
        knobs = [knob for knob in KNOBS if knob.group == group]
        lines += [f".SS {_plain(title[0].upper() + title[1:])}" if knobs else "", *(line for knob in knobs for line in _option(knob))]
    lines += [".SH EXIT STATUS"]
    for code, meaning in _EXIT.items():
        lines += [".TP", f".B {code}", _plain(meaning)]
    lines += [".SH FILES"]
    for name, meaning in _FILES.items():
        lines += [".TP", f".I {_plain(name)}", _plain(meaning)]
    lines += [".SH SEE ALSO", ".BR gdb (1),", ".BR ctest (1),", ".BR valgrind (1)"]
    return "\n".join(line for line in lines if line) + "\n"


_DESCRIPTION = (
    "bpor-native starts a program with a preload library that lets one of its threads run at a time, and searches the orders in which they"
    " can run (bounded partial-order reduction). The program needs no changes. A bug comes with a schedule that repeats it; without one the"
    " last line says what was covered: the bound, what could be seen, and what was assumed."
)


def _option(knob: Knob) -> list[str]:
    names = f"{knob.short + ', ' if knob.short else ''}{knob.flag}"
    head = f'.BI {_plain(names)} " {_plain(knob.metavar)}"' if knob.metavar else f".B {_plain(names)}"
    return [".TP", head, _plain(f"{knob.help[0].upper()}{knob.help[1:]}. ({', '.join(knob.verbs)})")]


def _plain(text: str) -> str:
    """Nothing in it is a request or an escape of troff's; hyphens are typed as they are."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq").replace('"', "\\(dq")
    return "\n".join(f"\\&{line}" if line.startswith(".") else line for line in text.splitlines())


if __name__ == "__main__":
    print(manual_page(), end="")
