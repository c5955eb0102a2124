"""Puts the commands of this checkout into a virtual environment: `python link_checkout.py DIRECTORY`.

`make demo` needs no more than that of an editable install, for which pip and setuptools take two seconds of CPU. An editable install into
the same environment replaces the commands by its own.
"""

import re
import shlex
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A first line that named the interpreter could have no space in it and 127 bytes at most. This is a program of the shell and of Python.
PYTHON_COMMAND = """#!/bin/sh
'''exec' {python} "$0" "$@"
' '''
import sys
from bpor.cli import main
sys.exit(main())
"""


def front(text: str) -> str:
    """scripts/bpor-native as an environment gets it whose package lies in this checkout: the original looks for it beside itself."""
    line = f"editable={shlex.quote(str(ROOT / 'bpor' / '_native'))}"
    return re.sub("(?m)^editable=.*$", lambda _: line, text)


def link(directory: Path) -> None:
    paths = sysconfig.get_paths("venv", {"base": str(directory), "platbase": str(directory)})
    scripts = Path(paths["scripts"])
    Path(paths["purelib"], "bpor-native-checkout.pth").write_text(f"{ROOT}\n")
    commands = {
        "bpor-native": front((ROOT / "scripts" / "bpor-native").read_text()),
        "bpor-native-python": PYTHON_COMMAND.format(python=shlex.quote(str(scripts / "python"))),
    }
    for name, text in commands.items():
        (scripts / name).write_text(text)
        (scripts / name).chmod(0o755)


if __name__ == "__main__":
    link(Path(sys.argv[1]).resolve())
