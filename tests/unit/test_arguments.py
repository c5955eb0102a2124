"""The command line as a table: which word is whose."""

from __future__ import annotations

from typing import Any

import pytest

from bpor.cli.arguments import Command, parse
from bpor.cli.words import distance, is_interpreter
from bpor.errors import UsageError
from bpor.settings import KNOBS, Settings


def run(*program: str, verb: str = "run", schedule: str | None = None, asks: str = "", **knobs: Any) -> Command:
    return Command(verb, Settings(**knobs), program, schedule, asks)


ACCEPTED = [
    ("./my_test --bound fair:2,preemption:2", run("./my_test", bound="fair:2,preemption:2")),
    ("--bound fair:2,preemption:2 ./my_test", run("./my_test", bound="fair:2,preemption:2")),
    ("--bound=preemption:1 ./my_test", run("./my_test", bound="preemption:1")),
    ("run ./my_test --bound none", run("./my_test", bound="none")),
    ("run run", run("run")),
    ("run replay 1", run("replay", "1")),
    ("./replay 1", run("./replay", "1")),
    ("--keep-going run ./t", run("./t", keep_going=True)),
    ("./t a b -x --verbose --filter=z", run("./t", "a", "b", "-x", "--verbose", "--filter=z")),
    ("./t a --seed 7 b --keep-going c", run("./t", "a", "b", "c", seed=7, keep_going=True)),
    ("./t -- --bound 3", run("./t", "--bound", "3")),
    ("./t --bound none -- --bound 3 -- x", run("./t", "--bound", "3", "--", "x", bound="none")),
    ("--bound none -- ./t --seed 3", run("./t", "--seed", "3", bound="none")),
    ("-- run", run("run")),
    ("-- ./t --bnd", run("./t", "--bnd")),
    ("./t -- -q -j 2", run("./t", "-q", "-j", "2")),
    ("-q -- ./t -q", run("./t", "-q", quiet=True)),
    ("./t -qx -jobs -hard -j2x", run("./t", "-qx", "-jobs", "-hard", "-j2x")),
    ("suite one -q two", run("one", "two", verb="suite", quiet=True)),
    ("suite one -h", run("one", verb="suite", asks="help")),
    ("-q ./t", run("./t", quiet=True)),
    ("./t --quiet", run("./t", quiet=True)),
    ("./t -- -h", run("./t", "-h")),
    ("./nice --seed 1 -n", run("./nice", "-n", seed=1)),
    ("/tmp/build/make -j8x --bound none", run("/tmp/build/make", "-j8x", bound="none")),
    ("bin/env --seed 1", run("bin/env", seed=1)),
    ("nice -q ./t --seed 1", run("nice", "-q", "./t", "--seed", "1")),
    ("/usr/bin/env ./t --seed 1", run("/usr/bin/env", "./t", "--seed", "1")),
    (".venv/bin/python t.py -q", run(".venv/bin/python", "t.py", "-q")),
    ("./t -", run("./t", "-")),
    (
        "--max-time 30s python3 test.py --bound 3 --sede -- --help",
        run("python3", "test.py", "--bound", "3", "--sede", "--", "--help", max_time=30.0),
    ),
    ("/usr/bin/python3.11 -m x --seed 1", run("/usr/bin/python3.11", "-m", "x", "--seed", "1")),
    ("run --seed 1 sh -c ./t --seed 2", run("sh", "-c", "./t", "--seed", "2", seed=1)),
    ("pytest --keep-going", run("pytest", "--keep-going")),
    ("./t --max-time none", run("./t", max_time=None)),
    ("./t --max-time 90", run("./t", max_time=90.0)),
    ("./t --max-time 1.5h", run("./t", max_time=5400.0)),
    ("./t --max-time 2m", run("./t", max_time=120.0)),
    ("./t --signal=fifo --timeouts explore --spurious", run("./t", signal="fifo", timeouts="explore", spurious=True)),
    ("./t --no-sleep-sets --no-transitive-reduction", run("./t", sleep_sets=False, transitive_reduction=False)),
    ("./t --no-bound-optimisation --outcomes", run("./t", bound_optimisation=False, outcomes=True)),
    ("./t --inconclusive=pass --uncontrolled=skip", run("./t", inconclusive="pass", uncontrolled="skip")),
    ("./t --json=a=b.json", run("./t", json="a=b.json")),
    ("./t --seed 1 --seed 2", run("./t", seed=2)),
    ("./t --stdin - x", run("./t", "x", stdin="-")),
    ("replay 0*4,1*2,0 -- ./t --bound x", run("./t", "--bound", "x", verb="replay", schedule="0*4,1*2,0")),
    ("replay 0,1 --signal=fifo -- ./t a", run("./t", "a", verb="replay", schedule="0,1", signal="fifo")),
    ("replay 0,1 ./t --spurious a", run("./t", "a", verb="replay", schedule="0,1", spurious=True)),
    ("replay --seed 4 0,1 ./t", run("./t", verb="replay", schedule="0,1", seed=4)),
    ("--seed 4 replay 0,1 ./t", run("./t", verb="replay", schedule="0,1", seed=4)),
    ("doctor", run(verb="doctor")),
    ("doctor ./t", run("./t", verb="doctor")),
    ("", run()),
    ("--help", run(asks="help")),
    ("-h", run(asks="help")),
    ("replay --help", run(verb="replay", asks="help")),
    ("./t --help", run("./t", asks="help")),
    ("./t -- --help", run("./t", "--help")),
    ("--version", run(asks="version")),
]

REFUSED = [
    ("--bnd x ./t", "no option --bnd; did you mean --bound?"),
    ("--send x ./t", "no option --send; did you mean --send-files?"),
    ("--frobnicate ./t", "no option --frobnicate; see"),
    ("-x ./t", "no option -x"),
    ("./t --bond 2", "--bond is close to our --bound"),
    ("./t --max-exections=2", "close to our --max-executions"),
    ("./t --hlp", "close to our --help"),
    ("./t --bound", "--bound needs a value: --bound BOUND"),
    ("./t --bound --seed 3", "--bound needs a value"),
    ("./t --bound -- x", "--bound needs a value"),
    ("./t --keep-going=yes", "--keep-going takes no value"),
    ("./t --version=1", "--version takes no value"),
    ("./t --seed x", "--seed: 'x' is not a whole number"),
    ("./t --seed -1", "--seed: '-1' is not a whole number"),
    ("./t --max-executions 0", "0 would run nothing"),
    ("./t --max-time soon", "is not a time such as 30s"),
    ("./t --max-time 0s", "is not a time such as 30s"),
    ("./t --signal=lifo", "--signal: 'lifo' is not one of any, fifo"),
    ("./t --watchdog none", "cannot be switched off"),
    ("replay 0,1 --bound none -- ./t", "--bound means nothing to `replay`"),
    ("--bound none replay 0,1 -- ./t", "--bound means nothing to `replay`"),
    ("./t -q", "-q after the program could be ours or the program's: put ours before the program, the program's own after `--`"),
    ("./t -j 2", "-j after the program could be ours"),
    ("./t -j2", "-j2 after the program could be ours"),
    ("./t a -h", "-h after the program could be ours"),
    ("./nice -q", "-q after the program could be ours"),
    ("replay 0,1 ./t -q", "-q after the program could be ours"),
    ("doctor ./t -q", "-q after the program could be ours"),
    ("doctor --seed 3 ./t", "--seed means nothing to `doctor`"),
]


@pytest.mark.parametrize(("line", "expected"), ACCEPTED, ids=[line or "nothing" for line, _ in ACCEPTED])
def test_every_word_has_its_owner(line: str, expected: Command) -> None:
    assert parse(line.split()) == expected


@pytest.mark.parametrize(("line", "reason"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_doubtful_line_is_refused_with_the_reason(line: str, reason: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse(line.split())
    assert reason in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.flag)
def test_no_option_can_be_abbreviated_or_misspelt_after_the_program(knob: Any) -> None:
    with pytest.raises(UsageError):
        parse(["./t", knob.flag[:-1]])
    with pytest.raises(UsageError):
        parse(["./t", knob.flag + "x"])


def test_no_two_options_are_so_close_that_one_is_a_misspelling_of_the_other() -> None:
    """Of one verb: another's is refused by its name."""
    for verb in {verb for knob in KNOBS for verb in knob.verbs}:
        flags = [knob.flag for knob in KNOBS if verb in knob.verbs] + ["--help", "--version"]
        assert [(a, b) for a in flags for b in flags if a < b and distance(a, b) <= 1] == []


@pytest.mark.parametrize(
    "name", ["python", "python3", "/usr/bin/python3.13t", "pytest", "sh", "bash", "perl", "ruby", "node", "lua5.4", "pypy3.10"]
)
def test_an_interpreter_is_known_by_its_name(name: str) -> None:
    assert is_interpreter(name)


@pytest.mark.parametrize(
    "name",
    ["./my_test", "python_test", "./show", "pytest_c", "bash/test", "shell", "./nodes", "./nice", "/tmp/x/env", "build/make", "./node"],
)
def test_a_program_whose_name_only_looks_like_one_or_that_is_a_path_is_not_an_interpreter(name: str) -> None:
    assert not is_interpreter(name)


@pytest.mark.parametrize(
    ("a", "b", "edits"), [("", "", 0), ("abc", "", 3), ("bound", "bond", 1), ("bound", "obund", 2), ("kitten", "sitting", 3)]
)
def test_the_distance_is_levenshteins(a: str, b: str, edits: int) -> None:
    assert distance(a, b) == distance(b, a) == edits
