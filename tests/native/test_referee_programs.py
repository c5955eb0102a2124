"""Random programs that do what real tests do: all modes say the same, and what one prints alone is among what it prints under control.

BPOR_REFEREE_PROGRAMS (default 4) says how many; `python -m tests.native.referee SECONDS` runs others for as long as you like.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.native.referee.judge import difference
from tests.native.referee.modes import FRESH, look
from tests.native.referee.player import families
from tests.native.referee.programs import Program, random_program
from tests.native.referee.shrink import shrink

pytestmark = [pytest.mark.needs("g++"), pytest.mark.slow]
PROGRAMS = int(os.environ.get("BPOR_REFEREE_PROGRAMS", "4"))


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_every_mode_says_the_same_of_a_random_program(seed: int) -> None:
    program = random_program(random.Random(seed))
    assert difference(program) == "", program


def test_what_the_threads_do_to_each_other_is_in_what_is_printed() -> None:
    one = Program((), (), (), (("give.0", "small.3", "give.0"), ("large.2", "give.0")), "none")
    assert len(look(one, FRESH).outcomes) == 3


def test_a_difference_is_noticed_and_shrunk_to_the_word_that_makes_it() -> None:
    """A process number is another one in every process."""
    program = Program((), ("small.1",), ("tokens.2",), (("give.1", "process_number", "many.3"), ("give.1",)), "none")
    assert "process_number" not in {word for words in families().values() for word in words}
    small, how = shrink(program, difference)
    assert (small.size, small.threads) == (2, (("process_number",),)), small
    assert how


def test_every_family_has_words_and_every_word_runs_alone() -> None:
    assert all(families().values())
    words = tuple(f"{word}.1" for name, family in sorted(families().items()) if name != "processes" for word in family)
    for half in (words[::2], words[1::2]):
        said = look(Program((), half, (), (), "none"), FRESH).verdict
        assert said.startswith("pass") or "stopped by --max-executions" in said  # some words have threads of their own
