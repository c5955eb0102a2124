"""docs/packages.md: what it shows is what subjects.toml says, and can be read back to be replayed."""

from __future__ import annotations

from benchmarks.packages.replay import shown
from benchmarks.packages.subjects import minimal, read_subjects
from benchmarks.packages.survey import PAGE, sentence

SAID = """F                                                                        [100%]
=================================== FAILURES ===================================
_______________________________ test_get_delete ________________________________
memory: use after free: read of 8 bytes by T1, 16 bytes into a block of 48 that T1 freed; at
    lru.c:5 in get, thread T1
  It takes 1 preemption and 33 steps.
"""


def test_the_page_shows_the_smallest_tests_of_the_subjects() -> None:
    examples = {example.stem: example.test for example in shown(PAGE.read_text())}
    assert examples == {subject.stem: minimal(subject) for subject in read_subjects() if subject.example}


def test_a_sentence_is_shown_to_its_end() -> None:
    """It was cut off behind its first line, so that the place was missing."""
    assert sentence(SAID).endswith("that T1 freed; at lru.c:5 in get, thread T1")


def test_nothing_stands_behind_a_sentence_that_needs_no_preemption() -> None:
    assert sentence(SAID.replace("It takes 1 preemption and", "It fails without any preemption, in")).endswith("T1")
