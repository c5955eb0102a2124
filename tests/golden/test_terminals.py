"""What the tool prints to people who have little: 44 columns, no colour, ASCII; and what a shell can complete."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from bpor.cli.completion import SHELLS, completion_script
from bpor.cli.help import ALL_VERBS, BRIEF, USAGE
from bpor.cli.words import VERBS
from bpor.settings import KNOBS
from tests.golden.scenario import compile_program
from tests.native.tool import Run, command, environment, run_command
from tests.patience import PATIENCE

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def said_by(*words: str) -> Run:
    return run_command(*words, directory=Path("/"))


def on_a_terminal(place: Path, *words: str, columns: int, **variables: str) -> str:
    """What a terminal of so many columns is sent."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    known = {name: value for name, value in environment().items() if name not in ("COLUMNS", "LINES")}  # a runner's own
    process = subprocess.Popen(
        command(*words), cwd=place, env={**known, "TERM": "xterm", **variables}, stdout=theirs, stderr=subprocess.DEVNULL
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    process.wait(PATIENCE)
    return said.decode().replace("\r\n", "\n")


@pytest.mark.needs("gcc")
def test_44_columns_in_ascii_without_colour(tmp_path: Path) -> None:
    compile_program("bank.c", tmp_path)
    text = on_a_terminal(tmp_path, "-q", "./bank", "--state", "none", columns=44, NO_COLOR="1", LC_ALL="C")
    assert "\x1b" not in text and text.isascii()
    to_paste = ("  bpor-native replay", "SUMMARY: ", "bug: ")
    assert [line for line in text.splitlines() if len(line) > 44 and not line.startswith(to_paste)] == []
    assert re.search(r"^ +2 +(T1 )?lock alice.lock +bank.c:15", text, re.MULTILINE), text  # a step has its place
    assert "held by" in re.sub(r"\s+", " ", text), "what a thread waits for is not cut off"


@pytest.mark.needs("gcc")
def test_a_terminal_has_colour_unless_it_wants_none(tmp_path: Path) -> None:
    compile_program("bank.c", tmp_path)
    words = ("-q", "./bank", "--state", "none")
    coloured = on_a_terminal(tmp_path, *words, columns=100, LC_ALL="C.UTF-8")
    assert COLOUR.search(coloured)
    plain = on_a_terminal(tmp_path, *words, columns=100, NO_COLOR="1", LC_ALL="C.UTF-8")
    assert plain.split() == COLOUR.sub("", coloured).split() and "──" in plain
    assert not COLOUR.search(on_a_terminal(tmp_path, *words, columns=100, TERM="dumb"))


def test_every_verb_is_in_the_help_and_fits_80_columns() -> None:
    text = said_by("help").stdout
    for verb in ALL_VERBS:
        assert re.search(rf"^  {re.escape(verb)} +\S", text, re.MULTILINE)
        assert said_by("help", verb).exit_code == 0
    assert set(VERBS) == set(USAGE) == set(BRIEF)
    assert all(len(line) <= 80 for line in text.partition("verbs (")[2].splitlines())
    unknown = said_by("help", "nonsense")
    assert unknown.exit_code == 2 and "no verb 'nonsense'" in unknown.stderr


def test_bash_completes_verbs_options_and_files(tmp_path: Path) -> None:
    (tmp_path / "replica").touch()

    def completed(*words: str) -> set[str]:
        line = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _bpor_native; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        script = f"{completion_script('bash')}\n{line}"
        return set(subprocess.check_output(["bash", "-c", script], cwd=tmp_path, text=True, timeout=PATIENCE).split())

    assert completed("bpor-native", "rep") == {"replay", "replica"}
    assert completed("bpor-native", "suite", "--sh") == {"--shard"}
    assert "--shard" not in completed("bpor-native", "./x", "--sh")
    assert completed("bpor-native", "replay", "la") == {"last"}
    assert completed("bpor-native", "./x", "--", "--bo") == set()
    assert completed("bpor-native", "completion", "") == set(SHELLS)


def test_completions_know_every_option() -> None:
    for shell in SHELLS:
        script = completion_script(shell)
        assert [knob.flag for knob in KNOBS if knob.flag.removeprefix("--") not in script] == []
    assert said_by("completion", "tcsh").exit_code == 2


@pytest.mark.needs("gcc")
def test_the_list_of_tests_fits_80_columns(tmp_path: Path) -> None:
    program = compile_program("bank.c", tmp_path)
    state = str(tmp_path / "kept")
    assert said_by("-q", str(program), "--state", state, "--", "--which=both", "x" * 80).exit_code == 1
    listed = said_by("list", "--state", state).stdout
    assert all(len(line) <= 80 for line in listed.splitlines())
    first, *said = listed.splitlines()
    assert re.fullmatch(r"bank-[0-9a-f]{8}  [\d-]+ [\d:]+  --which=both x+…", first), "its arguments tell tests of one program apart"
    assert " ".join(map(str.strip, said)).startswith("bug: deadlock bank.c:16 in transfer; with 1 preemption; found in ")
