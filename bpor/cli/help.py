"""The help texts, made from the table of knobs: one screen per verb."""

from __future__ import annotations

from bpor.settings import KNOBS, Knob

NO_ARGUMENTS = """\
bpor-native runs a native test under every thread schedule that matters within a bound.

  bpor-native ./my_test --bound fair:2,preemption:2   look for bugs (without --bound: as far as time allows)
  bpor-native replay last                             repeat the last bug (also: SCHEDULE|FILE -- ./my_test; --step, --gdb)
  bpor-native list | show | clean                     what was kept of earlier runs, in .bpor/
  bpor-native doctor [./my_test]                      what can be seen of a program, or of this machine

Exit: 0 pass, 1 bug, 2 usage, 3 not finished, 4 cannot be controlled, 5 does not repeat, 99 our fault.
Options may stand anywhere before `--`; other words after the program, and all after `--`, are the program's.
After an interpreter (python3, pytest, sh, ...) everything is the program's.
More: bpor-native --help, bpor-native replay --help, bpor-native doctor --help
"""

_USAGE = {
    "run": "bpor-native [run] [options] PROGRAM [arguments] [options] [-- arguments]",
    "replay": "bpor-native replay last [options] | replay SCHEDULE|FILE [options] -- PROGRAM [arguments]     SCHEDULE: e.g. 0*4,1*2,0",
    "list": "bpor-native list",
    "show": "bpor-native show [TEST]",
    "clean": "bpor-native clean [TEST ...]",
    "doctor": "bpor-native doctor [PROGRAM]",
}
_ABOUT = {
    "run": "Runs PROGRAM under every thread schedule that matters within the bound.",
    "replay": "Repeats one schedule in a fresh process. Give the options that the search had, as its report does; `last` and a FILE\n"
    "(.bpor/TEST/finding-1.json) bring theirs. Only `last` knows the program, from our own private .bpor/.",
    "list": "Every test that was run here, with its last verdict.",
    "show": "The last result of a test (without a name: of the last run) and its findings' files.",
    "clean": "Forgets the tests named, or all: results, findings and searches that --resume could go on with.",
    "doctor": "With PROGRAM: what can be seen of it and what cannot; exits 0, or 4 if it cannot be controlled.\n"
    "Without: does this machine have what is needed? Exits 0 or 2.",
}
_GROUPS = {
    "search": "which schedules",
    "meaning": "what a schedule means (a replay needs the same)",
    "target": "the program",
    "report": "the report",
    "replay": "how to look at it",
}
_COLUMN = 32


def help_text(verb: str) -> str:
    lines = [f"usage: {_USAGE[verb]}", _ABOUT[verb]]
    for group, title in _GROUPS.items():
        knobs = [knob for knob in KNOBS if knob.group == group and verb in knob.verbs]
        if knobs:
            lines += [f"{title}:", *map(_row, knobs)]
    if verb == "run":
        lines.append("verbs: run (default), replay, doctor, list, show, clean; each has --help.  --version. Exit codes: bpor-native alone.")
    return "\n".join(lines) + "\n"


def _row(knob: Knob) -> str:
    left = f"  {knob.short + ', ' if knob.short else ''}{knob.flag}{' ' + knob.metavar if knob.metavar else ''}"
    return f"{left:<{_COLUMN}} {knob.help}" if len(left) <= _COLUMN else f"{left} {knob.help}"
