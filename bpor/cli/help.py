"""The help texts, made from the table of knobs: one screen per verb."""

from __future__ import annotations

import textwrap
from itertools import groupby

from bpor.knobs.knob import Knob
from bpor.settings import KNOBS

NO_ARGUMENTS = """\
bpor-native runs a native test under every thread schedule that matters within a bound.

  bpor-native ./my_test --bound fair:2,preemption:2   look for bugs (without --bound: as far as time allows)
  bpor-native replay last                             repeat the last bug (or SCHEDULE|FILE -- ./my_test)
  bpor-native doctor [./my_test]                      what can be seen of a program, or of this machine

Exit: 0 pass, 1 bug, 2 usage, 3 not finished, 4 cannot be controlled, 5 does not repeat, 99 our fault.
Long options may stand anywhere before `--`, -j and -q before the program; other words after it, and all after `--`, are its own.
After an interpreter (python3, pytest, sh, ...) everything is the program's; a path such as ./nice is no interpreter.
More: bpor-native help, bpor-native VERB --help; what was kept of earlier runs: bpor-native list, show, clean
"""

USAGE = {
    "run": "bpor-native [run] [options] PROGRAM [arguments] [options] [-- arguments]",
    "replay": "bpor-native replay last|NAME [options] | replay SCHEDULE|FILE|NAME -- PROGRAM [arguments]",
    "suite": "bpor-native suite [options] [TEST ... | ./PROGRAM [arguments] | ./PROGRAM ./PROGRAM ...]",
    "ctest": "bpor-native ctest [options] [ctest's options, -DVARIABLE=VALUE]",
    "meson": "bpor-native meson test [options] [meson's options and tests]",
    "cargo": "bpor-native cargo test [options] [cargo's options] [-- the tests' options]",
    "mutate": "bpor-native mutate [options] PROGRAM [arguments]",
    "compare": "bpor-native compare [--search NAME,NAME,...] [--bound BOUND] [options] PROGRAM [arguments]",
    "list": "bpor-native list",
    "show": "bpor-native show [TEST]",
    "clean": "bpor-native clean [TEST ...]",
    "doctor": "bpor-native doctor [PROGRAM [arguments] | LIBRARY]",
    "help": "bpor-native help [VERB]",
    "completion": "bpor-native completion bash|zsh|fish",
}
BRIEF = {
    "run": "look for bugs in a program (the verb may be left out)",
    "replay": "repeat a schedule: the last bug, a short name, a file",
    "suite": "all tests of bpor.toml, or of a program, in one table",
    "ctest": "all tests of a CMake project, built anew with our compilers",
    "meson": "meson test: the same of a meson project",
    "cargo": "cargo test: the same of a Rust project",
    "mutate": "does any schedule notice when a lock is left out?",
    "compare": "several searches on one program",
    "list": "the tests that were run here",
    "show": "the last result of a test",
    "clean": "forget tests",
    "doctor": "what can be seen of a program, or of this machine",
    "help": "this, or the help of a verb",
    "completion": "a script that completes our words in a shell",
}
HANDED_ON = {  # words before another command, whose own help is the rest (bpor/cli/compile.py, bpor/cli/python.py)
    "cc": "compile C, instrumented: bpor-native cc -g -pthread -o test test.c",
    "c++": "the same for C++",
    "build": "run a build with these compilers: bpor-native build make",
    "pytest": "pytest --bpor of a C extension, which is built for it",
    "python": "a Python script and its threads: bpor-native python script.py",
}
ALL_VERBS = (*USAGE, *HANDED_ON)
ABOUT = {
    "run": "Runs PROGRAM under every thread schedule that matters within the bound.",
    "replay": "Repeats one schedule (0*4,1*2,0) in a fresh process, with the options that the search had.\n"
    "A FILE (.bpor/TEST/finding-1.json) and `last` bring theirs. Only `last` and a NAME\n(q7x2k, of a long schedule) know the program.",
    "suite": "Runs the tests that bpor.toml (or [tool.bpor] in pyproject.toml) lists, those named or all, or every\n"
    "test of ./PROGRAM (googletest; libcheck and others that fork), and prints one table. Exits 0 if\n"
    "every verdict is the one expected, else with the gravest one's code.",
    "ctest": "Builds the CMake project here (or that of a build directory, or of --test-dir) with our compilers\n"
    "into .bpor-build/, asks ctest for its tests, searches each and prints one table. A whole googletest,\n"
    "Catch2, doctest or Boost.Test program becomes one test for each of its cases. Exit as of suite.",
    "meson": "Builds the meson project here (or that of the build directory here or of -C) with our compilers into\n"
    ".bpor-build/, asks meson for its tests, searches each and prints one table. Exit as of suite.",
    "cargo": "Builds the package here into .bpor-build/, asks its test programs for their tests, searches each and\n"
    "prints one table. Exit as of suite.",
    "mutate": "Turns one lock, wait or signal of PROGRAM at a time into nothing: does any schedule notice?\n"
    "Exits 0 if every one is noticed, 1 if some are not.",
    "compare": "Runs several searches on PROGRAM (default bpor,dpor,optimal,dfs), each past every bug for\n"
    "--max-time, and prints what each needed. Exits 0, or 3 if one did not end.",
    "list": "Every test that was run here, with its last verdict.",
    "show": "The last result of a test (without a name: of the last run) and its findings' files.",
    "clean": "Forgets the tests named, or all: results, findings and unfinished searches.",
    "doctor": "With PROGRAM: what can be seen of it and what cannot, and how it is run (once, to find out);\n"
    "exits 0, or 4 if it cannot be controlled.\n"
    "With LIBRARY (a Python extension): was it instrumented? Exits 0 or 4.\n"
    "Without: does this machine have what is needed? Exits 0 or 2.",
    "help": "The verbs in a line each, or the help of one.",
    "completion": 'Prints a script that completes our verbs and options in a shell:\neval "$(bpor-native completion bash)"',
}
GROUPS = {
    "search": "which schedules",
    "meaning": "what a schedule means (a replay needs the same)",
    "target": "the program",
    "report": "the report",
    "suite": "the suite",
    "replay": "how to look at it",
}
_COLUMN = 32
_WIDTH = 100


def help_text(verb: str) -> str:
    lines = [f"usage: {USAGE[verb]}", ABOUT[verb]]
    for group, title in GROUPS.items():
        knobs = [knob for knob in KNOBS if knob.group == group and verb in knob.verbs]
        if knobs:
            lines += [f"{title}:", *(_row(list(alike)) for _, alike in groupby(knobs, key=lambda knob: (knob.help, knob.metavar)))]
    if verb == "run":
        verbs = f"verbs: {', '.join(verb for verb in ALL_VERBS if verb != 'run')}"
        lines += textwrap.wrap(verbs, _WIDTH, subsequent_indent="  ")
    return "\n".join(lines) + "\n"


def verbs_text() -> str:
    """`bpor-native help`."""
    return "\n".join([NO_ARGUMENTS.rstrip("\n"), "", "verbs (bpor-native help VERB):", *_verbs()]) + "\n"


def _verbs() -> list[str]:
    return [f"  {verb:<11} {text}" for verb, text in {**BRIEF, **HANDED_ON}.items()]


def _row(alike: list[Knob]) -> str:
    """Knobs that one sentence explains share a row."""
    flags = ", ".join(f"{knob.short + ', ' if knob.short else ''}{knob.flag}" for knob in alike)
    left = f"  {flags}{' ' + alike[0].metavar if alike[0].metavar else ''}"
    return f"{left:<{_COLUMN}} {alike[0].help}" if len(left) <= _COLUMN else f"{left} {alike[0].help}"
